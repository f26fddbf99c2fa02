"""The tables of a report for people: rows of cells whose text is final, the same for HTML and Markdown.
May import tfprof and files, nothing else of render.
"""
