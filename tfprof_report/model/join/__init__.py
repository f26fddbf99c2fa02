"""Joins run metadata, op log, checkpoint and call stacks to the nodes of the graph, by name.
May import model.totals and ingest; nothing else of model.
"""
