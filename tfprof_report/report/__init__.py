"""Reports as plain data: built from tables, views and a comparison, read back from folders, and kept in a store.
May import compare, views, model, ingest and the shared modules below them (schema, options, formatting, errors ...).
"""
