"""Joins two sides on the name, subtracts, and judges the gates.
May import views, model and ingest.
"""
