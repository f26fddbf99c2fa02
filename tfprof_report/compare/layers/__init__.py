"""Layers of a model: the table of one side, how the layers of two sides match, and what changed in each.
May import the sides, their matched nodes and the differences of rows; causes and gates read the result.
"""
