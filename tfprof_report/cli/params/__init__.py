"""The options of commands as typer takes them, in panels. Imports nothing heavy."""
