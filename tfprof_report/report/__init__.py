"""The report as plain data, built from tables, views and a comparison.
May import compare, views, model and ingest.
"""
