"""Runs the command line in forks of a process that has imported it: starting takes longer than a tiny report.

The client is a script that takes the place of `tfprof-report`: it hands its arguments, folder, environment and streams
to the process, and ends with the exit code of the fork.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path

from tfprof_report.cli.main import main

_CLIENT = """#!{python} -IS
import json, os, socket, sys
server = socket.socket(socket.AF_UNIX)
server.connect({address!r})
words = json.dumps([sys.argv[1:], os.getcwd(), dict(os.environ)]).encode()
socket.send_fds(server, [len(words).to_bytes(4, "big")], [0, 1, 2])
server.sendall(words)
sys.exit(ord(server.recv(1)))
"""


@contextmanager
def forked_command(folder: Path) -> Iterator[Path]:
    """Start the process, and yield the path of the client, which is in `folder`."""
    address, client = folder / "socket", folder / "tfprof-report"
    with subprocess.Popen([sys.executable, __file__, address], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == b"ready\n"
            client.write_text(_CLIENT.format(python=sys.executable, address=str(address)))
            client.chmod(0o755)
            yield client
        finally:
            process.terminate()


def _serve(address: str) -> None:
    for module in ("baseline", "report"):  # which commands import when they run
        import_module(f"tfprof_report.cli.commands.{module}")
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        os.write(1, b"ready\n")
        while True:
            client = listener.accept()[0]
            if os.fork() == 0:
                os._exit(_run(client))
            client.close()


def _run(client: socket.socket) -> int:
    """Run the command in this fork, and send its exit code."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    size, streams, *_ = socket.recv_fds(client, 4, 3)
    with client.makefile("rb") as words:
        sys.argv[1:], folder, environment = json.loads(words.read(int.from_bytes(size, "big")))
    for target, stream in enumerate(streams):
        os.dup2(stream, target)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    try:
        main(sys.argv[1:])
        code = 0
    except SystemExit as stop:
        code = stop.code if isinstance(stop.code, int) else int(stop.code is not None)
    sys.stdout.flush()
    client.sendall(bytes([code]))
    return code


if __name__ == "__main__":
    _serve(sys.argv[1])
