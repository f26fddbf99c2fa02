"""Run the command line with ``python -m tfprof_report``."""

from tfprof_report.cli.main import main

main()
