"""The option ``--input-shape`` of reports and text views."""

from __future__ import annotations

from pathlib import Path

import pyarrow.parquet as pq
from command import call
from graph_nodes import op
from messages import graph


def model(folder: Path) -> str:
    path = folder / "graph.pb"
    nodes = graph(
        op("x", "Placeholder", shape=[-1, 4], output_shapes=[[-1, 4]]), op("y", "Neg", "x"), op("z", "Neg", "y")
    )
    path.write_bytes(nodes.SerializeToString())
    return str(path)


def test_a_report_counts_with_the_shape_that_is_named(tmp_path: Path) -> None:
    out = tmp_path / "report"
    done = call("report", model(tmp_path), "--rules", "tfprof", "--input-shape", "x=7,4", "--out", str(out))
    assert done.code == 0, done.err
    nodes = pq.read_table(out / "nodes.parquet", columns=["output_shapes", "shape_source", "float_ops"])
    assert nodes.to_pylist() == [
        {"output_shapes": [[7, 4]], "shape_source": "user", "float_ops": None},
        {"output_shapes": [[7, 4]], "shape_source": "inferred", "float_ops": 28},
        {"output_shapes": [[7, 4]], "shape_source": "inferred", "float_ops": 28},
    ]


def test_a_name_that_is_no_placeholder_is_a_usage_error(tmp_path: Path) -> None:
    done = call("scope", model(tmp_path), "--input-shape", "q=7,4")
    assert (done.code, done.err) == (
        2,
        'tfprof-report: --input-shape: there is no placeholder "q"; choose from x\n',
    )


def test_a_text_view_without_the_option_shows_the_graphs_own_shapes(tmp_path: Path) -> None:
    without = call("op", model(tmp_path), "--select", "input_shapes", "--account-type-regexes", ".*")
    named = call(
        "op", model(tmp_path), "--select", "input_shapes", "--account-type-regexes", ".*", "--input-shape", "x=7,4"
    )
    assert "7x4" not in without.out
    assert "7x4" in named.out
