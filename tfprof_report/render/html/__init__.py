"""The HTML pages: their templates filled in, the data for their scripts, and pictures as SVG.
May import content and everything below it, but not markdown.
"""
