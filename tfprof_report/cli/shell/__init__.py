"""tfprof's interactive shell: its command lines, the prompt with completion, and the loop that answers.
May import `cli.commands`, `cli.inputs`, `cli.params`, `cli.console` and everything outside `cli`.
Only `cli.groups` imports it, when the command runs.
"""
