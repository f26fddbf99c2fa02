"""Says which patterns of a query match nothing, so that an empty view does not look like a model without anything."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from tfprof_report.arrays import list_values
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.model.node_table import NodeTable
from tfprof_report.options import MATCH_ALL, Options, flag
from tfprof_report.semantics import Semantics
from tfprof_report.views import patterns as regex
from tfprof_report.views.layout import Layout


def find_idle(
    table: NodeTable, layouts: Iterable[Layout], options: Options, semantics: Semantics
) -> tuple[Diagnostic, ...]:
    """Return a warning for each option with account, start or show patterns of which some match nothing.

    Account patterns are matched with the types of nodes, the others with the names of rows in all `layouts`. Nothing is
    said of trim and hide patterns, which may be meant for other models too, nor of invalid ones, which have a message
    of their own.
    """
    if not table.count:
        return ()
    accounts = [each for each in _chosen(options.account_type_regexes) if not _counts(table, each, semantics)]
    types = "no type of a node"
    if not len(list_values(table.log_types)):
        types += "; types other than ops and devices come from an op log (--op-log), and there is none that gives any"
    by_name = {option: _chosen(getattr(options, option)) for option in ("start_name_regexes", "show_name_regexes")}
    names = [layout.names for layout in layouts] if any(by_name.values()) else []
    idle = {
        option: [each for each in chosen if not any(regex.matches(rows, each).any() for rows in names)]
        for option, chosen in by_name.items()
    }
    found = [_warning("account_type_regexes", accounts, types)]
    found += [_warning(option, patterns, "no name of a row") for option, patterns in idle.items()]
    return tuple(diagnostic for diagnostic in found if diagnostic.count)


def _chosen(patterns: Sequence[str]) -> Sequence[str]:
    return () if tuple(patterns) == MATCH_ALL else [each for each in patterns if regex.is_valid(each)]


def _counts(table: NodeTable, pattern: str, semantics: Semantics) -> bool:
    return bool(regex.count_type_matches(table, (pattern,), semantics).any())


def _warning(option: str, idle: Sequence[str], what: str) -> Diagnostic:
    return Diagnostic(
        severity=Severity.WARNING,
        code=f"idle_{option}",
        text=f"patterns of {flag(option)} match {what}",
        count=len(idle),
        examples=tuple(idle[:EXAMPLES]),
    )
