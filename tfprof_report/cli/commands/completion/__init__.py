"""The scripts with which bash, zsh and fish complete commands, options and their values.
The scripts know everything by themselves: no Python starts at a key press. May import `cli.call` and below.
"""
