"""The commands over many reports: `compare` and `index`."""
