"""What a report for people contains and in which order, as plain data that HTML and Markdown lay out.
May import machine, tables and what is below them; knows neither HTML nor Markdown.
"""
