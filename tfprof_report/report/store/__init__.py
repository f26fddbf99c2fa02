"""A store of baseline reports, in a folder or an object store, and the choice of entries from it.
May import the rest of report and everything below it; the rest of report must not import it.
"""
