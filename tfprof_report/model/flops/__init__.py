"""FLOPs rules per op type, and their evaluation over all nodes: a figure per node, or the reason why there is none.
May import model.shapes, params, functions, graph and join; never node_table or build_table, which use its figures.
"""
