"""The node table: one row per node with everything known about it, and the figures in it.
May import ingest.
"""
