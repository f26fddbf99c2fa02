"""URLs of object stores as text: how they are joined and taken apart, and shown without what is not for every reader.

A URL is ``s3://BUCKET/KEY?PARAMETERS``. Its key may be percent-encoded, and has to be where it contains ``?``.
"""

from __future__ import annotations

import re
from urllib.parse import quote, unquote

_URL = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+://")
_BUCKET = re.compile(r"(?i:s3|gs|gcs)://(?P<authority>[^/?]*)")
"""The start of the URL of an object in a bucket, whose name has neither ``:`` nor ``@``."""

_SECRET = re.compile(r"//[^@?]*:[^?]*@")
"""Credentials between scheme and place; a key may contain unescaped slashes."""

_IN_A_LINE = re.compile(r"\b(?i:s3|gs|gcs)://[^\s\"']*[^\s\"';,:)]")
_ANONYMOUS = "anonymous"
"""The user in a URL for whom Google Cloud Storage looks for no credentials."""

_READABLE = "!$&'()*+,;=:@~"
"""Characters that stay as they are in the name of an object, besides letters, digits, and _.-"""


def is_url(text: str) -> bool:
    """Return whether `text` is a URL, and no path on this machine."""
    return "://" in text and _URL.match(text) is not None


def is_object_url(text: str) -> bool:
    """Return whether `text` is a URL of a bucket, or of what is in one: ``s3://`` or ``gs://``."""
    return _BUCKET.match(text) is not None


def has_credentials(url: str) -> bool:
    """Return whether the URL of an object has credentials in it."""
    found = _BUCKET.match(url)
    if found is None:
        return _SECRET.search(url) is not None
    user, at, _ = found["authority"].rpartition("@")
    return ":" in found["authority"] or (bool(at) and user != _ANONYMOUS)


def name_of(text: str) -> str:
    """Return a path as it is, and a URL without credentials and parameters: the name to show."""
    if not is_url(text):
        return text
    plain, _ = split_parameters(text)
    found = _BUCKET.match(plain)
    if found is None:
        return _SECRET.sub("//", plain, count=1)
    scheme, rest = plain.split("://", 1)
    if ":" in found["authority"]:  # the key of a user may have slashes
        return f"{scheme}://{rest.rpartition('@')[2] if '@' in rest else ''}"
    is_named = "@" in found["authority"]
    return f"{scheme}://{rest.partition('@')[2] if is_named else rest}"


def split_parameters(text: str) -> tuple[str, str]:
    """Return a path with nothing, and a URL without its parameters, and these with the ``?`` before them."""
    plain, mark, parameters = text.partition("?") if is_url(text) else (text, "", "")
    return plain, mark + parameters


def show_names(line: str) -> str:
    """Return a line of text in which each URL of an object is its name."""
    return _IN_A_LINE.sub(lambda found: name_of(found[0]), line) if "://" in line else line


def bucket_of(url: str) -> tuple[str, str]:
    """Return the URL of the bucket, with the parameters, and the path of an object in the file system of that."""
    plain, parameters = split_parameters(url)
    scheme, rest = plain.split("://", 1)
    authority, _, key = rest.partition("/")
    path = "/".join((authority.rpartition("@")[2], unquote(key))).rstrip("/")
    return f"{scheme}://{authority}{parameters}", path


def join_url(folder: str, name: str) -> str:
    """Return the URL of `name`, or of a relative path, below that of a folder, with the same parameters."""
    plain, parameters = split_parameters(folder)
    return f"{plain.rstrip('/')}/{quote(name, safe='/' + _READABLE)}{parameters}"


def last_part(url: str) -> str:
    """Return the last part of the key, decoded: the name of a file or folder; that of the bucket without a key."""
    return bucket_of(url)[1].rpartition("/")[2]


def folder_of(url: str) -> str:
    """Return the URL of the folder that an object is in, with the same parameters."""
    plain, parameters = split_parameters(url)
    return f"{plain.rstrip('/').rpartition('/')[0]}{parameters}"
