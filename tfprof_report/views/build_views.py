"""Builds all views of a report. A view beyond a limit is left out, and said to be, so that the rest can be read."""

from __future__ import annotations

from collections.abc import Callable

from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.errors import ViewLimitError
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.values import Measures
from tfprof_report.options import Options
from tfprof_report.record import record
from tfprof_report.semantics import Semantics
from tfprof_report.threads import Threads
from tfprof_report.views.build_view import build_layout, build_view, views_of
from tfprof_report.views.layout import Layout
from tfprof_report.views.view import View

VIEWS_LEFT_OUT = "views_left_out"
"""The code of the warning that a report lacks views."""


@record
class Views:
    """The views of a model by name, their layouts, and a warning if one is left out."""

    views: dict[str, View]
    layouts: dict[str, Layout]
    diagnostics: tuple[Diagnostic, ...]


def build_views(
    table: NodeTable,
    options: Options,
    semantics: Semantics,
    *,
    threads: Threads,
    measures: Measures | None = None,
    progress: Callable[[str], None] = lambda _: None,
) -> Views:
    """Return the views that a report on a node table has; `progress` hears the name of each.

    `measures` are those of the nodes in the step of `options` (`values.node_measures`), if they are there already.

    Raises
    ------
    InputError
        A figure or name of the input is wrong. That a view would be too large is no error but a diagnostic.
    """
    layouts: dict[str, Layout] = {}

    def build(name: str) -> View:
        progress(name)
        layouts[name] = build_layout(table, name, semantics)
        return build_view(table, name, options, semantics, layout=layouts[name], measures=measures)

    started = {name: threads.start(build, name) for name in views_of(table)}
    views: dict[str, View] = {}
    problems: dict[str, ViewLimitError] = {}
    for name, result in started.items():
        try:
            views[name] = result()
        except ViewLimitError as problem:
            problems[name] = problem
    built = {name: layouts[name] for name in started if name in layouts}  # threads end in any order
    return Views(views=views, layouts=built, diagnostics=_left_out(problems))


def _left_out(problems: dict[str, ViewLimitError]) -> tuple[Diagnostic, ...]:
    if not problems:
        return ()
    words = "; ".join(f"{name} view: {problem}" for name, problem in problems.items())
    return (
        Diagnostic(
            severity=Severity.WARNING,
            code=VIEWS_LEFT_OUT,
            text=f"the report is without views that would be too large; {words}",
            count=len(problems),
            examples=tuple(problems),
        ),
    )
