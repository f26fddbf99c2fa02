"""Forests in preorder over the node table, and the selection of their rows by options.
May import model and ingest.
"""
