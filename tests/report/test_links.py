"""Addresses that a report links to: only those that a browser opens without running anything."""

from __future__ import annotations

import pytest

from tfprof_report.errors import OptionError
from tfprof_report.report.links import Links, read_links

TEMPLATE = "https://github.com/o/r/commit/{commit}"


def test_a_commit_takes_its_place_in_the_template() -> None:
    links = read_links("http://ci.example.com:8080/job/1?a=b#c", TEMPLATE)
    assert links.report == "http://ci.example.com:8080/job/1?a=b#c"
    assert links.of_commit("0123abc") == "https://github.com/o/r/commit/0123abc"
    assert links.of_commit(None) == Links().of_commit("0123abc") == ""


@pytest.mark.parametrize("commit", ["a/b", "><script>", "a b", 'x" onclick="', "ü\ud800", ")](x"])
def test_no_commit_can_leave_its_place(commit: str) -> None:
    end = read_links(None, TEMPLATE).of_commit(commit).removeprefix(TEMPLATE.removesuffix("{commit}"))
    assert not set(end) & set("/<>\"' ()[]?#")
    assert end.isascii()


@pytest.mark.parametrize(
    "address",
    [
        *("", "javascript:alert(1)", "data:text/html,x", "ftp://example.com/", "//example.com/", "report.html"),
        *("https://", "https:///path", "https://user:secret@example.com/", "https://exa mple.com/", "https://[x/"),
        *("https://example.com/>x", 'https://example.com/"x', "https://example.com/\nx", "https://example.com/ü"),
    ],
)
def test_only_addresses_of_the_web_are_taken(address: str) -> None:
    words = "is not an address of http or https, with a host and without a user name"
    with pytest.raises(OptionError, match=f"{words}; write https://, the host and the path"):
        read_links(address, None)
    with pytest.raises(OptionError):
        read_links(None, f"{address}{{commit}}")


def test_a_template_has_one_place_and_not_in_its_host() -> None:
    for template in ("https://example.com/", "https://example.com/{commit}/{commit}"):
        with pytest.raises(OptionError, match="has no place, or several places, for the id"):
            read_links(None, template)
    with pytest.raises(OptionError, match="has the id in its host"):
        read_links(None, "https://{commit}.example.com/")
