"""Inlines function bodies below their calls, and counts how often nodes of branches and loops are executed.
May import model.graph and model.join; never shapes, params or FLOPs, which see an inlined graph.
"""
