"""A report folder read back gives the measured side, bit by bit."""

from __future__ import annotations

import dataclasses
import hashlib
import json
import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import CPU, WHEN, call, small_model, summary_of, write_model, write_report
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import graph, node, ran, run_meta, used

from tfprof_report.compare.compare import compare
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError, InputError
from tfprof_report.ingest.paths import resolve_paths
from tfprof_report.job import Job, run
from tfprof_report.model.measurement import Measurement
from tfprof_report.options import REPORT_OPTIONS
from tfprof_report.report.folder import read_report_folder
from tfprof_report.report.unfinished import is_report_folder
from tfprof_report.schema.metrics import COUNTING_VERSION


def test_what_is_read_back_is_what_was_measured(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    out = write_report(model, tmp_path / "r", "--label", "x", "--hide-name-regexes", "fc")
    paths = resolve_paths(str(model))
    measurement = Measurement(options=dataclasses.replace(REPORT_OPTIONS, hide_name_regexes=("fc",)))
    job = Job(head=paths, base=None, policy=Policy(), measurement=measurement, label="x", timestamp=WHEN)
    report = run(job, lambda _: None)
    earlier = read_report_folder(str(out))
    assert earlier.origin == report.head.origin
    assert earlier.nodes.equals(report.head.nodes)
    assert earlier.steps.equals(report.head.steps)
    assert earlier.step_numbers == report.head.step_numbers
    assert earlier.devices == report.head.devices
    assert earlier.memory.equals(report.head.memory)
    assert earlier.peak.equals(report.head.peak)
    assert earlier.peak.num_rows
    assert earlier.estimate == report.head.estimate is not None
    assert earlier.diagnostics == report.diagnostics
    assert earlier.measurement == report.head.measurement == measurement
    assert earlier.views.keys() == report.head.views.keys()
    for name, view in report.head.views.items():
        assert earlier.views[name].rows.equals(view.rows.cast(earlier.views[name].rows.schema)), name
        assert earlier.views[name].shown_rows().equals(view.shown_rows()), name
        assert earlier.views[name].total == view.total, name


@pytest.mark.thorough
def test_a_report_keeps_the_version_by_which_it_was_counted(tmp_path: Path) -> None:
    out = write_report(small_model(tmp_path / "m"), tmp_path / "r")
    file = out / "summary.json"
    assert summary_of(out)["counting_version"] == COUNTING_VERSION
    for version, words in ((7, '"counting_version": 7,'), (1, "")):  # 1: written before there was a version
        other = tmp_path / f"v{version}"
        shutil.copytree(out, other)
        (other / "summary.json").write_text(file.read_text().replace(f'"counting_version": {COUNTING_VERSION},', words))
        assert read_report_folder(str(other)).counting_version == version
        again = write_report(other, tmp_path / f"again{version}")
        assert summary_of(again)["counting_version"] == version
        metadata = pq.read_schema(again / "nodes.parquet").metadata
        assert metadata[b"tfprof_report.counting_version"] == str(version).encode()
        assert compare(read_report_folder(str(other)), read_report_folder(str(out))).matched_nodes == 3


def test_numbers_beyond_doubles_come_back(tmp_path: Path) -> None:
    big = 10**17 + 1
    trace = run_meta({CPU: [ran("a", micros=1, memory=[used("cpu", in_use=big, records=[(5, 7)])])]})
    model = write_model(tmp_path / "m", graph(node("a", "X")), {big: trace})
    out = write_report(model, tmp_path / "r", "--min-bytes", str(-big))
    earlier = read_report_folder(str(out))
    assert earlier.step_numbers == (big,)
    assert [(peak.step, peak.device_peak_bytes) for peak in earlier.devices] == [(big, big)]
    assert earlier.measurement.options.min_bytes == -big
    assert earlier.origin.inputs[1].step == big
    assert [tuple(row.values())[1:] for row in earlier.memory.to_pylist()] == [(big, 0, 7)]
    again = write_report(out, tmp_path / "again")
    assert summary_of(again) == summary_of(out)


def test_a_folder_is_a_report_by_its_summary(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    assert not is_report_folder(str(model))
    assert not is_report_folder(str(model / "graph.pb"))
    assert not is_report_folder(str(tmp_path / "nosuch"))
    assert is_report_folder(str(write_report(model, tmp_path / "r")))


def test_a_report_in_the_folder_of_its_model_does_not_hide_the_model(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    write_report(model, model)
    small_model(model, width=100)
    assert not is_report_folder(str(model))
    outcome = call("report", model, "--out", tmp_path / "o", "--gate", "params <= 12")
    assert outcome.code == 1


def test_the_caller_says_which_error_it_is(tmp_path: Path) -> None:
    for kind in (InputError, BaselineError):
        with pytest.raises(kind, match="cannot be read"):
            read_report_folder(str(tmp_path / "nosuch"), kind)


_JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3)),
    lambda inner: st.one_of(st.lists(inner, max_size=2), st.dictionaries(st.text(max_size=3), inner, max_size=2)),
    max_leaves=3,
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    tmp_path = tmp_path_factory.mktemp("folder")
    return write_report(small_model(tmp_path / "m"), tmp_path / "r")


@pytest.mark.thorough
@given(data=st.data(), value=_JSON)
@settings(max_examples=examples(120), deadline=None)
def test_any_change_of_the_summary_is_read_or_one_error(folder: Path, data: st.DataObject, value: object) -> None:
    summary = folder / "summary.json"
    original = summary.read_text()
    content = json.loads(original)
    spot = content
    key = data.draw(st.sampled_from(sorted(content)))
    while isinstance(spot[key], (dict, list)) and spot[key] and data.draw(st.booleans()):
        spot = spot[key]
        key = data.draw(st.sampled_from(sorted(spot) if isinstance(spot, dict) else range(len(spot))))
    spot[key] = value
    summary.write_text(json.dumps(content))
    with suppress(BaselineError):  # anything else fails the test
        read_report_folder(str(folder))
    summary.write_text(original)


@pytest.mark.parametrize("name", ["label", "commit", "branch", "timestamp"])
def test_a_name_that_is_no_text_is_refused(folder: Path, tmp_path: Path, name: str) -> None:
    changed = tmp_path / "changed"
    shutil.copytree(folder, changed)
    summary = json.loads((changed / "summary.json").read_text())
    summary["side"][name] = 1 << 70
    (changed / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(BaselineError, match="holds something else than this version writes"):
        read_report_folder(str(changed))


@pytest.mark.parametrize("count", [-8, 10**6])
def test_a_view_with_more_or_fewer_unknown_nodes_than_can_be_is_refused(
    folder: Path, tmp_path: Path, count: int
) -> None:
    shutil.copytree(folder, tmp_path / "r")
    change_column(tmp_path / "r", "scope", "unknown_bytes", lambda counts: [count] * len(counts))
    with pytest.raises(BaselineError, match=r"scope\.parquet: has another number of nodes without bytes"):
        read_report_folder(str(tmp_path / "r"))


def change_column(report: Path, name: str, column: str, change: Callable[[list[Any]], list[Any]]) -> None:
    """Change a column of a table of a report, with the digest in its summary."""
    file, summary = report / f"{name}.parquet", report / "summary.json"
    table = pq.read_table(file)
    values = pa.array(change(table[column].to_pylist()), table.schema.field(column).type)
    pq.write_table(table.set_column(table.column_names.index(column), column, values), file)
    content = json.loads(summary.read_text())
    content["files"][file.name]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    summary.write_text(json.dumps(content))


ROW_NUMBERS = ("row", "parent", "depth", "subtree_size", "node", "position")


@given(
    column=st.sampled_from(ROW_NUMBERS),
    place=st.integers(0, 2),
    number=st.one_of(st.none(), st.integers(-3, 12), st.integers(-(2**63), 2**63 - 1)),
)
@settings(max_examples=examples(60), deadline=None)
def test_any_change_of_a_row_number_of_a_view_is_read_or_one_error(
    folder: Path, column: str, place: int, number: int | None
) -> None:
    file, summary = folder / "scope.parquet", folder / "summary.json"
    original, listed = file.read_bytes(), summary.read_bytes()
    try:
        change_column(folder, "scope", column, lambda numbers: [*numbers[:place], number, *numbers[place + 1 :]])
    except (OverflowError, pa.ArrowInvalid):
        return  # the column cannot hold the number
    with suppress(BaselineError):
        side = read_report_folder(str(folder))
        compare(side, side)  # whatever was read can be compared
    file.write_bytes(original)
    summary.write_bytes(listed)


def test_a_view_whose_parents_are_no_rows_is_refused(folder: Path, tmp_path: Path) -> None:
    shutil.copytree(folder, tmp_path / "r")
    change_column(tmp_path / "r", "graph", "parent", lambda parents: [10**18] * len(parents))
    with pytest.raises(BaselineError, match=r"graph\.parquet: has rows that are not those of a view"):
        read_report_folder(str(tmp_path / "r"))


@pytest.mark.thorough
def test_a_report_of_a_comparison_stands_for_its_head(tmp_path: Path) -> None:
    base, head = small_model(tmp_path / "b", width=7), small_model(tmp_path / "h")
    assert call("diff", base, head, "--out", tmp_path / "d", "--timestamp", WHEN).code == 0
    alone = write_report(head, tmp_path / "r")
    one, other = (read_report_folder(str(path)) for path in (tmp_path / "d", alone))
    assert one.nodes.equals(other.nodes)
    assert one.origin == other.origin


def test_a_report_that_has_no_peak_table_does_not_know_it(tmp_path: Path) -> None:
    known = write_report(small_model(tmp_path / "m"), tmp_path / "r")
    older = tmp_path / "older"
    shutil.copytree(known, older)
    (older / "peak.parquet").unlink()
    summary = json.loads((older / "summary.json").read_text())
    del summary["files"]["peak.parquet"]
    (older / "summary.json").write_text(json.dumps(summary))
    side = read_report_folder(str(older))
    assert (side.peak.num_rows, side.device_peak) == (0, read_report_folder(str(known)).device_peak)
    assert compare(side, read_report_folder(str(known))).peak.num_rows == 0


@pytest.mark.parametrize("row", [-1, 10**6])
def test_a_peak_of_nodes_that_are_not_there_is_refused(tmp_path: Path, row: int) -> None:
    out = write_report(small_model(tmp_path / "m"), tmp_path / "r")
    file = out / "peak.parquet"
    table = pq.read_table(file)
    pq.write_table(table.set_column(4, "node", pa.array([row] * table.num_rows, pa.int64())), file)
    summary = json.loads((out / "summary.json").read_text())
    summary["files"]["peak.parquet"]["sha256"] = hashlib.sha256(file.read_bytes()).hexdigest()
    (out / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(BaselineError, match=r"peak\.parquet: names nodes that nodes\.parquet does not have"):
        read_report_folder(str(out))


@pytest.mark.parametrize("change", [{"known": -1}, {"known": 10**9}, {"capable": 10**9}, {"value": str(2**63)}])
def test_an_estimate_that_the_nodes_cannot_have_is_refused(tmp_path: Path, change: dict[str, Any]) -> None:
    out = write_report(small_model(tmp_path / "m"), tmp_path / "r")
    summary = json.loads((out / "summary.json").read_text())
    next(total for total in summary["totals"] if total["stem"] == "estimated_peak_bytes").update(change)
    (out / "summary.json").write_text(json.dumps(summary))
    with pytest.raises(BaselineError, match="has an estimated_peak_bytes that its nodes can't have"):
        read_report_folder(str(out))
