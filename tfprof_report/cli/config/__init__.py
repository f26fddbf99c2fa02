"""The rules file: found, read, checked, and put below what the command line gives."""
