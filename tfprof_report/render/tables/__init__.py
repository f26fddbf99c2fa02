"""The tables of a report for people, as cells."""
