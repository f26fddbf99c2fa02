from __future__ import annotations

from itertools import accumulate
from pathlib import Path
from typing import Any

import pytest
from command import small_model, write_model
from messages import graph, node
from report_builders import make_report, make_view
from repository import DATA
from unpacked import unpack

from tfprof_report.compare.gates.policy import Policy
from tfprof_report.ingest.paths import find_in_folder
from tfprof_report.job import Job, run
from tfprof_report.model.measurement import Measurement
from tfprof_report.render.html.node_block import TEXTS, base_node_block, node_block
from tfprof_report.render.html.page_data import view_block
from tfprof_report.report.report import Report


def report_on(head: Path, base: Path | None = None) -> Report:
    sides = {"head": find_in_folder(str(head)), "base": find_in_folder(str(base)) if base else None}
    return run(Job(**sides, policy=Policy(), measurement=Measurement()), lambda _: None)


def nodes_of(block: str) -> list[dict[str, Any]]:
    """Return the nodes of a block: their row in the node table, all texts, the rule, and the rows of their inputs."""
    header, columns = unpack(block)
    rows = list(accumulate(columns["node"], initial=-1))[1:]
    ends = list(accumulate(columns.get("input_count", [0] * header["rows"]), initial=0))
    steps = columns.get("input", [])
    if header["rows"] and len(steps) != ends[-1]:  # one value stands for all
        steps = steps[:1] * ends[-1]
    found = []
    for place, row in enumerate(rows):
        known = [name for name in TEXTS if name in columns]
        texts = {name: [*columns[f"{name}_words"], None][columns[name][place]] for name in known}
        inputs = [row - step if step else None for step in steps[ends[place] : ends[place + 1]]]
        rule = [*columns["rules"], None][columns["rule"][place]]
        found.append({**dict.fromkeys(TEXTS), "node": row, "rule": rule, "inputs": inputs, **texts})
    return found


@pytest.fixture(scope="module")
def chain(tmp_path_factory: pytest.TempPathFactory) -> Report:
    """Return the report on three nodes, the last of which has an input of each kind, and one that is unknown."""
    made = graph(
        node("x", "Placeholder", shape=[2, 3], output_shapes=[[2, 3]]),
        node("s/relu", "Relu", "x", device="/cpu:0", output_shapes=[[2, 3]]),
        node("s/sum", "Mystery", "s/relu:0", "x", "^s/relu", "gone", output_shapes=[[], None, [-1, 4]]),
    )
    return report_on(write_model(tmp_path_factory.mktemp("chain"), made))


def test_a_node_has_its_texts_its_rule_and_its_inputs(chain: Report) -> None:
    first, relu, mystery = nodes_of(node_block(chain))
    assert (first["node"], first["inputs"], first["device"], first["input_shapes"]) == (0, [], None, None)
    assert (relu["node"], relu["inputs"], relu["device"]) == (1, [0], "/cpu:0")
    assert (relu["rule"], relu["float_ops_source"]) == ("N(in0)", "extended_rules")
    assert (relu["input_shapes"], relu["output_shapes"], relu["shape_source"]) == ("[2,3]", "[2,3]", "graph")
    assert (mystery["node"], mystery["inputs"], mystery["rule"]) == (2, [1, 0, 1, None], None)
    assert mystery["output_shapes"] == "[] ? [?,4]"
    assert mystery["float_ops_reason"] == chain.head.nodes["float_ops_reason"][2].as_py()
    assert unpack(node_block(chain))[1]["is_control"] == [0, 0, 0, 1, 0]


@pytest.mark.thorough
@pytest.mark.parametrize("name", ["scope", "graph"])
def test_rows_of_views_lead_to_their_nodes(name: str) -> None:
    report = report_on(DATA / "resnet" / "head", DATA / "resnet" / "base")
    assert report.comparison is not None
    _, columns = unpack(view_block(report, name))
    rows = report.comparison.forests[name]
    expected = report.head.views[name].rows["node"].take(rows["head_row"].combine_chunks()).to_pylist()
    last, found = -1, []
    for step in columns["node"]:
        last += step
        found.append(last if step else None)
    assert found == expected
    assert {node["node"] for node in nodes_of(node_block(report))} >= set(expected) - {None}


def test_only_nodes_of_rows_in_the_page_are_in_it(chain: Report) -> None:
    assert [node["node"] for node in nodes_of(node_block(chain, max_rows=1))] == [
        2
    ]  # scopes begin with a scope, graph view with the last node


def made_of(folder: Path, *, has_sum: bool) -> Path:
    """Write a model of a node, one that takes it, and if asked for one in between."""
    between = [node("s/sum", "Sum", "x", "x", device="/cpu:0", output_shapes=[[2]])] if has_sum else []
    last = node("s/relu", "Relu", "s/sum" if has_sum else "x", output_shapes=[[2]])
    return write_model(folder, graph(node("x", "Placeholder", shape=[2, 3], output_shapes=[[2, 3]]), *between, last))


def test_base_has_the_nodes_that_head_lacks_and_what_consumes_them(tmp_path: Path) -> None:
    base, head = made_of(tmp_path / "base", has_sum=True), made_of(tmp_path / "head", has_sum=False)
    report = report_on(head, base)
    gone, consumer = nodes_of(base_node_block(report))
    assert (gone["node"], gone["device"], gone["inputs"], gone["rule"]) == (1, "/cpu:0", [0, 0], "N(in0) - N(out)")
    assert (gone["input_shapes"], gone["output_shapes"]) == ("[2,3] [2,3]", "[2]")
    assert (consumer["node"], consumer["inputs"]) == (2, [1])
    assert "code_line" not in unpack(base_node_block(report))[1]
    _, rows = unpack(view_block(report, "scope"))
    names = [rows["leaves"][leaf] for leaf in rows["leaf"]]
    assert dict(zip(names, rows["base_node"], strict=True)) == {"s": 0, "relu": 3, "sum": -1, "x": -1}
    assert base_node_block(report_on(base, head)) == ""
    assert base_node_block(report_on(base)) == ""


def test_where_a_node_ran_is_its_device_if_it_was_not_placed(tmp_path: Path) -> None:
    report = report_on(small_model(tmp_path / "small"))
    ran = report.head.nodes["run_devices"].to_pylist()
    assert any(ran)
    found = [node["device"] for node in nodes_of(node_block(report))]
    assert found == [", ".join(devices) or None for devices in ran]


def test_a_report_without_nodes_or_with_few_columns_has_a_block() -> None:
    assert unpack(node_block(make_report(views={})))[0]["rows"] == 0
    view = make_view("op", ["a", "b"], {"params": [1, 2]})
    assert unpack(node_block(make_report(views={"op": view})))[0]["rows"] == 0


def test_the_same_report_gives_the_same_text(chain: Report) -> None:
    assert node_block(chain) == node_block(chain)
