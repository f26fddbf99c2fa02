"""Turns the bytes of input files into Arrow columns, whatever their form.
May import errors, options and nothing else of this package.
"""
