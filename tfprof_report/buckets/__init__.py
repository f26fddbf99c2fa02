"""Object stores that Arrow opens by URL: opened, asked with patience, read, and what is said where they fail.

Nothing here knows what is in an object. Imports `pyarrow.fs`, so others import it only for a URL.
"""
