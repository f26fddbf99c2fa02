"""Which reports the coming one can be compared with, by what their summaries say."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tfprof_report.ingest.paths import parse_input_shape
from tfprof_report.model.execution_counts import use_functions
from tfprof_report.model.flops.counting import Counting
from tfprof_report.model.flops.node_flops import wording
from tfprof_report.model.flops.rule import UserRules
from tfprof_report.model.measurement import AS_REPORTS, Measurement
from tfprof_report.model.parts.leave_out import parse_leave_out
from tfprof_report.model.shapes.batch import Batch
from tfprof_report.report.store.usable import PassedOver, Unusable, Wanted, has_failed, passed_words, why_unusable
from tfprof_report.schema.metrics import COUNTING_VERSION, SCHEMA_VERSION
from tfprof_report.semantics import TFPROF

NOW = datetime(2024, 5, 2, 8, 30, tzinfo=UTC)
EXTENDED = Counting(rules="extended")
OWN = Counting(rules="extended", user_rules=UserRules(rules=(), digest="ab" * 32))


def summary(measurement: Measurement = AS_REPORTS, **changes: Any) -> bytes:
    """Return the summary of a report that is counted so."""
    content = {
        "schema_version": SCHEMA_VERSION,
        "counting_version": COUNTING_VERSION,
        "rules": wording(measurement.counting.use(measurement.semantics)),
        "semantics": measurement.semantics_name,
        "options": measurement.as_dict(),
        "side": {"timestamp": "2024-04-02T08:30:00Z"},
        "verdict": {"outcome": "ok", "text": "OK: fine."},
    }
    return json.dumps({**content, **changes}).encode()


OTHERS: dict[str, tuple[Measurement, str]] = {
    "cond": (replace(AS_REPORTS, functions=use_functions("on", "sum", "trip-count")), "--functions, --cond or --loops"),
    "functions": (replace(AS_REPORTS, functions=None), "another --functions, --cond or --loops"),
    "leave out": (replace(AS_REPORTS, leave_out=parse_leave_out(["savers"], [])), "another --leave-out"),
    "outputs": (replace(AS_REPORTS, leave_out=parse_leave_out([], ["x"])), "another --outputs"),
    "semantics": (replace(AS_REPORTS, semantics=TFPROF), "another --semantics"),
    "step": (replace(AS_REPORTS, options=replace(AS_REPORTS.options, step=1)), "another --step"),
    "types": (
        replace(AS_REPORTS, options=replace(AS_REPORTS.options, account_type_regexes=("X",))),
        "another --account-type-regexes",
    ),
    "batch": (replace(AS_REPORTS, batch=Batch(8)), "another --batch"),
    "shapes": (replace(AS_REPORTS, input_shapes=(parse_input_shape("x=2,3", ""),)), "another --input-shape"),
    "count": (replace(AS_REPORTS, counting=replace(EXTENDED, count="contraction")), "the rules extended"),
    "source": (replace(AS_REPORTS, counting=replace(EXTENDED, float_ops_from="rules")), "the rules extended"),
    "rules": (replace(AS_REPORTS, counting=Counting(rules="tfprof")), "tfprof 1"),
    "own rules": (replace(AS_REPORTS, counting=OWN), "+ user rules (sha256 abababababab)"),
}


@pytest.mark.parametrize("how", OTHERS)
def test_a_report_that_is_counted_otherwise_is_no_baseline(how: str) -> None:
    other, words = OTHERS[how]
    for report, coming in ((other, AS_REPORTS), (AS_REPORTS, other)):
        found = why_unusable(summary(report), Wanted(now=NOW, measurement=coming))
        assert found is not None
        assert found[0] is Unusable.COUNTED
        assert words in found[1]
    for coming in (other, None):  # counted so too, or nobody says how
        assert why_unusable(summary(other), Wanted(now=NOW, measurement=coming)) is None


def test_the_signature_is_compared_where_one_is_wanted() -> None:
    one, other = (replace(AS_REPORTS, signature=name) for name in ("serve", "train"))
    assert why_unusable(summary(one), Wanted(now=NOW, measurement=other)) == (
        Unusable.COUNTED,
        "--signature serve, not train",
    )
    for coming in (one, AS_REPORTS, None):
        assert why_unusable(summary(one), Wanted(now=NOW, measurement=coming)) is None


def test_options_that_choose_rows_are_not_compared() -> None:
    other = replace(AS_REPORTS, options=replace(AS_REPORTS.options, max_depth=3, hide_name_regexes=("x",)))
    assert why_unusable(summary(other), Wanted(now=NOW, measurement=AS_REPORTS)) is None


@pytest.mark.parametrize(
    ("changes", "kind", "words"),
    [
        ({"schema_version": SCHEMA_VERSION - 1}, None, ""),
        ({"schema_version": SCHEMA_VERSION - 2}, Unusable.SCHEMA, f"version {SCHEMA_VERSION - 2}, this version reads"),
        ({"schema_version": SCHEMA_VERSION + 1}, Unusable.SCHEMA, f"version {SCHEMA_VERSION + 1}, this version reads"),
        ({"schema_version": "x"}, Unusable.SCHEMA, "version x, this version reads"),
        ({"counting_version": COUNTING_VERSION - 1}, Unusable.VERSION, f"counting version {COUNTING_VERSION - 1}, not"),
        ({"counting_version": COUNTING_VERSION + 1}, Unusable.VERSION, f"counting version {COUNTING_VERSION + 1}, not"),
        ({"rules": "extended 1"}, Unusable.VERSION, "the rules extended 1, not extended"),
        ({"options": 3}, Unusable.DAMAGED, "its summary holds something else"),
        ({"semantics": "none"}, Unusable.DAMAGED, "its summary holds something else"),
    ],
)
def test_a_report_of_another_version_is_no_baseline_whoever_asks(
    changes: dict[str, object], kind: Unusable | None, words: str
) -> None:
    for coming in (None, AS_REPORTS):
        found = why_unusable(summary(**changes), Wanted(now=NOW, measurement=coming))
        assert (found[0] if found else None) is kind
        assert words in (found[1] if found else "")


@pytest.mark.parametrize("content", [b"", b"[]", b"3", b"{}", b"[" * 100_000, b"\xff"])
def test_what_is_no_summary_is_damaged(content: bytes) -> None:
    found = why_unusable(content, Wanted(now=NOW))
    assert found is not None
    assert found[0] is Unusable.DAMAGED
    assert not has_failed(content)


@pytest.mark.parametrize(
    ("days", "time", "words"),
    [
        (30, "2024-04-02T08:30:00Z", None),
        (29, "2024-04-02T08:30:00Z", "30 days old, 29 days are allowed"),
        (0, "2024-06-02T08:30:00Z", None),
        (99, "nightly", 'its time, "nightly", is not a date'),
        (99, None, 'its time, "None", is not a date'),
    ],
)
def test_a_report_may_be_too_old(days: int, time: str | None, words: str | None) -> None:
    wanted = Wanted(now=NOW, most_age=timedelta(days=days))
    found = why_unusable(summary(side={"timestamp": time}), wanted)
    assert found == ((Unusable.OLD, words) if words else None)
    assert why_unusable(summary(side={"timestamp": time}), Wanted(now=NOW)) is None


@pytest.mark.parametrize("outcome", ["ok", "not judged", "no baseline", "inconclusive", "failed"])
def test_only_failed_gates_count_against_a_report(outcome: str) -> None:
    data = summary(verdict={"outcome": outcome, "text": "words"})
    assert has_failed(data) == (outcome == "failed")
    assert why_unusable(data, Wanted(now=NOW)) is None
    found = why_unusable(data, Wanted(now=NOW, last_good=True))
    assert found == ((Unusable.FAILED, "words") if outcome == "failed" else None)


def test_each_kind_is_one_sentence_with_a_count_and_the_nearest_report() -> None:
    kinds = (Unusable.OLD, Unusable.COUNTED, Unusable.OLD)
    passed = [PassedOver(path=f"p{at}", kind=kind, why=f"w{at}") for at, kind in enumerate(kinds)]
    assert passed_words(passed) == [
        "1 report passed over, counted otherwise, such as p1: w1",
        "2 reports passed over, too old, such as p0: w0",
    ]
