"""The Python interface: reports, comparisons and histories as objects, as tables of pandas, and in notebooks.
It is a second face of the commands, so it may import everything, of `cli` only what prints nothing; only
`tfprof_report/__init__.py` imports it, when a name of it is first asked for.
"""
