"""The pipeline of a report: the order of reading, which label and time take precedence, and which error is raised."""

from __future__ import annotations

import dataclasses
from dataclasses import replace
from pathlib import Path

import pytest
from command import CPU, WHEN, small_model, summary_of, write_model, write_report
from messages import entry, graph, new, node, op_log, ran, run_meta, used

from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.errors import BaselineError, InputError, OptionError
from tfprof_report.ingest.paths import InputPaths, resolve_paths
from tfprof_report.job import Job, run
from tfprof_report.model.measurement import Measurement
from tfprof_report.model.parts.leave_out import LeaveOut
from tfprof_report.model.parts.parts import Part
from tfprof_report.options import REPORT_OPTIONS
from tfprof_report.render.content.first_screen import make_screen
from tfprof_report.render.content.headline import headline, warnings_of
from tfprof_report.report.report import Report


def job_of(head: Path | InputPaths, base: Path | None = None, **changes: object) -> Job:
    job = Job(
        head=head if isinstance(head, InputPaths) else resolve_paths(str(head)),
        base=None if base is None else resolve_paths(str(base)),
        policy=Policy(),
        timestamp=WHEN,
    )
    return dataclasses.replace(job, **changes)


def report_of(job: Job) -> Report:
    return run(job, lambda _: None)


def test_progress_tells_every_stage_in_order(tmp_path: Path) -> None:
    base, head = small_model(tmp_path / "b"), small_model(tmp_path / "h")
    seen: list[str] = []
    run(job_of(head, base), seen.append)
    files = ("graph.pb", "run_meta_1", "run_meta_2", "tfprof_log")
    reading = [[f"reading {side / name}" for name in files] for side in (head, base)]
    assert [word for word in seen if word.startswith("reading")] == [*reading[0], *reading[1]]
    assert seen[4:6] == ["joining nodes", "scope view"]
    assert seen[-1] == "comparing"
    run(job_of(head), seen.append)
    assert seen[-1] == "summing up"


def test_a_report_is_plain_data_of_head(tmp_path: Path) -> None:
    report = report_of(job_of(small_model(tmp_path), label="dense", policy=Policy(gates=(parse_gate("params <= 1"),))))
    totals = {total.stem: (total.value, total.known, total.capable) for total in report.totals}
    assert totals["params"] == (12, 1, 1)
    assert totals["float_ops"] == (32, 2, 2)
    assert totals["micros"] == (50, 3, 3)
    assert (report.head.origin.label, report.head.origin.timestamp, report.timestamp) == ("dense", WHEN, WHEN)
    assert report.head.step_numbers == (1, 2)
    assert [(peak.step, peak.device_peak_bytes) for peak in report.head.devices] == [(1, 4096), (2, 4096)]
    assert (report.comparison, report.verdict.exit_code) == (None, 1)


def test_the_time_is_that_of_the_user_else_of_source_date_epoch_else_now(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    job = job_of(small_model(tmp_path))
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1")
    assert report_of(job).timestamp == WHEN
    assert report_of(dataclasses.replace(job, timestamp=None)).timestamp == "1970-01-01T00:00:01Z"
    monkeypatch.delenv("SOURCE_DATE_EPOCH")
    assert report_of(dataclasses.replace(job, timestamp=None)).timestamp > "2024"


@pytest.mark.parametrize("epoch", ["x", "1.5", "9" * 30])
def test_a_source_date_epoch_that_is_no_time_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, epoch: str
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", epoch)
    with pytest.raises(OptionError, match="not a number of seconds"):
        report_of(job_of(small_model(tmp_path), timestamp=None))


def test_a_problem_of_head_wins_over_one_of_base(tmp_path: Path) -> None:
    good = small_model(tmp_path / "good")
    bad = InputPaths(graph=str(tmp_path / "nosuch"))
    with pytest.raises(InputError, match=r"\(--head-graph\): no such file"):
        report_of(job_of(bad, base=good, side="head-"))
    with pytest.raises(BaselineError, match=r"\(--base-graph\): no such file"):
        report_of(dataclasses.replace(job_of(good), base=bad))
    with pytest.raises(InputError, match=r"\(--head-graph\): no such file"):
        report_of(dataclasses.replace(job_of(bad, side="head-"), base=bad))


def test_figures_that_leave_64_bits_are_blamed_on_the_side_that_has_them(tmp_path: Path) -> None:
    log = op_log(entry("a", float_ops=2**62), entry("b", float_ops=2**62))
    big = write_model(tmp_path / "big", graph(node("a", "M"), node("b", "M")), log=log)
    small = small_model(tmp_path / "small")
    with pytest.raises(InputError, match=r"big/graph.pb \(--graph\): the total of float_ops leaves the 64-bit range"):
        report_of(job_of(big))
    with pytest.raises(BaselineError, match=r"big/graph.pb \(--base-graph\): the total of float_ops leaves"):
        report_of(job_of(small, big))


def test_wrong_options_are_refused_before_anything_is_read(tmp_path: Path) -> None:
    job = job_of(InputPaths(graph=str(tmp_path / "nosuch")))
    for changes in ({"select": ("zork",)}, {"order_by": "zork"}, {"trim_name_regexes": ("(",)}):
        wrong = Measurement(options=dataclasses.replace(REPORT_OPTIONS, **changes))
        with pytest.raises(OptionError):
            report_of(dataclasses.replace(job, measurement=wrong))


def test_a_base_given_as_files_is_counted_with_the_options_of_heads_report(tmp_path: Path) -> None:
    model = small_model(tmp_path / "m")
    folder = write_report(model, tmp_path / "r", "--account-type-regexes", "MatMul")
    report = report_of(dataclasses.replace(job_of(model, model), head=str(folder)))
    assert report.head.measurement.as_dict()["account_type_regexes"] == ["MatMul"]
    assert report.comparison is not None
    assert set(report.comparison.views["scope"]["status"].to_pylist()) == {"unchanged"}
    assert summary_of(folder)["options"] == report.head.measurement.as_dict()


def test_each_side_may_have_its_own_steps(tmp_path: Path) -> None:
    base, head = small_model(tmp_path / "b"), small_model(tmp_path / "h")
    (base / "run_meta_2").unlink()
    report = report_of(job_of(head, base))
    assert report.comparison is not None
    micros = next(total for total in report.comparison.totals if total.stem == "micros")
    assert (micros.base, micros.head) == (35, 50)


def saved(folder: Path, *signatures: str) -> Path:
    """Write a SavedModel with the model ``v -> serve``, a copy of its variable, and the signatures named."""
    made = new("tensorflow.SavedModel")
    meta = made.meta_graphs.add()
    meta.graph_def.CopyFrom(
        graph(
            node("v", "VariableV2", shape=(3, 4)),
            node("serve", "Neg", "v", output_shapes=[(3, 4)]),
            node("copy", "VariableV2", shape=(3, 4)),
            node("more", "Neg", "copy", output_shapes=[(3, 4)]),
        )
    )
    for name in signatures:
        meta.signature_def[name].outputs["y"].name = f"{name}:0"
    folder.mkdir()
    (folder / "saved_model.pb").write_bytes(made.SerializeToString())
    return folder


def figures(report: Report) -> tuple[object, ...]:
    values = report.values
    return report.head.measurement.signature, values["params"], values["float_ops"], values["definition_count"]


def test_a_saved_model_is_what_its_signature_runs_and_the_rest_is_beside(tmp_path: Path) -> None:
    model = saved(tmp_path / "m", "serve")
    report = report_of(job_of(model, policy=Policy(gates=(parse_gate("params <= 12"),))))
    assert figures(report) == ("serve", 12, 12, 2)
    assert report.verdict.exit_code == 0
    (beside,) = report.head.left_out
    rest = {total.stem: total.value for total in beside.totals}
    assert beside.part == "not in the signature"
    whole = report_of(job_of(model, measurement=Measurement(leave_out=LeaveOut(outputs=("all",)))))
    assert figures(whole) == (None, 12 + rest["params"], 12 + rest["float_ops"], 2 + rest["definition_count"])
    assert headline(report).startswith("FLOPs 12, parameters 12, in 2 nodes of the signature serve; ")
    notes = {card.label: card.note for card in make_screen(report).cards}
    assert notes["Parameters"] == "12 more not in the signature"


@pytest.mark.parametrize(
    ("signatures", "reason"),
    [
        ([], "the SavedModel has no signature; functions that no node calls are not counted"),
        (
            ["more", "serve"],
            "the SavedModel has the signatures more, serve and no serving_default; --signature chooses one",
        ),
    ],
)
def test_without_a_signature_to_choose_all_counts_and_the_headline_says_so(
    tmp_path: Path, signatures: list[str], reason: str
) -> None:
    report = report_of(job_of(saved(tmp_path / "m", *signatures)))
    assert figures(report) == (None, 24, 24, 4)
    assert f". All nodes count, since {reason}." in headline(report)
    assert "All nodes count" not in headline(report_of(job_of(small_model(tmp_path / "plain"))))


def test_a_base_is_counted_by_heads_signature_and_another_one_is_said(tmp_path: Path) -> None:
    both, other = saved(tmp_path / "both", "more", "serve"), saved(tmp_path / "other", "more")
    head = replace(resolve_paths(str(both)), signature="serve")
    assert report_of(job_of(head, both)).comparison.base.measurement.signature == "serve"
    report = report_of(job_of(head, other))
    text = "base counts the signature more, head the signature serve: differences may come from that"
    assert text in {found.text for found in report.diagnostics if found.code == "other_signature"}
    assert f"{text[:1].upper()}{text[1:]}." in warnings_of(report)
    named = dataclasses.replace(job_of(head, other), base=replace(resolve_paths(str(other)), signature="serve"))
    with pytest.raises(OptionError, match=r"\(--base-signature\): there is no signature \"serve\"; choose from more"):
        report_of(named)


def test_memory_at_the_peak_is_that_of_all_nodes_and_the_estimate_of_those_that_count(tmp_path: Path) -> None:
    nodes = [node("x", "Relu", output_shapes=[[5]]), node("gradients/y", "ReluGrad", "x", output_shapes=[[5]])]
    runs = [ran(each.name, memory=[used("cpu", records=[(1, 8)])]) for each in nodes]
    model = write_model(tmp_path / "m", graph(*nodes), {1: run_meta({CPU: runs})})
    both = report_of(job_of(model)).head
    measurement = Measurement(leave_out=LeaveOut(parts=(Part.GRADIENTS,)))
    kept = report_of(job_of(model, measurement=measurement)).head
    rows = [(None, "gradients/y", "gradients", 8), (0, "x", "activations", 8), (None, None, "not recorded", None)]
    columns = ("node", "name", "kind", "bytes")
    assert list(zip(*(kept.peak[name].to_pylist() for name in columns), strict=True)) == rows
    assert both.peak["node"].to_pylist() == [1, 0, None]
    assert both.estimate is not None
    assert kept.estimate is not None
    assert (both.estimate.capable, kept.estimate.capable) == (2, 1)
