"""Judges gates: their grammar, the figures that they judge, accepted changes, and the verdict.
May import everything in compare except `causes`, and everything below compare.
"""
