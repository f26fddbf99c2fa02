"""Gates compared with a slow reference in plain dicts and fractions, without columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date, timedelta
from fractions import Fraction
from typing import NamedTuple

from exact_limits import holds
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from measured import side_of

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.judge import judge
from tfprof_report.compare.gates.policy import Acknowledgement, Bound, Gate, Policy, Subject
from tfprof_report.compare.gates.verdict import GateStatus
from tfprof_report.compare.matching.name_map import NameMap
from tfprof_report.compare.side import Side

TODAY = date(2026, 1, 1)
GLOBS = {  # and which names of nodes, scopes and op types each matches
    "**": {"a", "a/b", "a/b/c", "ab", "d", "d/c", "X", "Y"},
    "a/**": {"a/b", "a/b/c"},
    "*": {"a", "ab", "d", "X", "Y"},
    "**/c": {"a/b/c", "d/c"},
    "a*": {"a", "ab"},
    "[!a]*/?": {"d/c"},
    "X": {"X"},
    "": {""},  # the whole model
}
NAMES = ["a", "a/b", "a/b/c", "ab", "d/c"]
SCOPES = [*NAMES, "d"]
STATIC = [None, 0, 0, 1, 99, 100, 100, 101, 2**53 + 1, 2**63 - 2, 2**63 - 1]
MEASURED = [*STATIC, -1, -100, -101, 1 - 2**63]
LIMITS = ["1", "101", str(2**63 - 1), "+0", "-1", "+1", "+100", "+1%", "-1%", "-0.5%", "+99.999%", f"+{2**62}"]


class PlainSide(NamedTuple):
    """Op, parameters and bytes in each step, per node."""

    nodes: Mapping[str, tuple[str, int | None, list[int | None]]]
    steps: int

    def measured(self) -> Side:
        return side_of(
            {name: {"params": params} for name, (_, params, _) in self.nodes.items()},
            ops={name: op for name, (op, _, _) in self.nodes.items()},
            runs=[(name, step, {"bytes": size}) for name, step, size in self._records()],
            steps=range(self.steps),
        )

    def op(self, name: str | None) -> str:
        return self.nodes[name or ""][0]

    def figure(self, name: str, metric: str) -> Fraction | None:
        if metric == "params":
            params = self.nodes[name][1]
            return None if params is None else Fraction(params)
        known = [size for node, _, size in self._records() if node == name and size is not None]
        return Fraction(sum(known), self.steps) if self.steps and known else None

    def in_steps(self, names: Sequence[str]) -> list[Fraction]:
        """Return the sum of the known bytes of some nodes in each step."""
        return [
            sum((Fraction(self.nodes[name][2][step] or 0) for name in names), Fraction(0)) for step in range(self.steps)
        ]

    def _records(self) -> Iterator[tuple[str, int, int | None]]:
        for name, (_, _, sizes) in self.nodes.items():
            for step in range(self.steps):
                yield name, step, sizes[step]


SIDES = st.builds(
    PlainSide,
    st.dictionaries(
        st.sampled_from(NAMES),
        st.tuples(
            st.sampled_from("XY"),
            st.sampled_from(STATIC),
            st.lists(st.sampled_from(MEASURED), min_size=4, max_size=4)
            | st.sampled_from(MEASURED).map(lambda x: [x] * 4),
        ),
        min_size=1,
    ),
    st.sampled_from([0, 1, 1, 3, 4, 4]),
)


@st.composite
def gates(draw: st.DrawFn) -> Gate:
    metric, limit = draw(st.sampled_from(["params", "bytes"])), draw(st.sampled_from(LIMITS))
    subject = draw(st.sampled_from(Subject))
    return parse_gate(
        f"{metric} {draw(st.sampled_from(['<=', '>=', '==']))} {limit}",
        subject=subject,
        glob="" if subject is Subject.MODEL else draw(st.sampled_from([*filter(None, GLOBS)])),
        source=draw(st.sampled_from(["rules.toml", "--gate"])),
    )


class Row(NamedTuple):
    """The nodes of a row on either side, by their names there."""

    base: list[str]
    head: list[str]


class Judge(NamedTuple):
    """Judges row by row. `nodes` are pairs of names, None where a side lacks the node."""

    base: PlainSide
    head: PlainSide
    nodes: list[tuple[str | None, str | None]]
    accepted: Acknowledgement | None

    def rows(self, subject: Subject) -> dict[tuple[int, str], Row]:
        rows: dict[tuple[int, str], Row] = {}
        for place, (old, new) in enumerate(self.nodes):
            name = new or old or ""
            scopes = [scope for scope in SCOPES if f"{name}/".startswith(f"{scope}/")]
            for side, node in enumerate((old, new)):
                if node:
                    op = (self.base, self.head)[side].nodes[node][0]
                    keys = {
                        Subject.MODEL: [(0, "")],
                        Subject.NODE: [(place, name)],
                        Subject.SCOPE: [(0, scope) for scope in scopes],
                        Subject.OP: [(0, op)],
                    }
                    for key in keys[subject]:
                        rows.setdefault(key, Row([], []))[side].append(node)
        return rows

    def status(self, gate: Gate, later: Sequence[Gate]) -> tuple[GateStatus, int]:
        """Return the outcome of a gate and how many rows fail."""
        rows = {key: row for key, row in self.rows(gate.subject).items() if key[1] in GLOBS[gate.glob]}
        if not rows:
            return GateStatus.INCONCLUSIVE, 0
        takers = [other for other in later if takes(other, gate)]
        found = [
            self.row(gate, row) for key, row in rows.items() if not any(key[1] in GLOBS[taker.glob] for taker in takers)
        ]
        if not found:
            return GateStatus.SKIPPED, 0
        for status in (GateStatus.FAILED, GateStatus.INCONCLUSIVE, GateStatus.ACKNOWLEDGED, GateStatus.PASSED):
            if status in found:
                return status, found.count(GateStatus.FAILED)
        return GateStatus.INCONCLUSIVE, 0  # nothing is known of any row

    def row(self, gate: Gate, row: Row) -> GateStatus | None:
        """Return the outcome of a row, None if it is unknown on both sides."""
        metric = gate.metric
        old, new = ([side.figure(name, metric) for name in names] for side, names in zip(self[:2], row, strict=True))
        base, head = total(old), total(new)
        if (base is None or gate.is_budget) and head is None:
            return GateStatus.INCONCLUSIVE if base is not None else None
        if gate.is_budget:
            assert head is not None
            return on_lower_bound(gate, head) if None in new else judged(is_allowed=holds(gate, None, head))
        matches = [now for before, now in self.nodes if before and now]
        if base is None or head is None or self.is_open(metric, row) or not matches:
            return GateStatus.INCONCLUSIVE
        if holds(gate, base, head) or self.is_close(metric, row, Fraction(0)):
            return GateStatus.PASSED
        settled = self.settled(metric, row)
        is_settled = holds(gate, settled, head) or self.is_close(metric, row, settled - base)
        return GateStatus.ACKNOWLEDGED if settled != base and is_settled else GateStatus.FAILED

    def is_close(self, metric: str, row: Row, moved: Fraction) -> bool:
        """Return whether the steps of both sides are no further apart than they differ, if there are enough."""
        if metric != "bytes" or min(self.base.steps, self.head.steps) < 4:
            return False
        base, head = (side.in_steps(names) for side, names in zip(self[:2], row, strict=True))
        base = [size + moved for size in base]
        gap = max(min(head) - max(base), min(base) - max(head))
        return gap <= max(base) - min(base) + max(head) - min(head)

    def is_open(self, metric: str, row: Row) -> bool:
        """Return whether a node of the row is unknown, and not unknown and equal on both sides."""
        for before, now in self.nodes:
            sides = [(self.base, before, row.base), (self.head, now, row.head)]
            unknown = [name is not None and side.figure(name, metric) is None for side, name, _ in sides]
            if all(unknown) and metric == "params" and self.base.op(before) == self.head.op(now):
                continue
            if any(is_unknown and name in names for is_unknown, (_, name, names) in zip(unknown, sides, strict=True)):
                return True
        return False

    def settled(self, metric: str, row: Row) -> Fraction:
        """Return base's figure of a row with head's figures for accepted nodes."""
        figure = Fraction(0)
        for before, now in self.nodes:
            old = self.base.figure(before, metric) if before else Fraction(0)
            new = self.head.figure(now, metric) if now else Fraction(0)
            counts = old is not None and new is not None and self.is_accepted(metric, now or before or "")
            figure += (old or 0) if before in row.base and not counts else 0
            figure += (new or 0) if now in row.head and counts else 0
        return figure

    def is_accepted(self, metric: str, name: str) -> bool:
        change = self.accepted
        if change is None or change.metric != metric or name not in GLOBS[change.node]:
            return False
        nodes = [(before, now) for before, now in self.nodes if (now or before) in GLOBS[change.node]]
        old = total([self.base.figure(before, metric) for before, _ in nodes if before])
        new = total([self.head.figure(now, metric) for _, now in nodes if now])
        room = abs(change.value) / 100 if metric == "bytes" else 0
        steps = self.head.in_steps([now for _, now in nodes if now]) if metric == "bytes" else []
        is_near = new is not None and min([new, *steps]) - room <= change.value <= max([new, *steps]) + room
        return is_near and old != change.value and change.expires >= TODAY


def total(figures: Sequence[Fraction | None]) -> Fraction | None:
    known = [figure for figure in figures if figure is not None]
    return sum(known, Fraction(0)) if known or not figures else None


def judged(*, is_allowed: bool) -> GateStatus:
    return GateStatus.PASSED if is_allowed else GateStatus.FAILED


def on_lower_bound(gate: Gate, least: Fraction) -> GateStatus:
    """Return the outcome of a budget on a figure that is `least` or more."""
    limit = gate.limits[0]
    if limit.bound is Bound.AT_LEAST:
        return GateStatus.PASSED if least >= limit.value else GateStatus.INCONCLUSIVE
    return GateStatus.FAILED if least > limit.value else GateStatus.INCONCLUSIVE


def takes(later: Gate, gate: Gate) -> bool:
    """Return whether a later gate overrides an earlier one on the rows that both match."""
    sides = [{"<=": {"up"}, ">=": {"down"}, "==": {"up", "down"}}[each.limits[0].bound.value] for each in (later, gate)]
    is_same = (later.metric, later.subject, later.is_budget) == (gate.metric, gate.subject, gate.is_budget)
    return is_same and bool(sides[0] & sides[1]) and not later.source == gate.source == "--gate"


@settings(max_examples=examples(150), deadline=None)
@given(
    base=SIDES,
    other=SIDES,
    copied=st.sets(st.sampled_from(NAMES)),
    renamed=st.none() | st.tuples(st.sampled_from(NAMES), st.sampled_from(NAMES)),
    written=st.lists(gates(), min_size=1, max_size=5),
    accepted=st.none()
    | st.tuples(
        st.sampled_from(["params", "bytes"]),
        st.sampled_from([*filter(None, GLOBS)]),
        st.sampled_from([Fraction(0), Fraction(0), Fraction(1)]),
        st.sampled_from([TODAY, TODAY, TODAY - timedelta(1)]),
    ),
)
def test_gates_are_judged_as_by_a_slow_judge_of_fractions(
    *,
    base: PlainSide,
    other: PlainSide,
    copied: set[str],
    renamed: tuple[str, str] | None,
    written: list[Gate],
    accepted: tuple[str, str, Fraction, date] | None,
) -> None:
    # Most of base is also in head, and gates of the command line come last.
    head = other._replace(nodes={**other.nodes, **{name: base.nodes[name] for name in copied & set(base.nodes)}})
    written = sorted(written, key=lambda gate: gate.source, reverse=True)
    mapped: dict[str, str | None] = {}
    if renamed and renamed[0] in base.nodes and renamed[1] in head.nodes:
        mapped = {renamed[0]: renamed[1]}
    old, new = base.measured(), head.measured()
    comparison = compare(old, new, NameMap(path="map.toml", nodes=mapped, prefixes={}))
    nodes = [
        (row["base_name"], None if row["status"] == "removed" else row["name"]) for row in comparison.nodes.to_pylist()
    ]
    change = None
    if accepted:
        metric, glob, off, expires = accepted
        value = total([head.figure(now, metric) for _, now in nodes if now and now in GLOBS[glob]])
        change = Acknowledgement(
            metric=metric, value=(value or Fraction(0)) + off, reason="x", expires=expires, node=glob
        )
    policy = Policy(gates=tuple(written), acknowledged=(change,) if change else ())
    results = judge(new, comparison, policy, today=TODAY).gates
    slow = Judge(base, head, nodes, change)
    assert [(result.status, result.failed) for result in results] == [
        slow.status(gate, written[place + 1 :]) for place, gate in enumerate(written)
    ]
