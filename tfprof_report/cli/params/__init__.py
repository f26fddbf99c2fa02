"""The values of commands as typed objects, with the words of their help. Imports nothing heavy."""
