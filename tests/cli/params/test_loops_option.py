"""The option ``--loops`` of reports."""

from __future__ import annotations

import json
from pathlib import Path

from command import call
from repository import DATA

FOLDER = DATA / "functions"
GRAPH, RUN = (str(FOLDER / f"gradients_v1.{name}") for name in ("pb.gz", "run.pb.gz"))


def total(folder: Path) -> tuple[int | None, int | None]:
    """Return the exact FLOPs, and the least FLOPs where that is all that is known."""
    summary = json.loads((folder / "summary.json").read_text())
    found = next(each for each in summary["totals"] if each["stem"] == "float_ops")
    return (found["value"], found["at_least"])


def test_run_metadata_counts_what_constants_do_not_prove(tmp_path: Path) -> None:
    words = ("report", GRAPH, "--run-meta", RUN, "--rules", "extended", "--out")
    assert "are not in totals" in call(*words, str(tmp_path / "proved")).err
    assert call(*words, str(tmp_path / "run"), "--loops", "run-meta").err == ""
    assert (total(tmp_path / "proved"), total(tmp_path / "run")) == ((None, 27_925), (34_347, None))


def test_a_base_that_counts_loops_otherwise_is_no_baseline(tmp_path: Path) -> None:
    call("report", GRAPH, "--loops", "once", "--out", str(tmp_path / "base"))
    done = call("report", GRAPH, "--baseline", str(tmp_path / "base"), "--out", str(tmp_path / "head"))
    assert done.code == 4
    assert "was written with another --functions, --cond or --loops than head" in done.err
