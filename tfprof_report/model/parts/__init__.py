"""Recognises parts of a graph that are not the model (savers, optimizer ...) and copies of it, and leaves parts out.
May import everything else in model but build_table and measurement: it works on a finished node table.
"""
