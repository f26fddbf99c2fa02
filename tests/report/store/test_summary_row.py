"""The row of a report in the index, from its summary: pinned for the demo models, and for what may be unknown."""

from __future__ import annotations

import json
import tarfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from command import call, small_model, summary_of, write_report
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from repository import DATA

from tfprof_report.report.store.store import Entry
from tfprof_report.report.store.summary_row import NoRowError, row_of
from tfprof_report.report.store.usable import Unusable
from tfprof_report.schema.index_columns import INDEX
from tfprof_report.schema.metrics import SCHEMA_VERSION

ENTRY = Entry(model="enc", commit="a" * 40, saved=datetime(2024, 5, 2, 8, 31, tzinfo=UTC), digest="0" * 16)


def row(folder: Path) -> dict[str, Any]:
    return row_of(ENTRY, (folder / "summary.json").read_bytes())


def changed(summary: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return row_of(ENTRY, json.dumps({**summary, **changes}).encode())


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """Return the summary of a small report."""
    top = tmp_path_factory.mktemp("small")
    out = write_report(small_model(top / "m"), top / "r", "--branch", "main", "--label", "nightly")
    summary: dict[str, Any] = summary_of(out)
    return summary


EXACT = {
    "base": {
        "params": 930_581,
        "trainable_params": 464_154,
        "param_bytes": 3_722_328,
        "float_ops": 53_910_305_624,
        "macs": 26_443_235_328,
        "run_float_ops": 53_639_545_216.0,
        "output_bytes": 3_434_219_992.0,
        "micros": 1_289_568.035,
        "accelerator_micros": 0.0,
        "cpu_micros": 1_289_568.035,
        "run_count": 2320.0,
        "definition_count": 4718,
        "device_peak_bytes": 369_098_752,
        "wall_micros": 889_726.678,
        "estimated_peak_bytes": 360_011_652,
        "idle_micros": 9_702.25,
        "transfer_bytes": 0.0,
    },
    "head": {
        "params": 1_536_277,
        "trainable_params": 766_714,
        "param_bytes": 6_145_112,
        "float_ops": 65_310_862_008,
        "macs": 32_162_230_272,
        "run_float_ops": 65_044_883_136.0,
        "output_bytes": 3_310_101_336.0,
        "micros": 826_402.169,
        "accelerator_micros": 0.0,
        "cpu_micros": 826_402.169,
        "run_count": 2320.0,
        "definition_count": 4718,
        "device_peak_bytes": 359_661_568,
        "wall_micros": 568_425.0625,
        "estimated_peak_bytes": 350_406_852,
        "idle_micros": 12_202.0405,
        "transfer_bytes": 0.0,
    },
}
AT_LEAST = {
    "base": {"bytes": 1_637_792_480.0, "peak_bytes": 1_637_792_480.0, "residual_bytes": 1_634_929_472.0},
    "head": {"bytes": 1_640_563_840.0, "peak_bytes": 1_640_563_840.0, "residual_bytes": 1_637_176_544.0},
}
SPREAD = {
    "base": {
        "wall_micros_low": 844_546.001,
        "wall_micros_high": 934_907.355,
        "idle_micros_low": 8_564.659,
        "idle_micros_high": 10_839.841,
        "device_peak_bytes_low": 367_525_888,
        "device_peak_bytes_high": 369_098_752,
    },
    "head": {
        "wall_micros_low": 560_368.845,
        "wall_micros_high": 576_481.28,
        "idle_micros_low": 10_940.23,
        "idle_micros_high": 13_463.851,
        "device_peak_bytes_low": 352_845_824,
        "device_peak_bytes_high": 359_661_568,
    },
}


@pytest.mark.thorough
@pytest.mark.parametrize("side", ["base", "head"])
def test_the_row_of_a_resnet(tmp_path: Path, side: str) -> None:
    found = row(write_report(DATA / "resnet" / side, tmp_path / "r", "--leave-out", ""))
    facts = {name: found[name] for name in INDEX.names[:18]}
    inputs = {"base": "567c3fec3377023f", "head": "c6b885aa0ef667fa"}
    assert facts.pop("inputs").startswith(inputs[side])
    assert facts == {
        "model": "enc",
        "commit": "a" * 40,
        "saved": datetime(2024, 5, 2, 8, 31, tzinfo=UTC),
        "time": datetime(2024, 5, 2, 8, 30, tzinfo=UTC),
        "branch": None,
        "label": None,
        "report": f"enc/{'a' * 40}_20240502T083100Z_{'0' * 16}",
        "outcome": "not judged",
        "tool_version": "0.1.0",
        "schema_version": 3,
        "counting_version": 3,
        "rules": "extended 3",
        "semantics": "corrected",
        "options": "{}",
        "counting": "0498b834219a3963",
        "basis": "",
        "steps": 2,
    }
    figures = {name: found[name] for name in found if name not in INDEX.names[:18]}
    wanted = dict(SPREAD[side])
    for stem, value in EXACT[side].items():
        wanted |= {stem: value, f"{stem}_at_least": None, f"{stem}_unknown": 0}
    for stem, value in AT_LEAST[side].items():
        wanted |= {stem: None, f"{stem}_at_least": value, f"{stem}_unknown": 1}
    assert figures == wanted


def test_a_row_of_an_earlier_schema_lacks_what_was_not_known_then(tmp_path: Path) -> None:
    with tarfile.open(DATA / "reports" / "schema_2.tar.xz") as archive:
        archive.extractall(tmp_path, filter="data")
    found = row(tmp_path / "schema_2")
    assert (found["schema_version"], found["counting_version"], found["rules"]) == (2, 2, "extended 2")
    assert (found["params"], found["float_ops"], found["micros"], found["device_peak_bytes"]) == (12, 32, 50.0, 4096)
    assert (found["float_ops_at_least"], found["float_ops_unknown"]) == (None, 0)
    for stem in ("trainable_params", "param_bytes", "wall_micros", "estimated_peak_bytes"):
        assert (found[stem], found[f"{stem}_at_least"], found[f"{stem}_unknown"]) == (None, None, None), stem
    assert found["basis"] is None


def test_a_graph_alone_has_no_figures_of_a_run(tmp_path: Path) -> None:
    small_model(tmp_path / "m")
    found = row(write_report(tmp_path / "m" / "graph.pb", tmp_path / "r"))
    assert (found["params"], found["steps"], found["micros"]) == (12, 0, None)
    assert (found["micros_at_least"], found["micros_unknown"]) == (None, 3)  # no node has one
    names = ("device_peak_bytes", "device_peak_bytes_unknown", "wall_micros_unknown", "wall_micros_low")
    assert [found[name] for name in names] == [None] * 4


def test_what_flops_rest_on_is_said_as_reports_say_it(small: dict[str, Any]) -> None:
    basis = {"batch": 8, "names": ["x", "y"], "has_run": True}
    assert changed(small, float_ops_basis=basis)["basis"] == "at batch 8 of x and y; sizes from a run"


def test_devices_and_steps_without_a_figure_make_it_unknown(small: dict[str, Any]) -> None:
    def peak(device: str, step: int, size: int | None) -> dict[str, Any]:
        return {"device": device, "step": step, "device_peak_bytes": size, "source": ""}

    found = changed(small, devices=[peak("a", 1, 5), peak("b", 1, 7), peak("a", 2, 9), peak("b", 2, 3)])
    assert [found[f"device_peak_bytes{end}"] for end in ("", "_unknown", "_low", "_high")] == [9, 0, 7, 9]
    found = changed(small, devices=[peak("a", 1, 5), peak("b", 1, None)])
    assert [found[f"device_peak_bytes{end}"] for end in ("", "_at_least", "_unknown")] == [None, 5, 1]
    assert found["device_peak_bytes_low"] is None
    found = changed(small, devices=[peak("a", 1, None)])
    assert [found[f"device_peak_bytes{end}"] for end in ("", "_at_least", "_unknown")] == [None, None, 1]
    walls = [{"step": 1, "nanos": 1500, "reason": ""}, {"step": 2, "nanos": None, "reason": "no start"}]
    found = changed(small, walls=walls)
    assert [found[f"wall_micros{end}"] for end in ("", "_at_least", "_unknown")] == [None, None, 1]
    assert found["wall_micros_low"] is None
    found = changed(small, walls=[walls[0], {"step": 2, "nanos": "3000", "reason": ""}])
    assert [found[f"wall_micros{end}"] for end in ("", "_unknown", "_low", "_high")] == [2.25, 0, 1.5, 3.0]


@pytest.mark.parametrize("time", ["yesterday", "", "0001-01-01T00:00:00+14:00", "9999-12-31T23:59:59-14:00", None])
def test_a_time_that_is_no_date_is_unknown(small: dict[str, Any], time: str | None) -> None:
    assert changed(small, side={**small["side"], "timestamp": time})["time"] is None


def test_a_time_is_in_utc(small: dict[str, Any]) -> None:
    found = changed(small, side={**small["side"], "timestamp": "2024-05-02T10:30:00+02:00"})
    assert (found["time"], found["time"].tzinfo) == (datetime(2024, 5, 2, 8, 30, tzinfo=UTC), UTC)
    assert (found["branch"], found["label"]) == ("main", "nightly")


@pytest.mark.parametrize(
    ("change", "is_other"),
    [
        ({"counting_version": 2}, True),
        ({"rules": "extended 2"}, True),
        ({"rules": "extended 3 + user rules (sha256 abababababab)"}, True),
        ({"semantics": "tfprof"}, True),
        ({"step": 1}, True),
        ({"leave_out": ["savers"]}, True),
        ({"batch": 8}, True),
        ({"input_shape": ["x=2,3"]}, True),
        ({"signature": "serving_default"}, True),
        ({"loops": "once"}, True),
        ({"min_bytes": 7}, False),  # which rows are shown
        ({"max_depth": 3, "order_by": "name"}, False),
        ({"new_option": "its default"}, False),
        ({"tool_version": "9.0"}, False),
    ],
)
def test_rows_that_are_counted_otherwise_have_another_word_for_it(
    small: dict[str, Any], change: dict[str, Any], *, is_other: bool
) -> None:
    own = {key: value for key, value in change.items() if key in small}
    options = {**small["options"], **{key: value for key, value in change.items() if key not in small}}
    assert (changed(small, options=options, **own)["counting"] != changed(small)["counting"]) == is_other


def test_inputs_of_other_names_and_the_same_sizes_are_counted_alike(small: dict[str, Any]) -> None:
    one, other = (
        changed(small, options={**small["options"], "input_shape": shapes})
        for shapes in (["x=1,2", "y=3"], ["b=3", "a=1,2"])
    )
    assert one["options"] == other["options"] == '{"input_shape":["1,2","3"]}'
    assert one["counting"] == other["counting"]


@pytest.mark.parametrize("version", [SCHEMA_VERSION + 1, 1, "3", None, True])
def test_a_report_of_another_schema_version_has_no_row(small: dict[str, Any], version: object) -> None:
    with pytest.raises(NoRowError, match="was written with schema version") as problem:
        changed(small, schema_version=version)
    assert problem.value.kind is Unusable.SCHEMA


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b"\xff", b"[" * 100_000, b'{"schema_version": 3}'])
def test_what_is_no_summary_has_no_row(data: bytes) -> None:
    with pytest.raises(NoRowError, match="its summary holds something else than any version writes") as problem:
        row_of(ENTRY, data)
    assert problem.value.kind is Unusable.DAMAGED


_VALUES = st.sampled_from([None, "", "x", "\ud800", -1, 2**63, 2**70, str(2**70), 1.5, float("nan"), [], {}, True, [1]])


@settings(max_examples=examples(300))
@given(data=st.data())
def test_no_change_of_a_summary_is_a_traceback(small: dict[str, Any], data: st.DataObject) -> None:
    summary = json.loads(json.dumps(small))
    place: Any = summary
    while True:
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(keys))
        if not place[key] or not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = data.draw(_VALUES)
    try:
        found = row_of(ENTRY, json.dumps(summary).encode())
    except NoRowError:
        return
    rows = pa.Table.from_pylist([found], schema=INDEX)
    rows.validate(full=True)
    assert rows.to_pylist()[0]["report"] == ENTRY.path


def test_a_report_of_several_models_has_no_row(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    assert call("report", "--model", f"one={model}", "--out", tmp_path / "all").code == 0
    with pytest.raises(NoRowError, match="something else"):
        row(tmp_path / "all")
