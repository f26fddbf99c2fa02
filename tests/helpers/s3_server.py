"""A local S3 server, which counts the requests that it gets."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def s3_server() -> Iterator[str]:
    """Run a local S3 server with an empty bucket called ``bucket``; its address is the result."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    process = subprocess.Popen(
        [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        address = f"127.0.0.1:{port}"
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        request = urllib.request.Request(f"http://{address}/bucket", method="PUT")
        urllib.request.urlopen(request).close()
        yield address
    finally:
        process.terminate()
        process.wait()


def s3_url(address: str, path: str) -> str:
    """Return the URL of a path in the bucket of a local server."""
    return f"s3://key:secret@bucket/{path}?region=us-east-1&scheme=http&endpoint_override={address}"
