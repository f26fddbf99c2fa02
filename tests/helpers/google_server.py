"""A local server of Google Cloud Storage."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress


@contextmanager
def google_server() -> Iterator[str]:
    """Run a local server with an empty bucket called ``bucket``; its address is the result."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = ("start", "--host", "127.0.0.1", "--port", str(port), "--in-memory", "--default-bucket", "bucket")
    process = subprocess.Popen(
        [sys.executable, "-m", "gcp_storage_emulator", *command], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        for _ in range(200):
            with suppress(OSError), socket.create_connection(("127.0.0.1", port)):
                break
            time.sleep(0.1)
        yield f"127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


def google_url(address: str, path: str) -> str:
    """Return the URL of a path in the bucket of a local server."""
    return f"gs://anonymous@bucket/{path}?scheme=http&endpoint_override={address}"
