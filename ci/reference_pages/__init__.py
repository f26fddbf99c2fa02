"""The pages of docs/reference, made from the code that they describe; ci/build_reference.py writes and compares them.
Each page is a function without arguments that returns Markdown; `pages.py` lists them all.
"""
