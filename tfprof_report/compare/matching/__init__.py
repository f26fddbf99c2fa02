"""Matches nodes and view rows of base with those of head: by map, name, renamed scope or graph structure.
May import `comparison` and `side` of compare, and everything below compare.
"""
