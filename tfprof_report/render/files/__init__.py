"""Write files whole or not at all, and load the templates, styles and scripts of a report.
May import nothing else of render.
"""
