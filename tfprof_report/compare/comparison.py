"""The result of a comparison, as plain data."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from fractions import Fraction

import pyarrow as pa

from tfprof_report.arrays import Bools
from tfprof_report.compare.side import Side
from tfprof_report.record import record
from tfprof_report.schema.metrics import Number
from tfprof_report.schema.tables import DIFF_LAYERS, DIFF_PEAK


class State(StrEnum):
    """What happened to a figure from base to head."""

    UNCHANGED = "unchanged"  # also 0 to 0: 0 %
    CHANGED = "changed"  # x to y, also x to 0: -100 %
    NEW_FROM_ZERO = "new from 0"  # 0 to x: no percent
    LOST = "lost"  # known to unknown
    NOW_KNOWN = "now known"  # unknown to known
    UNKNOWN = "unknown"  # on both sides, and equal as far as the graph tells
    NOT_COMPARABLE = "not comparable"  # unknown or partly unknown on both sides, and not known to be equal


SAME = (State.UNCHANGED, State.UNKNOWN)
"""States without a visible change."""

APART = (State.LOST, State.NOW_KNOWN, State.NOT_COMPARABLE)
"""States without a difference, though there is a figure on some side."""


class RowStatus(StrEnum):
    """What happened to a row from base to head."""

    NEW = "new"
    REMOVED = "removed"
    CHANGED = "changed"
    UNCHANGED = "unchanged"


@record
class OpenNodes:
    """Nodes because of which the difference of one metric is not known, in the order of `Comparison.nodes`.

    base, head : the node could have a figure on this side but has none, and that of the other side does not cancel it;
        or its figure rests on sizes unlike those of the other side (`compare.unlike_sizes`)
    cancelled : unknown on both sides and equal, so that it does not matter to the difference
    """

    base: Bools
    head: Bools
    cancelled: Bools


@record
class TotalDelta:
    """The totals of one metric on both sides, and where the difference comes from.

    base = matched_base + removed; head = matched_head + added. Numbers are None where nothing is known. The known
    shares are known / capable nodes of a side; a total with an unknown node is a lower bound.

    Unknown nodes that `compare.unknown` finds equal on both sides are `cancelled`; the others are `base_open` and
    `head_open`, and with any of them `delta` and `percent` are None. `percent` is None, too, where base is 0 and head
    is not. Gates compute with `exact_base` and `exact_head`, since `base` and `head` are floats where a mean over steps
    is not a whole number. All fields but those two are plain JSON.
    """

    stem: str
    base: Number | None
    head: Number | None
    delta: Number | None
    percent: float | None
    state: State
    matched_base: Number | None
    matched_head: Number | None
    added: Number | None
    removed: Number | None
    base_known: int
    base_capable: int
    head_known: int
    head_capable: int
    base_open: int = 0
    head_open: int = 0
    cancelled: int = 0
    exact_base: Fraction | None = None
    exact_head: Fraction | None = None

    @property
    def base_unknown(self) -> int:
        """How many nodes of base could have a figure but have none."""
        return self.base_capable - self.base_known

    @property
    def head_unknown(self) -> int:
        """How many nodes of head could have a figure but have none."""
        return self.head_capable - self.head_known


class TimeFinding(StrEnum):
    """What a rank test over the steps of both sides finds for a time."""

    SLOWER = "slower"
    FASTER = "faster"
    NO_CLEAR_CHANGE = "no clear change"
    NOT_ENOUGH_STEPS = "not enough steps"


@record
class StepTimes:
    """A time over the steps of one side, in microseconds: median and interquartile range (`spread`).

    Numbers are None without steps. Gates compute with `exact_median`; all other fields are plain JSON.
    """

    steps: int
    median: Number | None = None
    spread: Number | None = None
    exact_median: Fraction | None = None


@record
class TimeChange:
    """The change of a total time, by the medians over the steps of both sides.

    `percent` is the change of the median, as in `TotalDelta`. `p_value` is that of the rank test on the steps
    (`step_times.rank_test`), None with too few steps for a finding.
    """

    stem: str
    base: StepTimes
    head: StepTimes
    percent: float | None
    p_value: float | None
    finding: TimeFinding


class MatchedBy(StrEnum):
    """Why a row of base and a row of head were matched."""

    NAME = "name"
    PREFIX = "prefix"  # the scope was renamed
    MAP = "map"  # the user's map file says so
    LAYER = "layer"  # the same place in the same layer, though names or layers before it are numbered otherwise
    SUGGESTED = "suggested"  # the only node with the same op, shapes and neighbours


@record
class Rename:
    """A prefix of node names that changed from `base` to `head`. The empty prefix is one of every name."""

    base: str
    head: str
    nodes: int
    matched_by: MatchedBy


@record
class Matching:
    """How the nodes of the two sides were matched.

    counts : nodes of base that have a partner, by `MatchedBy`; every word is a key
    nodes : nodes of base plus nodes of head
    renames : prefixes that changed, the one with the most nodes first
    unused : lines of the map file that have no effect, as written
    """

    counts: dict[MatchedBy, int]
    nodes: int = 0
    renames: tuple[Rename, ...] = ()
    unused: tuple[str, ...] = ()

    @property
    def renamed(self) -> int:
        """How many nodes of base were matched other than by name."""
        return sum(count for how, count in self.counts.items() if how is not MatchedBy.NAME)

    @property
    def unmatched(self) -> int:
        """How many of `nodes` have no partner."""
        return self.nodes - 2 * sum(self.counts.values())

    @property
    def unmatched_share(self) -> Fraction | None:
        """The share of `nodes` without a partner; None if there are no nodes."""
        return Fraction(self.unmatched, self.nodes) if self.nodes else None


NO_MATCHING = Matching(counts=dict.fromkeys(MatchedBy, 0))
"""The matching of two sides without nodes."""


@record
class Comparison:
    """Base against head.

    nodes : one row per node of either side, in base order, then new nodes in head order: name (of head where it has
        the node), status (`RowStatus`), base_name (NULL for new rows), matched_by (`MatchedBy`; NULL for new and
        removed rows), base_op, head_op, then for each metric ``base_X``, ``head_X``, ``delta_X`` (NULL unless both are
        known), ``percent_X`` (NULL as in `TotalDelta`) and ``state_X`` (`State`; NULL for new and removed rows). A
        matched row is changed if its op or a figure is, or if a figure is not comparable; run-time figures are means
        over all steps.
    views : the same for the rows of each view: name (in code view the path of call frames), status, depth (of head
        where it has the row), then the columns of each metric, computed from ``total_X`` of both sides, with the
        unknown nodes in them (``base_unknown_X``, ``head_unknown_X``): delta_X is NULL unless they cancel. Scope and
        graph view have base_name and matched_by, as nodes do: their rows are matched through renamed nodes. In op view
        each difference is also split (`count_split.split_by_count`).
    forests : the rows of both sides of each view, merged by `union.union_forest`; not written to any file.
    layers : the same for layers, with NULL for the name of nodes in no layer; also base_layer and the facts of
        layers.parquet on both sides.
    peak : what devices hold at their peaks, as `peak.compare_peaks` gives it.
    totals : every metric that both sides have, in the order of every report.
    device_peak : device_peak_bytes of both sides; None if no side has devices.
    of_steps : each of `metrics.OF_STEPS` that a side has, by its means over steps.
    estimate : estimated_peak_bytes of both sides; None unless both have it.
    counts : rows of `nodes` by status; every status is a key.
    matching : how rows of `nodes` were paired.
    open_nodes : per metric the nodes that leave its difference open, in the order of `nodes`.
    unlike_sizes : why FLOPs of some of them rest on unlike sizes, a clause each.
    times : each time that is known on both sides, by the medians over their steps.
    """

    base: Side
    head: Side
    totals: tuple[TotalDelta, ...]
    device_peak: TotalDelta | None
    nodes: pa.Table
    views: dict[str, pa.Table]
    counts: dict[RowStatus, int]
    layers: pa.Table = field(default_factory=DIFF_LAYERS.empty_table)
    forests: dict[str, pa.Table] = field(default_factory=dict)
    times: tuple[TimeChange, ...] = ()
    of_steps: tuple[TotalDelta, ...] = ()
    estimate: TotalDelta | None = None
    matching: Matching = NO_MATCHING
    open_nodes: dict[str, OpenNodes] = field(default_factory=dict)
    unlike_sizes: tuple[str, ...] = ()
    peak: pa.Table = field(default_factory=DIFF_PEAK.empty_table)

    @property
    def has_same_rules(self) -> bool:
        """Whether FLOPs of both sides were counted by the same rules; if not, their difference means little."""
        return self.base.rules == self.head.rules

    @property
    def has_same_counting(self) -> bool:
        """Whether the figures of both sides mean the same; if not, neither a difference nor equality means much."""
        return self.base.counting_version == self.head.counting_version

    @property
    def matched_nodes(self) -> int:
        """How many nodes were matched."""
        return self.counts[RowStatus.CHANGED] + self.counts[RowStatus.UNCHANGED]

    @property
    def all_totals(self) -> tuple[TotalDelta, ...]:
        """The totals, then the device peak, the estimated peak and figures of steps if there are any."""
        return (*self.totals, *(total for total in (self.device_peak, self.estimate) if total), *self.of_steps)

    def total_of(self, metric: str) -> TotalDelta | None:
        """Return the totals of a metric on both sides, None if a side lacks the metric."""
        return next((total for total in self.all_totals if total.stem == metric), None)
