"""The steps from base to head."""

from __future__ import annotations

from pathlib import Path

import pytest
from command import call, write_model, write_report
from messages import graph, node

from tfprof_report.compare.causes.sentence import Names
from tfprof_report.compare.gates.policy import Policy
from tfprof_report.job import Job, run
from tfprof_report.render.content.waterfall import Waterfall, waterfall_lines, waterfalls
from tfprof_report.render.html.waterfall_bars import waterfall_bar

EDITS = Path(__file__).parents[2] / "data" / "edits"


@pytest.fixture(scope="module")
def stages(tmp_path_factory: pytest.TempPathFactory) -> tuple[Waterfall, ...]:
    sides = [tmp_path_factory.mktemp(side) / "report" for side in ("base", "head")]
    for side in sides:
        graph = EDITS / "resnet_stages" / f"{side.parent.name[:4]}.pb.gz"
        assert call("report", "--graph", graph, "--out", side).code == 0
    job = Job(head=str(sides[1]), base=str(sides[0]), policy=Policy())
    return waterfalls(run(job, lambda _: None))


@pytest.mark.thorough
def test_the_steps_lead_from_base_to_head(stages: tuple[Waterfall, ...]) -> None:
    flops, params = stages
    assert (flops.stem, params.stem) == ("float_ops", "params")
    assert flops.title == "Where +90.13 M FLOPs come from"
    assert [(step.name.text if step.name else "", step.what) for step in flops.steps] == [
        ("", "Base"),
        ("stage3", "wider (64 to 80)"),
        ("stage3_unit6", "1 more in stage3_unit"),
        ("stage1_unit3", "1 less in stage1_unit"),
        ("", "nodes that are in no layer"),
        ("", "Head"),
    ]


def test_a_step_of_several_layers_opens_to_them_the_largest_change_first(stages: tuple[Waterfall, ...]) -> None:
    base, wider, more, *_ = stages[0].steps
    assert base.members == ()
    layers = [(member.name.text, int(member.amount.key)) for member in wider.members if member.name]
    assert len(layers) == 10
    assert [size for _, size in layers] == sorted((size for _, size in layers), reverse=True)
    assert layers[0][0].startswith("stage3_unit")
    assert (wider.members[-1].name, wider.members[-1].what, wider.members[-1].amount.text) == (
        None,
        "18 more layers",
        "",
    )
    assert sum(int(member.amount.key) for member in more.members) == int(more.amount.key)
    assert all(member.name and member.name.text.startswith("stage3_unit6") for member in more.members)


def test_each_step_starts_where_the_one_before_ends(stages: tuple[Waterfall, ...]) -> None:
    for waterfall in stages:
        base, *steps, head = waterfall.steps
        at = base.end
        assert (base.start, head.start) == (0, 0)
        for step in steps:
            before, after = (step.start, step.end) if step.tone == "more" else (step.end, step.start)
            assert before == pytest.approx(at)
            at = after
        assert at == pytest.approx(head.end)
        assert max(step.end for step in waterfall.steps) <= 1


def test_bars_are_shares_of_the_widest_total(stages: tuple[Waterfall, ...]) -> None:
    base = stages[0].steps[0]
    assert f'width="{100 * base.end:.2f}%"' in waterfall_bar(base)
    assert 'x="0.00%"' in waterfall_bar(base)


def test_the_lines_have_the_same_steps_one_below_the_other(stages: tuple[Waterfall, ...]) -> None:
    lines = waterfall_lines(stages[0])
    assert [line.lstrip().partition("  ")[2] for line in lines] == [
        "Base",
        "stage3 wider (64 to 80)",
        "stage3_unit6 1 more in stage3_unit",
        "stage1_unit3 1 less in stage1_unit",
        "nodes that are in no layer",
        "Head",
    ]
    assert len({line.index(line.lstrip().partition("  ")[2]) for line in lines}) == 1


def test_one_side_has_no_steps(tmp_path: Path) -> None:
    graph = EDITS / "no_change" / "head.pb.gz"
    assert call("report", "--graph", graph, "--out", tmp_path / "one").code == 0
    assert waterfalls(run(Job(head=str(tmp_path / "one"), base=None, policy=Policy()), lambda _: None)) == ()


def test_nodes_in_no_layer_are_called_that_and_an_unknown_change_is_not_said(tmp_path: Path) -> None:
    """`loose` is in no layer and of unknown FLOPs in head; the dense layer got wider, which is known."""
    sides = []
    for side, width, shape in (("base", 4, [8, 4]), ("head", 6, None)):
        made = graph(
            node("x", "Placeholder", output_shapes=[[8, 4]]),
            node("y", "Placeholder", output_shapes=[shape]),
            node("loose", "MatMul", "y", "y", output_shapes=[None]),
            node("fc/kernel", "VariableV2", shape=[4, width]),
            node("fc/MatMul", "MatMul", "x", "fc/kernel", output_shapes=[[8, width]]),
        )
        sides.append(write_report(write_model(tmp_path / side, made), tmp_path / f"{side}_report"))
    report = run(Job(head=str(sides[1]), base=str(sides[0]), policy=Policy()), lambda _: None)
    assert report.sentence == "fc got wider (4 to 6); the FLOPs of nodes that are in no layer are not known any more."
    flops = waterfalls(report)[0]
    assert flops.title == "Where the change of FLOPs comes from"
    names = Names(report.comparison) if report.comparison else None
    assert names is not None
    assert [names.label(cause) for cause in report.causes] == [
        ("fc", "wider (4 to 6)"), ("", "nodes that are in no layer: no longer known"),
    ]  # fmt: skip
