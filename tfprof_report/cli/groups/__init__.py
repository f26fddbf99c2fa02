"""What `cli.main` knows of each command: its name, help, parameters, and which function runs it.
A module declares commands that share parameters; only that of the command that runs is imported, since to make the
classes of all takes longer than the command. May import `cli.shell` and `cli.commands` (inside functions) and below.
"""
