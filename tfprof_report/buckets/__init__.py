"""Object stores that Arrow opens by URL: opened, asked with patience, read, and what is said where they fail.

Nothing here knows what is in an object. All but `reasons` and `patience` import `pyarrow.fs`: commands that read no URL
do without them.
"""
