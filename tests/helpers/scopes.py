"""Comparisons and reports of tiny models, built from the figures of each side's nodes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from itertools import accumulate

import pyarrow as pa
from measured import Figures, side_of
from report_builders import make_origin, make_report, make_view

from tfprof_report.compare.causes.carriers import find_reasons
from tfprof_report.compare.causes.highlights import find_highlights
from tfprof_report.compare.causes.movers import find_movers
from tfprof_report.compare.causes.scope_sizes import find_changed_sizes, find_sizes
from tfprof_report.compare.compare import compare
from tfprof_report.compare.side import Side
from tfprof_report.report.build_report import totals_of
from tfprof_report.report.report import Report
from tfprof_report.views.view import View

Nodes = Mapping[str, Figures]
STEMS = ("float_ops", "params", "micros")


def scope_view(nodes: Nodes) -> View:
    """Return the scope view of nodes, given by name, with all their scopes."""
    above = (accumulate(name.split("/"), lambda scope, leaf: f"{scope}/{leaf}") for name in nodes)
    names = sorted({name for names in above for name in names}, key=lambda name: name.split("/"))
    return make_view(
        "scope",
        names,
        {stem: [_total(nodes, name, stem) for name in names] for stem in STEMS},
        depths=[name.count("/") + 1 for name in names],
        own={stem: [nodes.get(name, {}).get(stem) for name in names] for stem in STEMS},
    )


def _total(nodes: Nodes, scope: str, stem: str) -> int | None:
    found = [figures.get(stem) for name, figures in nodes.items() if f"{name}/".startswith(f"{scope}/")]
    known = [figure for figure in found if figure is not None]
    return sum(known) if known else None


def side(nodes: Nodes) -> Side:
    """Return one side, with its times in a single step."""
    timed = [(name, 1, {"micros": figures["micros"]}) for name, figures in nodes.items() if "micros" in figures]
    found = side_of(nodes, runs=timed, steps=[1] if timed else [], views={"scope": scope_view(nodes).rows})
    device = pa.array(["/cpu:0"] * found.steps.num_rows, pa.string())
    return replace(found, steps=found.steps.append_column("device", device))


def report_of(head: Nodes, base: Nodes | None = None) -> Report:
    """Return a report on `head`, compared with `base` if given."""
    measured = replace(side(head), origin=make_origin(), views={"scope": scope_view(head)})
    comparison = None
    if base is not None:
        files = tuple(replace(file, sha256="ef" * 32) for file in make_origin("base").inputs)
        other = make_origin("base", commit="fedcba9876543210fedc", branch="old", inputs=files)
        comparison = compare(replace(side(base), origin=other), measured)
    return make_report(
        head=measured,
        totals=totals_of(measured),
        comparison=comparison,
        movers=find_movers(comparison, Fraction()) if comparison else (),
        why=find_reasons(comparison, Fraction()) if comparison else None,
        highlights=find_highlights(measured, comparison),
        sizes=find_sizes(measured),
        changed_sizes=find_changed_sizes(comparison) if comparison else None,
    )
