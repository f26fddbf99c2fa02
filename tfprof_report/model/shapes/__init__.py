"""The shapes of all outputs: from the graph, the user and run metadata, and inferred from inputs and constants.
May import model.params (for sizes), functions, graph and join; never FLOPs.
"""
