"""Histories of models from rows made by hand, as they are laid out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

from indexed import commits_of, index_of, index_row

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.history.build_history import Wanted, build_model
from tfprof_report.history.history_data import History
from tfprof_report.render.history.history_content import history_content
from tfprof_report.render.history.history_page import render_history_html
from tfprof_report.report.links import Links
from tfprof_report.report.store.commits import Commits
from tfprof_report.report.store.index import IndexedRows
from tfprof_report.report.store.place import open_place

COMMIT_URL = "https://example.com/c/{commit}"


def made_history(
    models: Mapping[str, Sequence[Mapping[str, Any]]],
    *,
    count: int,
    tags: Mapping[str, tuple[str, ...]] | None = None,
    gates: Sequence[str] = (),
    commits: Commits | None = None,
    store: str = "store",
    store_url: str = "../store",
) -> History:
    """Return the history of models whose rows are given, over `count` commits of a day each; all reports are held."""
    listed = commits or commits_of(count)
    wanted = Wanted(commits=listed, tags=tags, explained=0)
    parsed = tuple(parse_gate(gate) for gate in gates)
    place = open_place(".")
    return History(
        tool_version="1",
        timestamp="2024-01-01T00:00:00Z",
        store=store,
        store_url=store_url,
        commits=listed.ids,
        since="",
        models=tuple(
            build_model(
                name,
                IndexedRows(rows=index_of(rows), held=frozenset(row["report"] for row in rows), left_out=()),
                place,
                wanted,
                parsed,
            )
            for name, rows in models.items()
        ),
        links=Links(commit=COMMIT_URL),
    )


def nights(
    count: int, *, model: str = "m", seed: int = 1, every: int = 20, commits: Commits | None = None
) -> list[dict[str, Any]]:
    """Return a row for each of `count` commits: counts that move every `every` commits, and noisy times."""
    random = Random(seed)
    ids = (commits or commits_of(count)).ids
    rows, params = [], 10_000
    for number in range(count):
        if number and number % every == 0:
            params += random.choice((-300, 500, 700))
        wall = 10_000 * random.gauss(1, 0.01)
        figures = {"params": params, "float_ops": 2 * params, "device_peak_bytes": 1 << 20, "wall_micros": wall}
        row = index_row(ids[number], **figures)
        rows.append({**row, "model": model, "report": row["report"].replace("m/", f"{model}/", 1)})
    return rows


def write_history(history: History, folder: Path) -> Path:
    """Write the page of a history under the name that tests open, and return its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "report.html").write_text(render_history_html(history, history_content(history)))
    return folder
