"""Compares head with base: matches nodes and view rows, subtracts figures, finds causes and judges gates.
May import views, model, ingest and the shared modules below them (schema, options, formatting, errors ...).
"""
