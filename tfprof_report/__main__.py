"""The command line without its script: ``python -m tfprof_report``."""

from tfprof_report.cli.main import main

main()
