"""diff and report --baseline: every kind of side, unusable baselines, gates on every metric, totals that add up."""

from __future__ import annotations

import hashlib
import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from command import CPU, WHEN, Outcome, call, contents, small_model, summary_of, write_model, write_report
from examples import every
from messages import entry, graph, node, op_log, ran, run_meta, used

from tfprof_report.compare.gates.grammar import UNITS
from tfprof_report.report.folder import read_report_folder
from tfprof_report.schema.metrics import SCHEMA_VERSION


def diff(base: object, head: object, out: Path, *arguments: object) -> Outcome:
    return call("diff", base, head, "--out", out, "--timestamp", WHEN, *arguments)


def relevant(folder: Path) -> dict[str, Any]:
    """Return what a comparison found, without the names of inputs."""
    summary = summary_of(folder)
    comparison = {key: value for key, value in summary["comparison"].items() if key != "base"}
    tables = {path.name: pq.read_table(path).to_pylist() for path in sorted(folder.glob("*.parquet"))}
    return {"comparison": comparison, "verdict": summary["verdict"], "tables": tables}


@pytest.mark.thorough
def test_each_side_may_be_a_folder_files_or_an_earlier_report(tmp_path: Path) -> None:
    base, head = small_model(tmp_path / "b"), small_model(tmp_path / "h", width=5, float_ops=30)
    reports = [write_report(side, tmp_path / f"r{side.name}") for side in (base, head)]
    files = [
        part
        for word, side in (("base", base), ("head", head))
        for part in (
            *(f"--{word}-graph", side / "graph.pb", f"--{word}-op-log", side / "tfprof_log"),
            *(f"--{word}-run-meta", f"1={side / 'run_meta_1'}", f"--{word}-run-meta", f"2={side / 'run_meta_2'}"),
        )
    ]
    lists = ["--base_run_meta_path", f"1={base / 'run_meta_1'},2={base / 'run_meta_2'}"]
    runs = {
        "folders": diff(base, head, tmp_path / "folders"),
        "reports": diff(*reports, tmp_path / "reports"),
        "mixed": diff(reports[0], head, tmp_path / "mixed"),
        "files": call("diff", *files, "--out", tmp_path / "files", "--timestamp", WHEN),
        "file": diff(base / "graph.pb", head, tmp_path / "file", *lists, "--base-op-log", base / "tfprof_log"),
        "baseline": call("report", head, "--baseline", reports[0], "--out", tmp_path / "baseline", "--timestamp", WHEN),
    }
    assert {name: (outcome.code, outcome.out.splitlines()[-1]) for name, outcome in runs.items()} == dict.fromkeys(
        runs, (0, "NOT JUDGED: 3 rows matched (3 changed), 0 new, 0 removed, 18 figures compared, no gates.")
    )
    found = [relevant(tmp_path / name) for name in runs]
    assert all(other == found[0] for other in found[1:])


def test_a_report_against_its_own_inputs_is_all_unchanged(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    out = tmp_path / "out"
    traced = [metric for metric in UNITS if metric not in ("macs", "param_bytes") and not metric.endswith("micros")]
    gates = [part for metric in traced for part in ("--gate", f"{metric} == +0")]
    outcome = diff(write_report(model, tmp_path / "r"), model, out, *gates)
    assert outcome.code == 0, outcome
    summary = summary_of(out)
    assert summary["comparison"]["counts"] == {"new": 0, "removed": 0, "changed": 0, "unchanged": 3}
    states = {total["stem"]: total["state"] for total in summary["comparison"]["totals"]}
    assert states.pop("param_bytes") == "unknown"  # the graph has no type
    assert set(states.values()) == {"unchanged"}
    for file in out.glob("diff_*.parquet"):
        table = pq.read_table(file)
        if "status" in table.column_names:
            assert set(table["status"].to_pylist()) == {"unchanged"}
        else:  # what devices do has no row that is new or removed
            assert set(table["delta_nanos"].to_pylist()) <= {0, None}


GATES = {
    "params": ("12", "15"),
    "float_ops": ("24", "25"),
    "run_float_ops": ("24", "25"),
    "bytes": ("256", "512"),
    "peak_bytes": ("128", "256"),
    "residual_bytes": ("64", "128"),
    "output_bytes": ("100", "200"),
    "device_peak_bytes": ("4096", "8192"),
    "micros": ("50", "100"),
    "accelerator_micros": ("20", "40"),
    "cpu_micros": ("30", "60"),
    "run_count": ("1", "2"),
    "definition_count": ("3", "4"),
}


def traced(folder: Path, *, times: int) -> Path:
    """Write a model with the left figures of `GATES` if `times` is 1, and the right ones if it is 2."""
    nodes = [node("v", "VariableV2", shape=[3, 3 + times]), node("m", "MatMul"), node("x", "NoOp"), node("y", "NoOp")]
    memory = [used("cpu", total=256 * times, peak=128 * times, live=64 * times, in_use=4096 * times)]
    runs = [ran("m", micros=30 * times, memory=memory, outputs=[(100 * times, 0)])]
    if times == 2:
        runs[0].op_end_rel_micros -= 1
        runs.append(ran("x", micros=1))
    kernels = [ran("m", micros=20 * times)]
    log = op_log(entry("m", float_ops=23 + times))
    return write_model(
        folder,
        graph(*nodes[: 2 + times]),
        {1: run_meta({CPU: runs, "/device:GPU:0/stream:all": kernels})},
        log,
    )


@pytest.mark.parametrize("metric", every(4, GATES))
def test_every_metric_can_be_gated_from_the_command_line(tmp_path: Path, metric: str) -> None:
    base, head = traced(tmp_path / "b", times=1), traced(tmp_path / "h", times=2)
    old, new = map(int, GATES[metric])
    passing = [f"{metric} <= {new}", f"{metric} >= +{new - old}", f"{metric} == +{new - old}", f"{metric} >= +1%"]
    failing = [f"{metric} <= {new - 1}", f"{metric} <= +{new - old - 1}", f"{metric} == +0", f"{metric} <= +0%"]
    given = [part for gate in (*passing, *failing) for part in ("--gate", gate)]
    outcome = diff(base, head, tmp_path / "o", *given)
    found = {gate["gate"]: gate["status"] for gate in summary_of(tmp_path / "o")["verdict"]["gates"]}
    expected = dict.fromkeys(passing, "passed") | dict.fromkeys(failing, "failed")
    if metric.endswith("micros"):  # with one step a change of time cannot be judged, only the time itself
        expected |= {gate: "inconclusive" for gate in (*passing, *failing) if "+" in gate}
    assert found == expected
    assert outcome.code == 1


def test_totals_are_those_of_matched_rows_plus_those_of_new_or_removed_ones(tmp_path: Path) -> None:
    base = write_model(
        tmp_path / "b",
        graph(node("both", "MatMul"), node("old", "MatMul"), node("v", "VariableV2", shape=[7])),
        {1: run_meta({CPU: [ran("both", micros=5), ran("old", micros=2)]})},
        op_log(entry("both", float_ops=10), entry("old", float_ops=3)),
    )
    head = write_model(
        tmp_path / "h",
        graph(node("both", "MatMul"), node("new", "MatMul"), node("v", "VariableV2", shape=[9])),
        {1: run_meta({CPU: [ran("both", micros=6), ran("new", micros=1)]})},
        op_log(entry("both", float_ops=11), entry("new", float_ops=2**53)),
    )
    assert diff(base, head, tmp_path / "o").code == 0
    totals = {total["stem"]: total for total in summary_of(tmp_path / "o")["comparison"]["totals"]}
    names = ("base", "matched_base", "removed", "head", "matched_head", "added", "delta")

    def figures(stem: str) -> list[int | None]:
        return [None if totals[stem][name] is None else int(totals[stem][name]) for name in names]

    assert figures("params") == [7, 7, 0, 9, 9, 0, 2]
    assert figures("float_ops") == [13, 10, 3, 2**53 + 11, 11, 2**53, 2**53 - 2]
    assert figures("micros") == [7, 5, 2, 7, 6, 1, 0]
    assert figures("definition_count") == [3, 2, 1, 3, 2, 1, 0]
    assert figures("bytes") == [None] * 7
    for total in totals.values():
        if total["base"] is not None and total["head"] is not None:
            old, new = ([int(total[name]) for name in part] for part in (names[:3], names[3:6]))
            assert (old[0], new[0]) == (old[1] + old[2], new[1] + new[2])


def edit(folder: Path, **changes: object) -> None:
    """Change keys of a summary; None removes one."""
    content = json.loads((folder / "summary.json").read_text()) | changes
    kept = {key: value for key, value in content.items() if value is not None or key not in changes}
    (folder / "summary.json").write_text(json.dumps(kept))


def forge(folder: Path, data: bytes) -> None:
    """Replace the nodes and their digest."""
    (folder / "nodes.parquet").write_bytes(data)
    files = summary_of(folder)["files"]
    files["nodes.parquet"]["sha256"] = hashlib.sha256(data).hexdigest()
    edit(folder, files=files)


def flip(file: Path) -> None:
    data = bytearray(file.read_bytes())
    data[len(data) // 2] ^= 1
    file.write_bytes(data)


def other_table() -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table({"name": ["a"]}), sink)
    return sink.getvalue()


CHANGED = "is not the file that summary.json lists: the folder is incomplete or was changed"
READ = f"{SCHEMA_VERSION - 1} and {SCHEMA_VERSION}"
DAMAGES: dict[str, tuple[Callable[[Path], object], str, str]] = {
    "another version": (
        lambda folder: edit(folder, schema_version=SCHEMA_VERSION - 2),
        "summary.json",
        f"was written with schema version {SCHEMA_VERSION - 2}, this version reads {READ}",
    ),
    "a changed byte": (lambda folder: flip(folder / "nodes.parquet"), "nodes.parquet", CHANGED),
    "another file": (lambda folder: (folder / "op.parquet").write_bytes(b""), "op.parquet", CHANGED),
    "other columns": (
        lambda folder: forge(folder, other_table()),
        "nodes.parquet",
        "does not have the columns of this version",
    ),
    "no Parquet": (lambda folder: forge(folder, b"PAR1"), "nodes.parquet", "is not a Parquet file"),
    "no JSON": (
        lambda folder: (folder / "summary.json").write_text("{"),
        "summary.json",
        "is not the summary of a report",
    ),
    "a list": (
        lambda folder: (folder / "summary.json").write_text("[]"),
        "summary.json",
        "is not the summary of a report",
    ),
    "deep JSON": (
        lambda folder: (folder / "summary.json").write_text("[" * 100_000),
        "summary.json",
        "is not the summary of a report",
    ),
    "a lost key": (
        lambda folder: edit(folder, side=None),
        "summary.json",
        "holds something else than this version writes",
    ),
    "a wrong type": (
        lambda folder: edit(folder, devices=[3]),
        "summary.json",
        "holds something else than this version writes",
    ),
    "unknown semantics": (
        lambda folder: edit(folder, semantics="mine"),
        "summary.json",
        "names unknown semantics, mine",
    ),
}


@pytest.mark.parametrize("how", every(3, DAMAGES))
def test_an_unusable_report_folder_is_one_line_with_the_code_of_its_side(tmp_path: Path, how: str) -> None:
    model = small_model(tmp_path / "m")
    folder = write_report(model, tmp_path / "r")
    damage, file, words = DAMAGES[how]
    damage(folder)
    line = f"{folder / file}: {words}; write the report again with this version"
    runs = {
        4: [diff(folder, model, tmp_path / "o"), call("report", model, "--baseline", folder, "--out", tmp_path / "o")],
        3: [diff(model, folder, tmp_path / "o"), diff(folder, folder, tmp_path / "o")],
    }
    for code, outcomes in runs.items():
        for outcome in outcomes:
            assert (outcome.code, outcome.out, outcome.error) == (code, "", line)
    assert not (tmp_path / "o").exists()


def test_a_report_folder_without_a_listed_file_is_incomplete(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    folder = write_report(model, tmp_path / "r")
    (folder / "op.parquet").unlink()
    outcome = diff(folder, model, tmp_path / "o")
    line = "cannot be read (No such file or directory); give a finished report folder"
    assert (outcome.code, outcome.error) == (4, f"{folder / 'op.parquet'}: {line}")


def test_a_report_without_its_summary_is_a_folder_without_a_graph(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    folder = write_report(model, tmp_path / "r")
    (folder / "summary.json").unlink()
    base, head = diff(folder, model, tmp_path / "o"), diff(model, folder, tmp_path / "o")
    for outcome, code, option in ((base, 4, "--base-graph"), (head, 3, "--head-graph")):
        assert outcome.code == code
        assert outcome.error.startswith(f"{folder}: the folder holds no graph.pb")
        assert outcome.error.endswith(f"; name the graph with {option}")


@pytest.mark.thorough
def test_a_baseline_that_counted_other_rows_is_incompatible(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    base = write_report(model, tmp_path / "r", "--account-type-regexes", "MatMul", "--semantics", "tfprof")
    outcome = diff(base, model, tmp_path / "o")
    assert (outcome.code, outcome.error) == (
        4,
        (
            f"{base}: was written with another --account-type-regexes and --semantics than head; "
            "write the report again with the same options"
        ),
    )
    assert diff(base, base, tmp_path / "o").code == 0
    assert diff(model, base, tmp_path / "o").code == 0  # files of base are counted with the options of head
    assert summary_of(tmp_path / "o")["semantics"] == "tfprof"
    assert summary_of(tmp_path / "o")["options"]["account_type_regexes"] == ["MatMul"]


def test_a_report_folder_brings_its_names_and_new_ones_win(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    head = write_report(model, tmp_path / "r", "--label", "old", "--commit", "abc")
    assert call("report", head, "--out", tmp_path / "o", "--label", "new", "--timestamp", "later").code == 0
    summary = summary_of(tmp_path / "o")
    assert (summary["side"]["label"], summary["side"]["commit"]) == ("new", "abc")
    assert (summary["side"]["timestamp"], summary["timestamp"]) == (WHEN, "later")


def test_a_report_folder_may_be_moved_and_replaced_by_the_report_of_itself(tmp_path: Path) -> None:
    folder = write_report(small_model(tmp_path / "m"), tmp_path / "r")
    moved = Path(shutil.move(folder, tmp_path / "elsewhere"))
    before = contents(moved)
    assert call("report", moved, "--out", moved, "--timestamp", WHEN).code == 0
    assert contents(moved) == before
    assert read_report_folder(str(moved)).nodes.num_rows == 3


def test_nothing_in_common_is_inconclusive(tmp_path: Path) -> None:
    base = write_model(tmp_path / "b", graph(node("a", "X")))
    head = write_model(tmp_path / "h", graph(node("b", "X")))
    outcome = diff(base, head, tmp_path / "o")
    assert outcome.code == 5
    assert outcome.out.splitlines()[-1] == (
        "INCONCLUSIVE: nothing is comparable, no node of head has a name that base knows; "
        "0 rows matched (0 changed), 1 new, 1 removed, 4 figures compared, no gates."
    )


@pytest.mark.thorough
def test_a_gated_figure_that_is_not_known_is_inconclusive(tmp_path: Path) -> None:
    base = small_model(tmp_path / "b")
    head = write_model(tmp_path / "h", graph(node("fc/MatMul", "MatMul")))
    for gate in ("float_ops <= +0", "micros <= +10%", "float_ops <= 1T", "device_peak_bytes <= +0"):
        assert diff(base, head, tmp_path / "o", "--gate", gate).code == 5, gate
    assert diff(base, head, tmp_path / "o", "--gate", "float_ops <= +0", "--gate", "params <= -99").code == 1


def test_a_difference_beyond_64_bits_is_one_line(tmp_path: Path) -> None:
    base = write_model(tmp_path / "b", graph(node("a", "M")), log=op_log(entry("a", float_ops=-(2**62))))
    head = write_model(tmp_path / "h", graph(node("a", "M")), log=op_log(entry("a", float_ops=2**63 - 1)))
    outcome = diff(base, head, tmp_path / "o")
    assert (outcome.code, outcome.error) == (
        3,
        (
            "float_ops of a row changes by more than a 64-bit number holds; "
            "check the figures of both sides in the op log"
        ),
    )


@pytest.mark.parametrize("is_folder", [False, True], ids=["files", "report folder"])
def test_the_commit_of_the_base_is_named_whatever_the_base_is(tmp_path: Path, *, is_folder: bool) -> None:
    model = small_model(tmp_path / "m")
    base = write_report(model, tmp_path / "r", "--commit", "other") if is_folder else model
    commits = ("--base-commit", "ba5e", "--commit", "4ead")
    assert call("diff", base, model, "--out", tmp_path / "o", *commits).code == 0
    summary = summary_of(tmp_path / "o")
    assert (summary["comparison"]["base"]["commit"], summary["side"]["commit"]) == ("ba5e", "4ead")


def test_a_commit_of_no_base_is_refused(tmp_path: Path) -> None:
    outcome = call("report", small_model(tmp_path / "m"), "--out", tmp_path / "o", "--base-commit", "ba5e")
    assert outcome.code == 2
    assert outcome.error == "--base-commit: there is no base; name one with --baseline or leave it out"
