"""A store of baselines, in a folder or an object store."""
