"""The command line: parse options and the rules file, call, print, exit.
May import every other package. Inside, each imports only what follows it: main, groups, shell, commands, config and
inputs, params, console and help. Heavy imports (pyarrow, pandas) wait until a command runs, so that --help is fast.
"""
