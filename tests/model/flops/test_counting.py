"""How FLOPs are counted: by which rules, from which source first, for which ops."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path

import pandas as pd
import pytest
from messages import entry, graph, inputs_of, node, op_log

from tfprof_report.errors import OptionError
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.counting import BY_ALL_RULES, Counting
from tfprof_report.model.flops.node_flops import wording
from tfprof_report.model.flops.user_rules import read_user_rules
from tfprof_report.semantics import CORRECTED


def counted(counting: Counting, logged: dict[str, int]) -> dict[str, tuple[object, ...]]:
    """Return FLOPs, MACs and source of each node of a small layer with a fused bias and an op that nobody knows."""
    nodes = [
        node("x", "Placeholder", output_shapes=[[2, 4]]),
        node("w", "Const", output_shapes=[[4, 3]]),
        node("b", "Const", output_shapes=[[3]]),
        node("fused", "_FusedMatMul", "x", "w", "b", output_shapes=[[2, 3]]),
        node("plain", "MatMul", "x", "w", output_shapes=[[2, 3]]),
        node("r", "Relu", "plain", output_shapes=[[2, 3]]),
        node("blind", "Relu", "mine"),
        node("mine", "Mine", "r"),
    ]
    log = op_log(*(entry(name, float_ops=float_ops) for name, float_ops in logged.items()))
    table = build_node_table(inputs_of(graph(*nodes), [], log), counting.use(CORRECTED)).nodes
    columns = [table[name].to_list() for name in ("name", "float_ops", "macs", "float_ops_source")]
    rows = [tuple(None if value is pd.NA else value for value in row) for row in zip(*columns, strict=True)]
    return {row[0]: row[1:] for row in rows if row[0] not in "xwb"}


def test_contractions_alone_are_two_for_each_multiply_add() -> None:
    assert counted(Counting(rules="extended", count="contraction"), {"r": 99, "mine": 5}) == {
        "fused": (48, 24, "extended_rules"),  # 2 x 4 x 3, without the bias
        "plain": (48, 24, "tfprof_rules"),
        "r": (0, 0, "extended_rules"),  # despite the op log
        "blind": (0, 0, "extended_rules"),  # it is no contraction, which needs no shape
        "mine": (None, None, None),  # despite the op log: it may not be a contraction
    }


def test_a_contraction_keeps_the_figure_of_the_op_log() -> None:
    found = counted(Counting(rules="extended", count="contraction"), {"plain": 7})
    assert found["plain"] == (7, 24, "op_log")
    assert counted(Counting(rules="extended", count="contraction", float_ops_from="rules"), {"plain": 7})["plain"] == (
        48,
        24,
        "tfprof_rules",
    )


def test_all_ops_count_unless_told_otherwise() -> None:
    assert counted(BY_ALL_RULES, {}) == {
        "fused": (54, 24, "extended_rules"),
        "plain": (48, 24, "tfprof_rules"),
        "r": (6, 0, "extended_rules"),
        "blind": (None, None, None),
        "mine": (None, None, None),
    }


def test_the_words_for_a_counting_tell_countings_apart() -> None:
    countings = [
        Counting(rules="tfprof"),
        *(
            Counting(rules="extended", float_ops_from=source, count=count)
            for source in ("op-log", "rules")
            for count in ("all", "contraction")
        ),
    ]
    words = [wording(counting.use(CORRECTED)) for counting in countings]
    assert len(set(words)) == len(words)
    assert words[-1].endswith(", before the op log, contractions only")
    assert all(Counting.of(counting.as_dict()) == counting for counting in countings)


def test_contractions_cannot_be_told_without_rules() -> None:
    with pytest.raises(OptionError, match=r"--count: only rules know which ops are contractions"):
        Counting(count="contraction")


@pytest.mark.parametrize("name", [field.name for field in fields(Counting)])
def test_every_field_is_kept_in_json_and_named_where_flops_are(tmp_path: Path, name: str) -> None:
    file = tmp_path / "mine.toml"
    file.write_text('[Mine]\nclass = "elementwise"\nfloat_ops = "size(in0)"\n')
    user = read_user_rules(str(file))
    other = {"rules": "tfprof", "user_rules": user, "float_ops_from": "rules", "count": "contraction"}[name]
    changed = replace(BY_ALL_RULES, **{name: other})
    assert Counting.of(json.loads(json.dumps(changed.as_dict())), changed.user_rules) == changed
    assert wording(changed.use(CORRECTED)) != wording(BY_ALL_RULES.use(CORRECTED))
