"""Explains changes: the nodes and scopes that contribute most to a figure or its change, and why FLOPs changed.
May import everything in compare except `gates`, and everything below compare.
"""
