"""The frozen columns: figures with their units, the tables that are written, and the files of a report.

Imports nothing else of the package.
"""
