"""Why a file or an object could not be read, in a few words, without what is for the developers of the client."""

from __future__ import annotations

import os
import re
from textwrap import shorten

_AWS = re.compile(
    r"AWS Error (?P<code>\w+)(?: \(HTTP status (?P<status>\d+)\))? during \w+ operation: "
    r"(?:curlCode: \d+, )?(?P<words>.*?)(?:; Details: .*)?(?: \(Request ID: .*)?$",
    re.DOTALL,
)
_GOOGLE = re.compile(
    r"google::cloud::Status\((?P<code>\w+): (?:.*?last message of )?(?P<words>.*?)(?: error_info=|\)\. Detail|$)",
    re.DOTALL,
)
_DENIED = re.compile(r"ACCESS_DENIED|PERMISSION_DENIED|UNAUTHENTICATED|FORBIDDEN|\b40[13]\b|permission", re.IGNORECASE)
_BODILESS = "No response body"
_CUT = "Transferred a partial file"
_LONGEST = 300
"""Maximum length of a quoted message."""


class ReplacedError(OSError):
    """An object is another one than when its reading began."""

    def __init__(self) -> None:
        super().__init__("it was replaced while it was read")


class CutError(OSError):
    """Of an object fewer bytes arrive than it has."""

    def __init__(self) -> None:
        super().__init__("it ends early: fewer bytes arrive than it has")


def is_denied(problem: BaseException) -> bool:
    """Return whether a server refused access, or that there are credentials for it."""
    return _DENIED.search(str(problem)) is not None


def reason_of(problem: BaseException) -> str:
    """Return why something failed, as a clause."""
    if isinstance(problem, OSError) and problem.errno:
        return os.strerror(problem.errno)
    text = str(problem)
    found = _AWS.search(text)
    if found and found["words"].startswith(_BODILESS):  # the question had an answer without words
        return "access is denied" if is_denied(problem) else f"the server answers {found['status'] or found['code']}"
    if found and found["words"].startswith(_CUT):
        return str(CutError())
    found = found or _GOOGLE.search(text)
    return first_line(found["words"] if found else text)


def advice_on(problem: BaseException) -> str | None:
    """Return what to do where an object could not be read; None where the reason says all."""
    if isinstance(problem, ReplacedError):
        return "run the command again"
    if is_denied(problem):
        return "check the credentials in the environment, and that they may list the bucket and get its objects"
    return None


def first_line(words: str) -> str:
    """Return the first line of a message, shortened, without a full stop."""
    return shorten(next(iter(words.splitlines()), ""), _LONGEST).rstrip(". ")
