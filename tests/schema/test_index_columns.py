"""The columns of the index: what others read from a store by name."""

from __future__ import annotations

from tfprof_report.schema.index_columns import INDEX
from tfprof_report.schema.metrics import METRICS

_TIME = "timestamp[us, tz=UTC]"


def test_a_row_says_what_was_measured_and_how_before_its_figures() -> None:
    facts = {field.name: str(field.type) for field in INDEX if field.name in INDEX.names[:18]}
    assert facts == {
        "model": "string",
        "commit": "string",
        "saved": _TIME,
        "time": _TIME,
        "branch": "string",
        "label": "string",
        "report": "string",
        "outcome": "string",
        "tool_version": "string",
        "schema_version": "int64",
        "counting_version": "int64",
        "rules": "string",
        "semantics": "string",
        "options": "string",
        "counting": "string",
        "inputs": "string",
        "basis": "string",
        "steps": "int64",
    }


def test_each_figure_has_its_total_its_bound_and_how_many_nodes_lack_it() -> None:
    means = {"run_float_ops", "bytes", "peak_bytes", "residual_bytes", "output_bytes", "micros", "accelerator_micros"}
    means |= {"cpu_micros", "run_count", "wall_micros", "idle_micros", "transfer_bytes"}
    stems = [*METRICS, "device_peak_bytes", "wall_micros", "estimated_peak_bytes", "idle_micros", "transfer_bytes"]
    wanted = {}
    for stem in stems:
        kind = "double" if stem in means else "int64"
        wanted |= {stem: kind, f"{stem}_at_least": kind, f"{stem}_unknown": "int64"}
    wanted |= {f"{stem}_{end}": "double" for stem in ("wall_micros", "idle_micros") for end in ("low", "high")}
    wanted |= {"device_peak_bytes_low": "int64", "device_peak_bytes_high": "int64"}
    assert {field.name: str(field.type) for field in INDEX if field.name in INDEX.names[18:]} == wanted
    assert len(set(INDEX.names)) == len(INDEX.names) == 18 + 3 * 20 + 6
