"""Builds the node table: one row per node with its shapes, parameters, FLOPs and figures from run metadata.
May import ingest and the shared modules below it (schema, options, semantics, formatting, errors ...).
"""
