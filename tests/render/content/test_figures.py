"""The figures of one model and what they are made of: parts add up, and what is unknown is never a number."""

from __future__ import annotations

import dataclasses
from typing import Any

import pyarrow as pa
import pytest
from layer_rows import layers_of
from report_builders import make_comparison_report, make_report, make_side

from tfprof_report.diagnostics import FIRST_STEP, Diagnostic, Severity
from tfprof_report.model.parts.peak_kinds import BufferKind
from tfprof_report.model.totals import DevicePeak, StepWall, Total
from tfprof_report.render.content.figures import Figure, figures_of
from tfprof_report.report.at_peak import AtPeak, Held
from tfprof_report.report.breakdowns import ALL, ParamTotal
from tfprof_report.report.report import Report
from tfprof_report.schema.metrics import ESTIMATED_PEAK

TRAINED: dict[str | None, dict[str, Any]] = {
    "conv": {"float_ops": 700, "forward_float_ops": 200, "backward_float_ops": 500},
    None: {"float_ops": 300, "optimizer_float_ops": 300},
}
GPU = "/job:localhost/replica:0/task:0/device:GPU:0"


def total(stem: str, value: float | None, known: int = 10, capable: int = 10) -> Total:
    return Total(stem=stem, value=value, known=known, capable=capable)


def model(*totals: Total, **changes: Any) -> Report:
    """Return a report of a model without devices and steps, unless `changes` have some."""
    without = {"devices": (), "step_numbers": (), "totals": totals}
    return make_report(**{**without, **changes})


def figure_of(report: Report, label: str) -> Figure:
    return next(figure for figure in figures_of(report) if figure.label == label)


def parts_of(figure: Figure) -> list[tuple[str, str]]:
    return [(part.name.text, part.words) for part in figure.parts]


def param(kind: str, params: int | None, known: int = 2) -> ParamTotal:
    return ParamTotal(kind=kind, nodes=2, guesses=0, known=known, params=params, param_bytes=params and 4 * params)


def peak(*kinds: tuple[BufferKind, int | None], size: int = 1024) -> dict[str, Any]:
    held = tuple(Held(kind=kind, base=None, head=size) for kind, size in kinds)
    found = AtPeak(device=GPU, step=7, micros=5, peak=size, base_peak=None, kinds=held, holders=(), holder_count=0)
    device = DevicePeak(device=GPU, step=7, device_peak_bytes=size, source="allocator_bytes_in_use")
    return {"at_peak": found, "devices": (device,)}


def test_a_comparison_has_none() -> None:
    assert figures_of(make_comparison_report()) == ()


def test_flops_are_made_of_the_phases_of_all_layers() -> None:
    report = model(total("float_ops", 1000), total("macs", 400), layers=layers_of(TRAINED))
    flops = figure_of(report, "FLOPs")
    assert flops.amount.text == "1.00 k"
    assert parts_of(flops) == [
        ("forward", "200 (20.00 %)"),
        ("gradients", "500 (50.00 %)"),
        ("optimizer", "300 (30.00 %)"),
    ]
    assert [part.share for part in flops.parts] == [0.2, 0.5, 0.3]
    assert flops.notes == ("all 10 nodes counted", "400 multiply-adds")


def test_parts_of_a_lower_bound_are_of_what_is_known() -> None:
    report = model(total("float_ops", 1000, 9), layers=layers_of(TRAINED))
    flops = figure_of(report, "FLOPs")
    assert (flops.amount.text, flops.whole, len(flops.parts)) == ("at least 1.00 k", "of what is known", 3)


def test_flops_of_one_phase_have_no_parts() -> None:
    layers = layers_of({"conv": {"float_ops": 700, "forward_float_ops": 700}})
    flops = figure_of(model(total("float_ops", 700), layers=layers), "FLOPs")
    assert flops.parts == ()
    assert flops.notes[0] == "forward only"


@pytest.mark.parametrize("layers", [layers_of({}), layers_of({"conv": {"forward_float_ops": 1}})], ids=["none", "less"])
def test_parts_that_do_not_add_up_are_left_away(layers: pa.Table) -> None:
    assert figure_of(model(total("float_ops", 1000), layers=layers), "FLOPs").parts == ()


@pytest.mark.parametrize(
    ("known", "capable", "value", "amount", "note"),
    [
        (999, 1000, 1000, "at least 1.00 k", "only 999 of 1,000 nodes counted (99.9 %)"),
        (0, 3, None, "unknown", "only 0 of 3 nodes counted (0 %)"),
        (1, 1, 5, "5", "its only node counted"),
        (0, 0, 0, "0", "no node has any to count"),
    ],
)
def test_flops_say_how_many_nodes_are_counted(
    known: int, capable: int, value: int | None, amount: str, note: str
) -> None:
    flops = figure_of(model(total("float_ops", value, known, capable)), "FLOPs")
    assert (flops.amount.text, flops.notes, flops.parts) == (amount, (note,), ())


def test_trainable_parameters_are_the_figure_and_optimizer_state_a_part() -> None:
    kinds = (
        param("trainable", 60),
        param("slot", 120),
        param("not_trainable", 20),
        param("unused", 99),
        param(ALL, 200),
    )
    params = figure_of(model(total("params", 200), param_totals=kinds), "Parameters")
    assert (params.amount.text, params.what) == ("60", "trainable")
    assert parts_of(params) == [
        ("trainable", "60 (30.00 %)"),
        ("optimizer state", "120 (60.00 %)"),
        ("not trainable", "20 (10.00 %)"),
    ]
    assert params.notes == ("200 in all, 800 B",)


def test_frozen_parameters_are_all_there_is() -> None:
    kinds = (param("frozen", 50), param(ALL, 50))
    params = figure_of(model(total("params", 50), param_totals=kinds), "Parameters")
    assert (params.amount.text, params.what, params.parts, params.notes) == ("50", "frozen", (), ("200 B",))


@pytest.mark.parametrize(
    "kinds", [(), (param("trainable", 60, known=1), param(ALL, 60, known=1))], ids=["none", "some"]
)
def test_parameters_that_are_not_all_known_have_no_parts(kinds: tuple[ParamTotal, ...]) -> None:
    params = figure_of(model(total("params", 60, 1, 2), param_totals=kinds), "Parameters")
    assert (params.amount.text, params.what, params.parts, params.notes) == (
        "at least 60",
        "",
        (),
        ("without those of 1 node",),
    )


def test_the_peak_is_made_of_what_is_alive() -> None:
    report = model(**peak((BufferKind.ACTIVATIONS, 768), (BufferKind.WEIGHTS, 256)))
    memory = figure_of(report, "Peak memory")
    assert memory.amount.text == "1.00 KiB"
    assert parts_of(memory) == [("activations", "768 B (75.00 %)"), ("weights", "256 B (25.00 %)")]
    assert memory.notes == ("on GPU:0 in step 7",)


def test_a_peak_with_an_unknown_part_has_no_parts() -> None:
    report = model(**peak((BufferKind.ACTIVATIONS, 768), (BufferKind.NOT_RECORDED, None)))
    memory = figure_of(report, "Peak memory")
    assert memory.parts == ()
    assert memory.notes == ("what holds it is not known as a whole", "on GPU:0 in step 7")
    without = dataclasses.replace(report, at_peak=None)
    assert figure_of(without, "Peak memory").notes == ("what holds it is not known",)


def test_without_a_run_the_peak_is_an_estimate_that_says_so_and_time_is_left_away() -> None:
    figures = figures_of(model(total(ESTIMATED_PEAK, 2048, 3, 4)))
    assert [figure.label for figure in figures] == ["FLOPs", "Parameters", "Peak memory"]
    assert (figures[2].amount.text, figures[2].what) == ("at least 2.00 KiB", "estimated")
    assert figures[2].notes == ("from the graph: there is no run",)
    assert [figure.amount.text for figure in figures[:2]] == ["unknown", "unknown"]
    assert len(figures_of(model())) == len(("FLOPs", "Parameters"))


def test_an_estimated_peak_says_that_the_run_did_not_record_one() -> None:
    report = model(total(ESTIMATED_PEAK, 2048, 4, 4), step_numbers=(2, 3))
    assert figure_of(report, "Peak memory").notes == ("from the graph: the run did not record it",)


OPS = {"op": pa.array(["A", "B", "A", "C", "D", None], pa.string()), "micros": pa.array([4.0, 5, 4, 4, 1, 2])}
NODES = pa.table({"name": pa.array(list("abcdef")), **OPS})


def test_time_is_made_of_the_op_types_that_take_most() -> None:
    side = make_side(nodes=NODES, devices=(), step_numbers=(1, 2))
    walls = (StepWall(step=1, nanos=10_000, reason=""), StepWall(step=2, nanos=12_000, reason=""))
    report = make_report(head=dataclasses.replace(side, walls=walls), totals=(total("micros", 20),))
    time = figure_of(report, "Time per step")
    assert (time.amount.text, time.whole, time.notes) == ("11 us", "20 us of op time", ("mean of 2 steps",))
    assert parts_of(time) == [("A", "40.00 %"), ("B", "25.00 %"), ("C", "20.00 %"), ("others", "15.00 %")]
    assert [part.is_rest for part in time.parts] == [False, False, False, True]
    left_out = Diagnostic(severity=Severity.NOTE, code=FIRST_STEP, text="step 0 is left out")
    first = dataclasses.replace(report, head=dataclasses.replace(report.head, diagnostics=(left_out,)))
    assert figure_of(first, "Time per step").notes == ("mean of 2 steps", "step 0 is left out")
    alone = make_report(head=side, totals=(total("micros", 20),))
    assert (figure_of(alone, "Op time per step").amount.text, figure_of(alone, "Op time per step").whole) == (
        "20 us",
        "",
    )


def test_an_op_type_is_a_name_on_one_line() -> None:
    nodes = pa.table({"name": ["a", "b"], "op": ["<b>\n\u202e", "B"], "micros": [2.0, 1.0]})
    report = make_report(head=make_side(nodes=nodes, devices=()), totals=(total("micros", 3),))
    part = figure_of(report, "Op time per step").parts[0]
    assert part.name.is_name
    assert "\n" not in part.name.text
    assert "\u202e" not in part.name.text
