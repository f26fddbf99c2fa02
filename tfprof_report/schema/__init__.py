"""The frozen columns: metrics with their units, and the tables that are written."""
