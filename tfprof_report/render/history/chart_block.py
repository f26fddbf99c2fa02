"""The data of the charts of a page for its scripts: the figures of each model, and what all models share.

`packed_columns` defines the encoding of a block, which has the reports of one model, in order. Its header has ``rows``
(how many), ``prefix`` (the beginning of the addresses of reports), ``tags`` and ``breaks`` (pairs of a row and names;
rows from which figures are counted in another way), and ``lines``. A line has ``stem``, ``label``, ``unit``,
``levels`` (of a noisy figure: first row, last row, value), ``steps`` (row and words), ``budgets`` (value and text) and
``cuts`` (pairs of rows between which the line is interrupted).

Columns: ``number`` (of the commit), ``day`` (since 1970, NULL if not known), ``failed`` (1 where a gate failed), the
texts ``commits`` and ``reports`` (the address of the report is the prefix, the commit and this; a row without one has
an empty text), and for each line ``value_X`` and ``least_X``, the lower bound where there is no value.
"""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any
from urllib.parse import quote

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.formatting import SCALES, label_of, unit_of
from tfprof_report.history.history_data import History, ModelHistory
from tfprof_report.render.history.history_chart import RED
from tfprof_report.render.history.history_content import report_url
from tfprof_report.render.history.history_words import step_words
from tfprof_report.render.history.plotted import FAR, Plotted, breaks, failures
from tfprof_report.render.html.packed_columns import Packer
from tfprof_report.render.html.svg import BLUE, GREY, ORANGE
from tfprof_report.render.tables.cells import visible

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def chart_block(history: History, model: ModelHistory, plots: tuple[Plotted, ...]) -> str:
    """Return the figures of a model in base64, in the format of this module's docstring; the same for the same model.

    Names are as displayed (`cells.visible`), figures exact.
    """
    packer = Packer()
    commits: list[str] = model.rows["commit"].to_pylist()
    prefix = f"{history.store_url.rstrip('/')}/{quote(model.name)}/"
    reports = [report_url(history, model, row).removeprefix(f"{prefix}{commit}") for row, commit in enumerate(commits)]
    packer.add_texts("commits", commits)
    packer.add_texts("reports", reports)
    packer.add_codes("number", plots[0].numbers)
    packer.add_figures("day", pa.array([_day(time) for time in model.times], pa.int64()))
    packer.add_codes("failed", failures(model).astype(np.int64))
    for stem in (plot.line.stem for plot in plots):
        value, least = model.rows[stem].combine_chunks(), model.rows[f"{stem}_at_least"].combine_chunks()
        packer.add_figures(f"value_{stem}", value)
        packer.add_figures(f"least_{stem}", pc.if_else(value.is_valid(), pa.scalar(None, least.type), least))
    header = {
        "rows": len(commits),
        "prefix": prefix,
        "tags": [(row, [visible(name) for name in names]) for row, names in enumerate(model.tags) if names],
        "breaks": breaks(model),
        "lines": [_line(plot) for plot in plots],
    }
    return base64.b64encode(packer.to_bytes(header)).decode("ascii")


def _line(plot: Plotted) -> dict[str, Any]:
    line, rows = plot.line, plot.rows
    cuts = np.flatnonzero(np.diff(plot.piece))
    return {
        "stem": line.stem,
        "label": label_of(line.stem),
        "unit": unit_of(line.stem),
        "levels": [(each.first, each.last, each.value) for each in line.moves.levels] if line.moves.is_noisy else [],
        "steps": [(step.row, step_words(step)) for step in line.moves.steps],
        "budgets": [(float(each.most), visible(each.text), each.since) for each in line.budgets],
        "cuts": np.column_stack((rows[cuts], rows[cuts + 1])).tolist() if len(cuts) else [],
    }


def _day(time: datetime | None) -> int | None:
    return None if time is None else (time - _EPOCH).days


def charts_meta(history: History) -> str:
    """Return what all charts share, as JSON without ``<``, which could end the script element that it is in.

    ``scales``: `formatting.SCALES`; ``colours``; ``far``: a budget is drawn if it is at most this many times the
    highest figure; ``commit_url``: the template of the address of a commit, null if there is none.
    """
    meta = {
        "scales": SCALES,
        "colours": {"line": BLUE, "step": ORANGE, "quiet": GREY, "limit": RED},
        "far": FAR,
        "commit_url": history.links.commit,
    }
    return json.dumps(meta, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")
