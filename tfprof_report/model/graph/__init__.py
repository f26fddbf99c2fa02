"""The graph as edges between rows, and walks along them."""
