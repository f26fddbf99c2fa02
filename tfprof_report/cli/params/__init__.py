"""The options and arguments of every command as typed dataclasses, with their help texts.
May import `cli.console`, `cli.help` and everything outside `cli`, except what is heavy (pyarrow, pandas): these
modules are imported for `--help`.
"""
