"""Formats for programs: summary.json, verdict.json, Parquet, JUnit, OpenMetrics and annotations of CI hosts.
May import tables, tfprof and files; knows neither HTML nor Markdown.
"""
