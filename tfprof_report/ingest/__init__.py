"""Finds, recognises and decodes input files (text, binary, gzip) and returns their content as Arrow columns.
May import schema and the modules directly in tfprof_report except job and models_job; no other folder.
"""
