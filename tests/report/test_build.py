"""Totals and coverage of a report, and what is passed through unchanged."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

import pytest
from measured import side_of, view_of

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Acknowledgement, Policy
from tfprof_report.compare.side import Side
from tfprof_report.errors import OptionError
from tfprof_report.report.build_report import build_report, totals_of
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import METRICS, SCHEMA_VERSION, Kind


def report_of(
    head: Side,
    base: Side | None = None,
    *gates: str,
    policy: Policy | None = None,
    timestamp: str = "today",
) -> Report:
    return build_report(
        head,
        base=base,
        policy=policy or Policy(gates=tuple(map(parse_gate, gates))),
        timestamp=timestamp,
        tool_version="1",
    )


def test_totals_are_exact_and_stand_in_the_order_of_every_report() -> None:
    side = side_of(
        {"a": {"params": 2**53, "float_ops": None}, "b": {"params": 1, "float_ops": 3}},
        runs=[("a", 1, {"micros": 1}), ("a", 2, {"micros": 2}), ("b", 2, {"micros": 2**53})],
        steps=(1, 2),
        capable={"float_ops": 2},
    )
    totals = totals_of(side)
    assert [total.stem for total in totals] == list(METRICS)
    found = {total.stem: total for total in totals}
    assert (found["params"].value, found["params"].known, found["params"].capable) == (2**53 + 1, 2, 2)
    assert (found["float_ops"].value, found["float_ops"].known, found["float_ops"].capable) == (3, 1, 2)
    assert found["micros"].value == (2**53 + 3) / 2
    assert found["bytes"].value is None
    assert (found["definition_count"].value, found["definition_count"].known) == (2, 2)


def test_a_mean_that_is_whole_is_an_integer() -> None:
    side = side_of({"a": {}}, runs=[("a", 1, {"micros": 1}), ("a", 2, {"micros": 3})], steps=(1, 2))
    value = {total.stem: total.value for total in totals_of(side)}["micros"]
    assert value == 2
    assert isinstance(value, int)


def test_nothing_measured_is_unknown_and_not_zero() -> None:
    found = {total.stem: total.value for total in totals_of(side_of({}))}
    static = [stem for stem, metric in METRICS.items() if metric.kind is not Kind.RUN]
    assert found == dict.fromkeys(METRICS) | dict.fromkeys(static, 0)  # without nodes there is nothing to count


def test_a_comparison_is_there_with_a_base_only() -> None:
    head = side_of({"a": {"params": 3}}, views={"scope": view_of({"a": {"params": 3}})})
    alone, compared = report_of(head), report_of(head, head, "params <= +0")
    assert alone.comparison is None
    assert compared.comparison is not None
    assert compared.verdict.exit_code == 0
    assert (alone.schema_version, alone.timestamp) == (SCHEMA_VERSION, "today")
    with pytest.raises(OptionError, match="needs a baseline"):
        report_of(head, None, "params <= +0")


@pytest.mark.parametrize(("timestamp", "code"), [("2026-10-01T23:59:59Z", 0), ("2026-10-02T00:00:00Z", 1)])
def test_an_acknowledgement_counts_until_the_day_of_the_report(timestamp: str, code: int) -> None:
    base, head = side_of({"a": {"params": 1}}), side_of({"a": {"params": 2}})
    accepted = Acknowledgement(metric="params", value=Fraction(2), reason="grown", expires=date(2026, 10, 1))
    policy = Policy(gates=(parse_gate("params <= +0"),), acknowledged=(accepted,))
    report = report_of(head, base, policy=policy, timestamp=timestamp)
    assert report.verdict.exit_code == code
    assert [note.code for note in report.diagnostics] == ["acknowledged_expired"] * code
