"""The four views as forests in preorder over the node table, and the queries that select their rows.
May import model, ingest, schema and the modules directly in tfprof_report except job and models_job.
"""
