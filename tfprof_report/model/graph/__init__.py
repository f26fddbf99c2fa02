"""The graph as an edge list over row numbers: reading it, reachability, origins of values; facts about op types.
May import the shared modules (arrays ...) and nothing else of model: it knows neither functions nor shapes.
"""
