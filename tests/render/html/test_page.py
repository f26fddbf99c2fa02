from __future__ import annotations

import base64
import dataclasses
import hashlib
import re
from html.parser import HTMLParser

import pytest
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from report_builders import BEYOND_DOUBLE, make_comparison_report, make_origin, make_report, make_view

from tfprof_report.compare.gates.verdict import Outcome, Verdict
from tfprof_report.render.html.page import render_html
from tfprof_report.render.tables.cells import visible

HOSTILE = "</script><b>|`x`\n\u202e\x00\"' onclick=alert(1) &amp;"
LEVEL = 2 * "\N{NO-BREAK SPACE}"


class Page(HTMLParser):
    """A parsed page: tables by caption, all tags, all attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: dict[str, list[list[tuple[str, dict[str, str]]]]] = {}
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str]] = []
        self.text: list[str] = []
        self._caption: list[str] | None = None
        self._cell: tuple[list[str], dict[str, str]] | None = None
        self._tag = ""
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self.tags.append(tag)
        self._tag = tag
        self.attributes += given.items()
        if tag == "caption":
            self._caption = []
        elif tag == "tr":
            self.tables["".join(self._caption or [])].append([])
        elif tag in ("td", "th"):
            self._cell = ([], given)

    def handle_endtag(self, tag: str) -> None:
        if tag == "caption":
            self.tables["".join(self._caption or [])] = []
        elif tag in ("td", "th") and self._cell:
            words, given = self._cell
            self.tables["".join(self._caption or [])][-1].append(("".join(words), given))
            self._cell = None

    def handle_data(self, data: str) -> None:
        if self._tag not in ("style", "script"):
            self.text.append(data)
        if self._cell is not None:
            self._cell[0].append(data)
        elif self._caption is not None and "".join(self._caption) not in self.tables:
            self._caption.append(data)

    @property
    def words(self) -> str:
        """The visible text: all but that of styles and scripts."""
        return "".join(self.text)

    def rows(self, caption: str) -> list[list[str]]:
        return [[text for text, _ in row] for row in self.tables[caption]]

    def cell(self, caption: str, row: int, column: int) -> tuple[str, dict[str, str]]:
        return self.tables[caption][row][column]


def test_totals_are_scaled_and_keep_the_exact_figure() -> None:
    page = Page(render_html(make_report()))
    assert page.rows("Totals over all nodes")[1:3] == [
        ["Parameters", "9.01 P", "known for 2 of 2 nodes"],
        ["FLOPs", "at least 17.63 G", "1 of 3 FLOP-capable nodes counted"],
    ]
    _, attributes = page.cell("Totals over all nodes", 1, 1)
    assert attributes["title"] == "9,007,199,254,740,993"
    assert int(attributes["data-key"]) == BEYOND_DOUBLE


def test_an_unknown_figure_says_so_and_sorts_by_nothing() -> None:
    text, attributes = Page(render_html(make_report())).cell("Totals over all nodes", 4, 1)
    assert (text, attributes["data-key"]) == ("unknown", "")


@pytest.mark.parametrize(
    ("outcome", "words"),
    [
        (Outcome.OK, "May be merged"),
        (Outcome.FAILED, "Do not merge yet"),
        (Outcome.INCONCLUSIVE, "Undecided"),
        (Outcome.NO_BASELINE, "Not compared: there is no baseline"),
        (Outcome.NOT_JUDGED, "Nothing was judged: no gates were set"),
    ],
)
def test_the_verdict_is_in_words_before_any_table(outcome: Outcome, words: str) -> None:
    html = render_html(make_report(verdict=Verdict(text="What & why.", outcome=outcome)))
    word = outcome.upper()
    before = html.partition("<table")[0]
    assert f'</span> {words}</h2>\n<p class="reason">FLOPs at least 17.63 G, parameters 9.01 P' in before
    assert '<p class="note">What &amp; why.</p>' in before
    assert f"<title>{word}: resnet50 - tfprof report</title>" in before


def test_a_comparison_shows_both_sides_of_every_total() -> None:
    rows = Page(render_html(make_comparison_report())).rows("Totals over all nodes, base against head")
    known = ["10 of 12", "11 of 12"]
    assert rows[1][:6] == ["FLOPs", "at least 1.71 k", "at least 4.00 M", "+4.00 M", "+234,578 %", "changed"]
    assert rows[3][:6] == ["Op time", "at least 12.50 us", "unknown", "unknown", "lost", "lost"]
    peaks = ["at least 1.00 GiB", "at least 3.00 GiB"]
    assert rows[4] == ["Device peak memory", *peaks, "+2.00 GiB", "+200.00 %", "changed", *known]


def test_gates_that_did_not_pass_come_first() -> None:
    rows = Page(render_html(make_comparison_report())).rows("Gates and their outcomes")
    assert [row[:2] for row in rows[1:]] == [["params <= +0", "failed"], ["float_ops <= 1T", "passed"]]


def test_nodes_that_grew_and_improvements_are_ranked_by_what_they_changed_brought_or_took() -> None:
    page = Page(render_html(make_comparison_report()))
    assert page.rows("FLOPs: nodes that grew most")[1:] == [
        ["fc/new", "MatMul", "new", "\N{EN DASH}", "4.00 M", "+4.00 M", "\N{EN DASH}"],
        ["fc/MatMul", "MatMul", "changed", "1.00 k", "1.25 k", "+250", "+25.00 %"],
    ]
    assert page.rows("FLOPs: nodes that shrank most")[1:] == [
        ["fc/old", "MatMul", "removed", "700", "\N{EN DASH}", "\N{MINUS SIGN}700", "\N{EN DASH}"],
    ]


def test_a_node_that_became_known_is_counted_next_to_the_ranking() -> None:
    html = render_html(make_comparison_report())
    assert "Requested memory: changed between known and unknown, so without a difference: 1 node." in html


def test_changes_by_view_leave_out_unchanged_rows() -> None:
    rows = Page(render_html(make_comparison_report())).rows("Changes by scope")
    assert [row[:2] for row in rows[2:]] == [["fc/new", "new"], ["fc/old", "removed"], ["fc/MatMul", "changed"]]
    assert rows[0] == ["Name", "Status", "FLOPs", "Parameters", "Requested memory"]
    assert rows[4][2:10] == ["1.00 k", "1.25 k", "+250", "+25.00 %", "0", "9.01 P", "+9.01 P", "new from 0"]


def test_a_tree_shows_leaves_indented_with_the_full_name_at_hand() -> None:
    view = make_view("scope", ["a", "a/b"], {"params": [3, 2]}, depths=[1, 2], own={"params": [1, 2]})
    page = Page(render_html(make_report(views={"scope": view})))
    assert page.rows("Scope view") == [["Name", "Parameters"], ["a", "3"], [LEVEL + "b", "2"]]
    text, attributes = page.cell("Scope view", 2, 0)
    assert (text, attributes["title"]) == (LEVEL + "b", "a/b")


def test_a_figure_that_no_row_has_is_named_instead_of_shown() -> None:
    html = render_html(make_report())
    assert Page(html).rows("Op view") == [["Name", "Parameters"], ["Conv2D", "9.01 P"]]
    assert "No row has a figure for: Op time." in html


def test_a_view_with_more_rows_than_fit_says_how_many_are_left_out() -> None:
    names = [f"node{i}" for i in range(2100)]
    html = render_html(make_report(views={"op": make_view("op", names, {"params": [*range(2100)]})}))
    assert len(Page(html).rows("Op view")) == 2001
    assert "Shows 2,000 of 2,100 rows, upper levels first; 100 are left out (op.parquet)." in html


def test_diagnostics_come_warnings_first_with_their_examples() -> None:
    rows = Page(render_html(make_report())).rows("What a reader of the numbers should know")
    assert rows[1:] == [
        ["warning", "Records of no node (unmatched)", "1,234", "loss/a, loss/b"],
        ["note", "Scopes without a node (implied_scopes)", "2", ""],
    ]


def test_provenance_names_inputs_of_both_sides_with_their_digests() -> None:
    page = Page(render_html(make_comparison_report()))
    assert [row[:4] + row[6:] for row in page.rows("Input files")[1:3]] == [
        ["base/graph.pb", "base", "graph", "", "ab" * 32],
        ["base/run.pb", "base", "run_meta", "7", "cd" * 32],
    ]
    assert page.rows("What was measured")[1][:3] == ["base", "resnet50", "fedcba9876543210fedc"]
    assert ["Semantics", "corrected"] in page.rows("Settings")
    assert ["unknown", "NULL, never 0"] in page.rows("Unit conventions")


def test_the_page_asks_nobody_for_anything() -> None:
    html = render_html(make_comparison_report())
    page = Page(html)
    links = [value for name, value in page.attributes if name in ("src", "href", "action", "srcset", "poster", "data")]
    assert [link for link in links if not link.startswith(("#", "data:"))] == []
    assert not re.search(r"url\((?!#)", html)  # only within the page
    assert "@import" not in html


def test_the_policy_lets_only_our_own_style_and_script_run() -> None:
    html = render_html(make_comparison_report())
    style, script = (
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for tag, start in (("style", "<style>"), ("script", '<script type="module">'))
        for text in re.findall(f"{start}(.*?)</{tag}>", html, re.DOTALL)
    )
    policy = f"default-src 'none'; img-src data:; style-src 'sha256-{style}'; script-src 'sha256-{script}'"
    assert ("content", policy) in Page(html).attributes


def test_no_element_has_a_style_of_its_own() -> None:
    view = make_view("scope", ["a", "a/b"], {"params": [3, 2]}, depths=[1, 2], own={"params": [1, 2]})
    page = Page(render_html(make_comparison_report(views={"scope": view})))
    assert "style" not in [name for name, _ in page.attributes]


def test_sections_are_in_the_order_in_which_readers_want_them() -> None:
    html = render_html(make_comparison_report())
    found = re.findall('<section id="([^"]+)"', html)
    first = ["pictures", "gates", "changes", "improvements", "view-scope", "view-op", "totals"]
    assert found == [*first, "memory", "view-changes", "diagnostics", "provenance", "conventions"]
    assert re.findall('<li><a href="#([^"]+)"', html) == ["summary", *found]


def test_every_table_has_a_caption_and_every_header_a_scope() -> None:
    page = Page(render_html(make_comparison_report()))
    assert page.tags.count("caption") == page.tags.count("table") == len(page.tables)
    scopes = [value for name, value in page.attributes if name == "scope"]
    assert len(scopes) == page.tags.count("th")
    assert page.tags.count("h1") == 1


def test_ids_are_unique_and_every_link_has_its_target() -> None:
    page = Page(render_html(make_comparison_report()))
    ids = [value for name, value in page.attributes if name == "id"]
    assert len(ids) == len(set(ids))
    assert {value[1:] for name, value in page.attributes if name == "href" and value.startswith("#")} <= set(ids)


def test_a_hostile_name_is_text_and_adds_no_tag() -> None:
    usual, hostile = (Page(render_html(make_comparison_report((name, "b", "c", "d")))) for name in ("a", HOSTILE))
    assert hostile.tags == usual.tags
    assert visible(HOSTILE) in [row[0] for row in hostile.rows("FLOPs: nodes that grew most")]
    assert not [name for name, _ in hostile.attributes if name.startswith("on")]


@given(st.text(min_size=1, max_size=40))
@settings(max_examples=examples(25), deadline=None)
def test_any_name_survives_the_page(name: str) -> None:
    page = Page(render_html(make_comparison_report((name, "b", "c", "d"))))
    assert visible(name) in [row[0] for row in page.rows("FLOPs: nodes that grew most")]


def test_no_figure_is_not_a_number() -> None:
    view = make_view("op", ["a", "b"], {"micros": [float("nan"), float("inf")], "params": [1, 1]})
    page = Page(render_html(make_report(views={"op": view})))
    assert not re.search(r"\b(nan|inf|infinity)\b", page.words, re.IGNORECASE)


def test_the_same_report_gives_the_same_page() -> None:
    report = make_comparison_report()
    assert render_html(report) == render_html(dataclasses.replace(report))


def test_a_missing_commit_of_a_side_is_reported() -> None:
    report = make_report(origin=make_origin(commit=None))
    assert Page(render_html(report)).rows("What was measured")[1][2] == "not given"


def test_paper_gets_the_upper_levels_of_a_long_tree() -> None:
    names = [name for top in range(60) for name in (f"{top}", f"{top}/a")]
    view = make_view("scope", names, {"params": [1] * 120}, depths=[1, 2] * 60)
    html = render_html(make_report(views={"scope": view}))
    rows = re.findall(
        '<tr(?: id="[^"]+")?( class="more")?><th scope="row"[^>]*>([^<]*)<', html[html.index("Scope view") :]
    )[:120]
    left_out = [name for mark, name in rows if mark]
    assert left_out == [LEVEL + "a"] * 20
    assert [name for mark, name in rows if not mark][:4] == ["0", LEVEL + "a", "1", LEVEL + "a"]
    assert "On paper: 100 of these rows, upper levels first." in html
