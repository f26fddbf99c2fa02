"""First values of a checkpoint's variables in the rows of a report."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
from command import call, write_model
from messages import graph, node
from repository import DATA

from tfprof_report.ingest.checkpoint import open_checkpoint
from tfprof_report.views.build_view import first_values

KINDS = DATA / "checkpoints" / "dtypes"
EXPECTED = {
    "float32": "5.07158 -1.39781 0.0984605 1.22255 -2.36677 0.00619672",
    "bfloat16": "-1.10938 -5.71875 -0.298828 5.09375 -1.14844 -2.67188",
    "bool": "False False False True False True",
    "int8": "-2 3 -4 1 -6 -1",
    "scalar": "1.5",
    "empty": "",
}


def test_the_first_values_of_each_type_are_shown_and_other_rows_have_none() -> None:
    checkpoint = open_checkpoint(str(KINDS), option="--checkpoint")
    names = ["none", *sorted(checkpoint.variables)]
    found = dict(zip(names, first_values(pa.array(names), checkpoint).to_pylist(), strict=True))
    assert found["none"] is None
    assert EXPECTED.items() <= found.items()


def test_a_report_shows_the_first_values_of_variables(tmp_path: Path) -> None:
    name = next(iter(EXPECTED))
    model = write_model(tmp_path / "m", graph(node(name, "VariableV2", shape=[3]), node("other", "Add", name)))
    out = tmp_path / "o"
    given = ("--select", "params,tensor_value", "--checkpoint", KINDS)
    assert call("report", model, "--out", out, *given).code == 0
    text = (out / "report.md").read_text()
    assert "First values" in text
    assert f"`{EXPECTED[name]}`" in text
