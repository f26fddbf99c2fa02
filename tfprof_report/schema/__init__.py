"""The frozen columns: figures with their units, the tables that are written, and the files of a report.
May import arrays, errors and vocabulary; every other part of the package may import it.
"""
