"""Pure functions from a report, or a view, to the bytes of one output format.
May import report and everything below it; computes no number.
"""
