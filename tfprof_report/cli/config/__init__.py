"""The rules file: find, read and check it, and merge it with the command line, which takes precedence.
May import `cli.params`, `cli.console` and everything outside `cli`; not `cli.inputs`, nor commands.
The keys, their help and the JSON Schema are derived from the options in `cli.params`.
"""
