"""The scripts of pages without a browser: unit tests, agreement with the Python code, and up-to-date bundles."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
from indexed import commits_of, index_row
from made_histories import made_history
from repository import ROOT

from tfprof_report.formatting import (
    SCALES,
    format_delta,
    format_exact,
    format_exact_delta,
    format_number,
    format_percent,
)
from tfprof_report.render.history.chart_block import chart_block, charts_meta
from tfprof_report.render.history.history_content import report_url
from tfprof_report.render.history.plotted import plotted
from tfprof_report.render.html.packed_columns import Packer
from tfprof_report.report.store.commits import Commits
from tfprof_report.schema.metrics import Number, Unit

HERE = Path(__file__).parent
ASSETS = ROOT / "report_templates" / "assets"

EDGES: tuple[Number, ...] = (
    *(0, 1, -1, 999, 1000, 999_994, 999_995, 1_048_575, 59_999_999, 60_000_000, 2**53 + 1, 2**63 - 1, -(2**63)),
    *(0.5, 0.005, 0.0049, 0.001, 0.00012, 1e-5, 1.23e-7, -2.5, 99.995, 1234.5),
    *(1023.996 * 1024, 1e15 + 0.5, 1e19, -1e300),
)


def deno(*words: str | Path, text: str = "") -> str:
    command = [Path(sys.executable).with_name("deno"), *words]
    environment = os.environ | {"DENO_DIR": str(Path(sys.prefix, "deno")), "NO_COLOR": "1"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, input=text, capture_output=True, encoding="utf-8", check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_unit_tests_pass() -> None:
    assert "ok | " in deno("test", "--no-check", "--quiet", HERE)


def test_the_committed_bundles_equal_fresh_ones(tmp_path: Path) -> None:
    scripts = Path("report_templates", "scripts")
    pages = (scripts / name for name in ("report.js", "models.js", "reports_index.js"))
    deno("bundle", "--quiet", "--outdir", tmp_path, *pages)
    deno("bundle", "--quiet", "--minify", "--output", tmp_path / "history.js", scripts / "history.js")
    committed, fresh = ({path.name: path.read_text() for path in folder.glob("*.js")} for folder in (ASSETS, tmp_path))
    assert committed == fresh, "run: make scripts"


def test_the_style_sheet_of_charts_is_that_of_the_library_with_its_licence() -> None:
    version = json.loads((ROOT / "deno.json").read_text())["imports"]["uplot"].rpartition("@")[2]
    package = Path(sys.prefix, "deno", "npm", "registry.npmjs.org", "uplot", version)
    licence, style = (package / "LICENSE").read_text().strip(), (package / "dist" / "uPlot.min.css").read_text().strip()
    assert (ROOT / "report_templates" / "LICENSE.uPlot").read_text().strip() == licence
    assert (ASSETS / "uplot.css").read_text().endswith(f"{licence} */\n{style}\n")


def test_numbers_read_as_everywhere_else_in_a_report() -> None:
    random = Random(5)
    signed = [random.choice((1, -1)) * 10 ** random.uniform(-9, 20) for _ in range(1000)]
    values = [*EDGES, *signed, *map(round, signed), *(random.randrange(10**7) / 2 for _ in range(500))]
    cases = [(value, random.choice(list(Unit))) for value in values if abs(value) < 2**63 or isinstance(value, float)]
    given = {"cases": [(repr(value), isinstance(value, int), unit) for value, unit in cases], "scales": SCALES}
    read = json.loads(deno("run", "--no-check", HERE / "write_numbers.js", text=json.dumps(given)))
    for (value, unit), forms in zip(cases, read, strict=True):
        whole = (format_number, format_exact, format_delta, format_exact_delta)
        assert forms == [*(form(value, unit) for form in whole), format_percent(float(value))], (value, unit)


def test_figures_come_back_as_they_were_packed() -> None:
    columns: dict[str, tuple[list[Any], list[Any]]] = {
        "a": ([1, 2, None], [1, 2, 3]),
        "b": ([-127, 127, None], [127, -127, 0]),
        "c": ([-(2**15), 2**31 - 1, None], [None, None, 7]),
        "d": ([2**53, -(2**53), None], [2**53, 1, 2]),
        "e": ([2**63 - 1, 1 - 2**63, None], [1 - 2**63, 2**63 - 1, 5]),
        "f": ([2**53 + 1] * 3, [None] * 3),
        "g": ([0.25, 1 / 3, None], [1e300, 5e-324, -0.5]),
    }
    packer = Packer()
    packer.add_texts("leaves", [])
    for stem, sides in columns.items():
        head, base = (pa.array(side, pa.float64() if stem == "g" else pa.int64()) for side in sides)
        packer.add_figures(f"head_total_{stem}", head, like=(f"base_total_{stem}", base))
    block = packer.to_bytes({"view": "op", "rows": 3, "left_out": 0, "has_base": True, "statuses": []})
    read = json.loads(deno("run", "--no-check", HERE / "read_figures.js", text=base64.b64encode(block).decode()))
    figures = [
        tuple([int(figure) if isinstance(figure, str) else figure for figure in side] for side in sides)
        for sides in read
    ]
    assert figures == list(columns.values())


def test_a_page_says_of_each_report_what_the_history_knows() -> None:
    commit = "0123456789abcdef"
    rows = [
        index_row("c0", params=2**53 + 1, wall_micros=9946.094168758975),
        index_row(commit, params=2**53 + 3, outcome="failed"),
        index_row("c3", params_at_least=1536, params_unknown=1),
        index_row("c4"),
        index_row("c5", params=7, counting="b"),
    ]
    made = commits_of(6)
    commits = Commits(ids=("c0", commit, *made.ids[2:]), times=(*made.times[:5], None))
    history = made_history({"m": rows}, count=6, commits=commits, gates=["params <= 250"], tags={"c3": ("v1", "last")})
    (model,) = history.models
    block = chart_block(history, model, tuple(plotted(model, line) for line in model.lines))
    given = {"block": block, "meta": json.loads(charts_meta(history))}
    read = json.loads(deno("run", "--no-check", HERE / "read_reports.js", text=json.dumps(given)))
    facts = [
        "2024-01-01",
        "2024-01-02, gates failed",
        "2024-01-04, v1, last",
        "2024-01-05",
        "no date, counted in another way from here on",
    ]
    ids = ["c0", commit, "c3", "c4", "c5"]
    assert read["known"] == [
        [each[:12], fact, history.links.of_commit(each), report_url(history, model, row)]
        for row, (each, fact) in enumerate(zip(ids, facts, strict=True))
    ]
    line, wall = read["lines"]
    assert wall["words"][:2] == ["9.95 ms (9,946.094 us)", "not known"]
    assert line["words"] == [
        "9.01 P (9,007,199,254,740,993)",
        "9.01 P (9,007,199,254,740,995): Parameters +2 (+<0.01 %), 9.01 P \u2192 9.01 P",
        "at least 1.54 k (1,536): a part is not known",
        "not known",
        "7",
    ]
    assert line["alone"] == [4]
    assert (line["next"], line["previous"]) == ([1, 1, 2, 3, 4], [0, 1, 1, 1, 1])
    assert line["heights"] == [88, 262]  # the budget of 250 is near, with 8 % of 150 around
    assert read["nearest"] == [0, 0, 1, 2, 2, 4]  # commits have the numbers 0, 1, 3, 4 and 5
