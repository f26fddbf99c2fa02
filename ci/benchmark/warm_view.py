"""Run a command on a tiny model, then on the model to measure in the same process, and say how much CPU that took.

    python warm_view.py TINY FOLDER scope --max-depth 100 ...

The first call has imported all that the second needs, so that no start is counted.
"""

from __future__ import annotations

import json
import sys
import time

from tfprof_report.cli.main import main as command


def call(command_name: str, folder: str, *options: str) -> None:
    """Run the command in this process.

    Raises
    ------
    SystemExit
        It ended with another code than 0.
    """
    try:
        command([command_name, folder, *options])
    except SystemExit as end:
        if end.code:
            raise


def main(tiny: str, folder: str, command_name: str, *options: str) -> None:
    """Warm up, then measure."""
    call(command_name, tiny, *options)
    started = time.process_time()
    call(command_name, folder, *options)
    print("\n" + json.dumps({"bench-call-cpu": time.process_time() - started}))


if __name__ == "__main__":
    main(*sys.argv[1:])
