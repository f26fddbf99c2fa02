"""Puts files into the bucket of a local server, and names them by URL."""

from __future__ import annotations

import urllib.request
from pathlib import Path
from urllib.parse import quote

import pytest

_HEADERS = {
    "Authorization": "AWS4-HMAC-SHA256 Credential=key/20240502/us-east-1/s3/aws4_request, SignedHeaders=, Signature=x",
    "Content-Type": "application/octet-stream",
}
"""The server wants a signature, and checks none."""


def put(address: str, key: str, data: bytes) -> None:
    """Write an object into the bucket of a local S3 server."""
    _send(address, key, "PUT", data)


def _send(address: str, key: str, method: str, data: bytes | None = None) -> None:
    url = f"http://{address}/bucket/{quote(key)}"
    request = urllib.request.Request(url, data=data, method=method, headers=_HEADERS)
    urllib.request.urlopen(request, timeout=30).close()


def put_folder(address: str, folder: Path, key: str) -> None:
    """Write the files below a folder into the bucket."""
    for file in sorted(folder.rglob("*")):
        if file.is_file():
            put(address, f"{key}/{file.relative_to(folder).as_posix()}", file.read_bytes())


def delete(address: str, key: str) -> None:
    """Delete an object."""
    _send(address, key, "DELETE")


def object_url(address: str, path: str) -> str:
    """Return the URL of a path in the bucket, without credentials."""
    return f"s3://bucket/{path}?region=us-east-1&scheme=http&endpoint_override={address}"


def set_credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give the client some credentials by the environment."""
    monkeypatch.setenv("AWS_ACCESS_KEY_ID", "KEYOFTEST")
    monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", "SECRETOFTEST")
