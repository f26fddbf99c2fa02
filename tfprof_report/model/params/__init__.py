"""Finds the nodes that hold parameters (variables, weights of frozen graphs), counts them and tells what they are for.
May import model.functions, graph and join; never shapes or FLOPs.
"""
