"""Run metadata, op log, checkpoint and traces joined to the nodes of the graph."""
