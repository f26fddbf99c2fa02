"""What each command does once its options are parsed, one module per command or shared step.
May import `cli.config`, `cli.inputs`, `cli.params`, `cli.console` and everything outside `cli`.
`cli.groups` imports these modules only when their command runs, since they import pyarrow.
"""
