"""The command line: parse, call, print, exit. Heavy imports stay inside commands.
May import everything.
"""
