"""How figures moved over commits: where a new level begins, and drift that no single step shows.
May import report, compare and what is below them.
"""
