"""The HTML page: its template, data for its scripts, and pictures."""
