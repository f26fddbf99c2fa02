"""Where inputs are, and their bytes: nothing here knows what is in a file."""
