"""What TensorFlow fuses when it runs a graph has the FLOPs of the graph as it was written."""

from __future__ import annotations

import pyarrow.compute as pc
import pytest
from repository import DATA

from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.read_model import read_model

FOLDER = DATA / "flops"
"""A convolution with bias and ReLU, one with normalisation and leaky ReLU, a dense layer with ELU and a depthwise
convolution with ReLU6: as written, and as TensorFlow 2.21 ran them on a CPU, with that run's metadata."""

PRODUCTS = 2 * 4096 * 27 + 2 * 512 * 72 + 2 * 20 * 256 + 2 * 1536 * 9
ON_TOP = 4096 * (1 + 1) + 512 * (3 + 2) + 4 * 4 + 20 * (1 + 2) + 1536 * (1 + 2)


@pytest.mark.parametrize(("name", "run_metas"), [("plain", []), ("fused", [str(FOLDER / "fused.run.pb.gz")])])
def test_fused_kernels_take_what_their_parts_take(name: str, run_metas: list[str]) -> None:
    paths = resolve_paths(None, graph=str(FOLDER / f"{name}.pb.gz"), run_metas=run_metas)
    table, _ = read_model(paths, lambda _: None, Measurement(functions=None))
    assert table.column("float_ops").null_count == 0
    assert pc.sum(table.column("float_ops")).as_py() == PRODUCTS + ON_TOP
    assert pc.sum(table.column("macs")).as_py() == PRODUCTS // 2
    ops = set(table.column("op").cast("string").to_pylist())
    assert ("_MklNativeFusedMatMul" in ops) == (name == "fused")
