from __future__ import annotations

from typing import Any

from tfprof_report.compare.comparison import RowStatus, State
from tfprof_report.model.parts.peak_kinds import BufferKind
from tfprof_report.render.tables.peak_tables import holders_table, kinds_table, peak_words
from tfprof_report.report.at_peak import AtPeak, Held


def at_peak(*held: Held, **changes: Any) -> AtPeak:
    is_kind = [each.name is None for each in held]
    fields: dict[str, Any] = {
        "device": "/device:gpu:0",
        "step": 7,
        "micros": 1500,
        "peak": 4096,
        "base_peak": None,
        "kinds": tuple(each for each, kind in zip(held, is_kind, strict=True) if kind),
        "holders": tuple(each for each, kind in zip(held, is_kind, strict=True) if not kind),
        "holder_count": is_kind.count(False),
    }
    return AtPeak(**{**fields, **changes})


def texts(table: Any) -> list[list[str]]:
    return [[cell.text for cell in row] for row in table.rows]


KINDS = (
    Held(kind=BufferKind.ACTIVATIONS, base=None, head=3072),
    Held(kind=BufferKind.NOT_RECORDED, base=None, head=None),
)


def test_the_sentence_says_which_peak_it_is() -> None:
    assert peak_words(at_peak()) == (
        "The highest peak: 4.00 KiB on /device:gpu:0 in step 7, 1.50 ms after its first allocation."
    )
    assert peak_words(at_peak(micros=None, device="a\nb")).endswith("on a\\nb in step 7.")


def test_kinds_have_their_share_of_the_peak_and_unknown_is_no_number() -> None:
    table = kinds_table(at_peak(*KINDS))
    assert [column.label for column in table.columns] == ["Kind", "Held", "Share of the peak"]
    assert texts(table) == [["activations", "3.00 KiB", "75.00 %"], ["not recorded", "unknown", "\N{EN DASH}"]]
    assert [note.partition(":")[0] for note in table.notes] == ["Activations", "Not recorded"]


def test_in_a_comparison_the_kind_that_changed_most_comes_first_an_unknown_change_last() -> None:
    sizes = {BufferKind.NOT_RECORDED: (None, 9000), BufferKind.ACTIVATIONS: (5, 6), BufferKind.GRADIENTS: (2048, 1024)}
    held = (
        Held(kind=kind, base=base, head=head, delta=None if base is None else head - base, state=State.CHANGED)
        for kind, (base, head) in sizes.items()
    )
    rows = texts(kinds_table(at_peak(*held, base_peak=2048)))
    assert [row[0] for row in rows] == ["gradients", "activations", "not recorded"]


def test_a_comparison_shows_both_sides_and_the_change() -> None:
    kind = BufferKind.GRADIENTS
    found = at_peak(
        Held(kind=kind, base=2048, head=1024, delta=-1024, percent=-50.0, state=State.CHANGED),
        Held(
            kind=kind, name="a", base=8, head=6, status=RowStatus.CHANGED, delta=-2, percent=-25.0, state=State.CHANGED
        ),
        Held(kind=kind, name="b", base=None, head=5, status=RowStatus.NEW, delta=5),
        Held(kind=kind, name="c", base=4, head=None, status=RowStatus.REMOVED, delta=-4),
        base_peak=2048,
    )
    assert texts(kinds_table(found)) == [
        ["gradients", "2.00 KiB", "1.00 KiB", "\N{MINUS SIGN}1.00 KiB", "\N{MINUS SIGN}50.00 %"]
    ]
    table = holders_table(found, 3)
    assert table is not None
    assert [column.label for column in table.columns] == ["Node", "Kind", "Status", "Base", "Head", "Delta", "Change"]
    assert texts(table) == [
        ["a", "gradients", "changed", "8 B", "6 B", "\N{MINUS SIGN}2 B", "\N{MINUS SIGN}25.00 %"],
        ["b", "gradients", "new", "\N{EN DASH}", "5 B", "+5 B", "\N{EN DASH}"],
        ["c", "gradients", "removed", "4 B", "\N{EN DASH}", "\N{MINUS SIGN}4 B", "\N{EN DASH}"],
    ]


def test_nodes_beyond_the_limit_are_counted() -> None:
    nodes = [Held(kind=BufferKind.WEIGHTS, name=name, base=None, head=2048) for name in "abc"]
    table = holders_table(at_peak(*nodes), 2)
    assert table is not None
    assert texts(table) == [["a", "weights", "2.00 KiB", "50.00 %"], ["b", "weights", "2.00 KiB", "50.00 %"]]
    assert table.left_out == "Shows 2 of 3 nodes and kinds; 1 is left out (peak.parquet)."
    assert holders_table(at_peak(), 2) is None
