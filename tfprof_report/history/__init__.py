"""How the figures of models moved over commits, and which commit moved them: plain data from the rows of a store.

May import what reports are made of; knows nothing of files that are written.
"""
