"""Why figures changed: which scopes carry the change, and what is behind the FLOPs of a node."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from tfprof_report.compare.carriers import VIEW, Carried, find_carriers
from tfprof_report.compare.flop_reasons import FlopReasons, find_flop_reasons
from tfprof_report.compare.movers import HEADLINE
from tfprof_report.compare.result import Comparison, Measured


@dataclass(frozen=True, slots=True, kw_only=True)
class Why:
    """What explains a comparison beside the differences of op view, which are split in their table.

    carried : for each figure of `HEADLINE` that changed, the scopes that carry the change
    flops : the nodes whose FLOPs changed; None where those of no node that both sides have did
    """

    carried: tuple[Carried, ...]
    flops: FlopReasons | None


def find_reasons(comparison: Comparison, head: Measured, threshold: Fraction) -> Why:
    """Return why figures changed. Changes of scopes below `threshold`, in percent of base's total, are summed up."""
    rows = head.views.get(VIEW)
    found = [find_carriers(comparison, rows, stem, threshold) for stem in HEADLINE] if rows is not None else []
    return Why(
        carried=tuple(carried for carried in found if carried is not None),
        flops=find_flop_reasons(comparison, head.nodes),
    )
