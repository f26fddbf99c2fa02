"""Lists that git wrote, as any shell redirects them into a file."""

from __future__ import annotations

import codecs

from tfprof_report.errors import InputError


def git_lines(data: bytes, *, file: str, option: str, advice: str) -> list[str]:
    """Return the lines of a list; UTF-16 is accepted, since Windows PowerShell writes redirected output so.

    Raises
    ------
    InputError
        The content is not text.
    """
    is_wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    try:
        return data.decode("utf-16" if is_wide else "utf-8-sig").splitlines()
    except UnicodeDecodeError as error:
        raise InputError("is not text", file=file, option=option, advice=advice) from error
