"""The command ``rules``: the table of FLOPs rules, for people and for pipes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from command import call

from tfprof_report.model.flops.rule_sets import VERSIONS, rule_set
from tfprof_report.model.flops.tensorflow_registry import REGISTERED_OPS


def rows(*arguments: object) -> dict[str, list[str]]:
    """Return the columns of each op type."""
    done = call("rules", *arguments)
    assert (done.code, done.err) == (0, "")
    lines = [line.split("\t") for line in done.out.splitlines() if not line.startswith("#")]
    assert lines[0] == ["op_type", "class", "rule_of", "formula", "source"]
    return {line[0]: line[1:] for line in lines[1:]}


def test_every_rule_is_a_line_and_the_first_one_names_the_set() -> None:
    ops = {op for rule in rule_set("extended").rules for op in rule.ops}
    found = rows()
    assert list(found) == sorted(ops)
    assert all(all(column for column in columns) for columns in found.values())
    assert call("rules").out.splitlines()[0] == f"# FLOPs rules extended {VERSIONS['extended']}; op types: {len(ops):,}"


def test_the_rules_of_tensorflow_are_told_from_ours() -> None:
    assert {op for op, columns in rows().items() if columns[1] == "tfprof_rules"} == set(REGISTERED_OPS)
    assert set(rows("--rules", "tfprof")) == set(REGISTERED_OPS)


def test_one_op_type_is_printed_also_by_a_kernel_of_its_own() -> None:
    assert rows("--op", "LogSoftmax", "--op", "_MklNativeConv2D") == {
        "LogSoftmax": [
            "softmax",
            "extended_rules",
            "5 N(in0)",
            "TensorFlow's op definitions: the arithmetic of each element",
        ],
        "_MklNativeConv2D": [
            "contraction",
            "extended_rules",
            "2 N(out) in1[0] in1[1] in1[2]",
            "tensorflow/python/ops/nn_ops.py",
        ],
    }


def test_a_class_is_printed_alone() -> None:
    assert {columns[0] for columns in rows("--class", "no arithmetic").values()} == {"no arithmetic"}


def test_the_users_rules_stand_among_them(tmp_path: Path) -> None:
    file = tmp_path / "my.toml"
    file.write_text(
        "[Neg]\nclass = 'reduction'\nfloat_ops = '7  *\tb'\non_top = '1'\nshapes = { in0 = ['b', '...'] }\n"
    )
    expected = ["reduction", "user_rules", "7 * b + 1; in0 = [b, ...]", "my.toml"]
    assert rows("--flops-rules", file)["Neg"] == expected
    assert rows("--flops-rules", file, "--rules", "none") == {"Neg": expected}


@pytest.mark.parametrize(
    ("op", "said"),
    [
        ("Conv3", "did you mean Conv3D?"),
        ("MyOp", "TensorFlow has no such op type; --flops-rules takes a rule for it"),
        ("CTCLoss", "its FLOPs depend on its data"),
        ("Mfcc", "--flops-rules takes one"),
    ],
)
def test_an_op_type_without_a_rule_is_a_usage_error_that_says_why(op: str, said: str) -> None:
    done = call("rules", "--op", op)
    assert (done.code, done.error) == (2, f'--op: there is no rule for "{op}"; {said}')


def test_an_unknown_class_is_a_usage_error_with_a_hint() -> None:
    assert call("rules", "--class", "pool").error == '--class: "pool" is not known; did you mean pooling?'


def test_a_reader_may_have_enough_after_a_line() -> None:
    command = f"{sys.executable} -m tfprof_report rules | head -n 1"
    done = subprocess.run(["bash", "-o", "pipefail", "-c", command], capture_output=True, text=True, check=False)
    assert re.fullmatch(r"# FLOPs rules extended \d+; op types: [\d,]+\n", done.stdout)
    assert (done.returncode, done.stderr) == (0, "")
