"""Parameters: which nodes hold them, how many, and of which kind."""
