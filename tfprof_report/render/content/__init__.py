"""What a report for people says and in which order, as plain data."""
