"""Which node or row of base is which of head."""
