"""Addresses that a report links to: where it is published, and the page of a commit. Nothing is ever fetched."""

from __future__ import annotations

import re
from urllib.parse import quote, urlsplit

from tfprof_report.errors import OptionError
from tfprof_report.record import record

PLACE = "{commit}"
"""Where a template has the id of a commit."""

REPORT_URL, COMMIT_URL = "--report-url", "--commit-url"

_ADDRESS = re.compile(r"https?://[A-Za-z0-9\-._~:/?#\[\]!$&'()*+,;=%]+", re.IGNORECASE)
"""The characters of RFC 3986 but "@", which precedes a host only after a user name or a password."""


@record
class Links:
    """Where a report is published, and the template for the page of a commit; None where there is none."""

    report: str | None = None
    commit: str | None = None

    def of_commit(self, commit: str | None) -> str:
        """Return the address of a commit's page; empty without a commit or a template."""
        if not commit or self.commit is None:
            return ""
        return self.commit.replace(PLACE, quote(commit, safe="", errors="replace"))


def read_links(report_url: str | None, commit_url: str | None, *, option: str = REPORT_URL) -> Links:
    """Return links to addresses that a browser opens without running anything; `option` gave that of the report.

    Raises
    ------
    OptionError
        One is not an address of http or https, has a user name, or the template has no single place for the id.
    """
    if report_url is not None:
        _check(report_url, option)
    if commit_url is not None:
        if commit_url.count(PLACE) != 1:
            raise OptionError(
                f"has no place, or several places, for the id ({PLACE})",
                option=f'{COMMIT_URL} "{commit_url}"',
                advice=f"write https://example.com/repository/commit/{PLACE}",
            )
        _check(commit_url, COMMIT_URL)
    return Links(report=report_url, commit=commit_url)


def _check(address: str, option: str) -> None:
    written = address.replace(PLACE, "commit")
    try:
        has_host = bool(_ADDRESS.fullmatch(written)) and bool(urlsplit(written).hostname)
    except ValueError:  # brackets that are no IPv6 address
        has_host = False
    if not has_host:
        problem = "is not an address of http or https, with a host and without a user name"
        raise OptionError(problem, option=f'{option} "{address}"', advice="write https://, the host and the path")
    if PLACE in address and urlsplit(written).hostname != urlsplit(address.replace(PLACE, "other")).hostname:
        raise OptionError("has the id in its host", option=f'{option} "{address}"', advice="write it into the path")
