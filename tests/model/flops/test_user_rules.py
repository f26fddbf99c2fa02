"""A user's own FLOPs rules: what a file may contain, what it counts, and one clear line for anything else."""

from __future__ import annotations

import hashlib
import operator
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from messages import decoded, graph, node

from tfprof_report.arrays import Lists
from tfprof_report.errors import OptionError
from tfprof_report.ingest.graph_def import RULE_ATTRS, read_graph
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.flops.evaluate import FloatOps, Reason, count_float_ops
from tfprof_report.model.flops.formula import FormulaError, is_tensor, read_formula
from tfprof_report.model.flops.rule import Operands, UserRules
from tfprof_report.model.flops.rule_sets import rule_set, rule_sources
from tfprof_report.model.flops.user_rules import read_user_rules
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.semantics import CORRECTED

ATTENTION = """
[MyAttention]
class = "contraction"
float_ops = "2 * batch * units * k"
on_top = "size(out)"
shapes = { in0 = ["batch", "k"], in1 = ["k", "units"] }
"""
BIG = 2**40


def rules_of(folder: Path, text: str | bytes) -> UserRules:
    path = folder / "my.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return read_user_rules(str(path))


def refusal(folder: Path, text: str | bytes) -> str:
    """Return the error about a file, without its name and the option."""
    with pytest.raises(OptionError) as caught:
        rules_of(folder, text)
    where = f"{folder / 'my.toml'} (--flops-rules): "
    assert str(caught.value).startswith(where)
    assert "\n" not in str(caught.value)
    return str(caught.value).removeprefix(where)


def counted(user: UserRules, op: str, *inputs: list[int], out: list[int]) -> FloatOps:
    """Return the FLOPs of one node with inputs of these shapes."""
    sources = [node(f"x{number}", "Placeholder", output_shapes=[shape]) for number, shape in enumerate(inputs)]
    made = node("n", op, *(source.name for source in sources), output_shapes=[out])
    table = read_graph(decoded(graph(*sources, made), Kind.GRAPH)).nodes
    return count_float_ops(
        ops=table["op"].combine_chunks().cast("string"),
        edges=read_edges(table["inputs"].combine_chunks(), table["name"].combine_chunks()),
        output_shapes=table["output_shapes"].combine_chunks(),
        attrs={name: table[name].combine_chunks() for name in RULE_ATTRS},
        semantics=CORRECTED,
        rules=rule_set("extended", user=user),
    )


def figure(folder: Path, formula: str, *inputs: list[int], out: list[int], more: str = "") -> int | str | None:
    """Return the FLOPs that a formula gives, or the reason why it gives none."""
    user = rules_of(folder, f"[MyOp]\nclass = 'elementwise'\nfloat_ops = '{formula}'\n{more}")
    found = counted(user, "MyOp", *inputs, out=out)
    value: int | None = found.values[-1].as_py()
    reasons = [reason for reason, mask in found.missing.items() if mask[-1]]
    return reasons[0] if reasons else value


def test_a_rule_counts_multiply_adds_and_what_is_on_top(tmp_path: Path) -> None:
    found = counted(rules_of(tmp_path, ATTENTION), "MyAttention", [2, 3], [3, 5], out=[2, 5])
    assert (found.values[-1].as_py(), found.macs[-1].as_py()) == (60 + 10, 30)


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("2 * in0[0] * in0[1] * in1[1]", 60),
        ("size(in0) - size(out) + 10", 6),
        ("rank(in0) * 100 + in1[-1]", 205),
        ("max(in0[0], in0[1], 1) ** 2 - min(2, 7)", 7),
        ("(size(in1) + 2) // in0[1]", 5),
        ("-2 + +9", 7),
        ("1000", 1000),
        ("  7 ", 7),
    ],
)
def test_a_formula_is_arithmetic_over_sizes(tmp_path: Path, formula: str, expected: int) -> None:
    assert figure(tmp_path, formula, [2, 3], [3, 5], out=[2, 5]) == expected


def test_names_after_an_ellipsis_are_of_the_last_sizes(tmp_path: Path) -> None:
    more = "shapes = { in0 = ['b', '...', 'k'] }"
    assert figure(tmp_path, "100 * b + k", [7, 5, 4, 3], out=[], more=more) == 703
    assert figure(tmp_path, "100 * b + k", [7, 3], out=[], more=more) == 703


@pytest.mark.parametrize(
    ("formula", "inputs", "more", "reason"),
    [
        ("in0[2]", [[2, 3]], "", Reason.MISFIT),
        ("k", [[2, 3], [4, 5]], "shapes = { in0 = ['b', 'k'], in1 = ['k', 'u'] }", Reason.MISFIT),
        ("b", [[2, 3]], "shapes = { in0 = ['b'] }", Reason.MISFIT),
        ("size(in0) - 7", [[2, 3]], "", Reason.MISFIT),
        ("5 // (in0[0] - 2)", [[2, 3]], "", Reason.MISFIT),
        ("max(9, 5 // (in0[0] - 2))", [[2, 3]], "", Reason.MISFIT),
        ("size(in0)", [[-1, 3]], "", Reason.SHAPE),
        ("size(in1)", [[2, 3]], "", Reason.SHAPE),
        ("in0[0] * in0[1]", [[BIG, BIG]], "", Reason.OVERFLOW),
        ("in0[0] ** 8 * (in0[1] - 3)", [[BIG, 3]], "", Reason.OVERFLOW),
        ("in0[0] * in0[0] // in0[0]", [[BIG, 3]], "", Reason.OVERFLOW),
    ],
)
def test_where_a_formula_gives_no_figure_the_reason_says_why(
    tmp_path: Path, formula: str, inputs: list[list[int]], more: str, reason: Reason
) -> None:
    assert figure(tmp_path, formula, *inputs, out=[1], more=more) == reason


def test_a_rule_comes_before_the_built_in_one_and_is_the_users(tmp_path: Path) -> None:
    user = rules_of(tmp_path, "[Neg]\nclass = 'elementwise'\nfloat_ops = '3 * size(out)'")
    assert counted(user, "Neg", [4], out=[4]).values[-1].as_py() == 12
    rules = rule_set("extended", user=user)
    assert rule_sources(["Neg", "MatMul", "Einsum"], rules) == ["user_rules", "tfprof_rules", "extended_rules"]


def test_a_rule_may_say_that_an_op_takes_nothing(tmp_path: Path) -> None:
    assert (
        counted(rules_of(tmp_path, "[Moves]\nclass = 'no arithmetic'"), "Moves", None, out=[4]).values[-1].as_py() == 0
    )


def test_the_digest_is_that_of_the_content(tmp_path: Path) -> None:
    user = rules_of(tmp_path, ATTENTION)
    digest = hashlib.sha256(ATTENTION.encode()).hexdigest()
    assert str(rule_set("extended", user=user)).endswith(f" + user rules (sha256 {digest[:12]})")
    (tmp_path / "other").mkdir()
    assert rules_of(tmp_path / "other", ATTENTION).digest == user.digest == digest
    assert rules_of(tmp_path, ATTENTION + "\n").digest != digest


def test_what_is_said_of_a_file_is_short_whatever_stands_in_it(tmp_path: Path) -> None:
    assert len(refusal(tmp_path, f"[MyOp]\n{'k' * 200_000} = 1")) < 500


HEAD = "[MyOp]\nclass = 'elementwise'\n"


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"\xff", "is not UTF-8 (byte 0xff in line 1)"),
        ("[MyOp", "is not a TOML file (Expected"),
        (ATTENTION * 2, "is not a TOML file (Cannot declare"),
        ("a = " + "[" * 100_000, "is nested too deeply"),
        ("a" + ".a" * 100_000 + " = 1", "has a line with more than 100 dots"),
        ("x" * 300_000, "is larger than 256 KiB"),
        ("", "contains no rule; add a table"),
        ("".join(f"[A{number}]\n" for number in range(1001)), "contains more than 1000 rules"),
        ("MyOp = 3", '"MyOp" is not a table; begin each rule with a line such as [MyOp]'),
        ('["a b"]', '"a b" is not the name of an op type'),
        (HEAD + "bias = '1'", '[MyOp] "bias" is not known; choose from class, float_ops, on_top, shapes'),
        (HEAD + "float_op = '1'", '[MyOp] "float_op" is not known; did you mean float_ops?'),
        ("[MyOp]\nfloat_ops = '1'", "[MyOp] has no class; add one of contraction, elementwise"),
        ("[MyOp]\nclass = 'contractions'", '[MyOp] class "contractions" is not known; did you mean contraction?'),
        ("[MyOp]\nclass = 3", '[MyOp] class "3" is not known'),
        ("[MyOp]\nclass = []", '[MyOp] class "[]" is not known'),
        ("[MyOp]\nclass = 'no arithmetic'\nfloat_ops = '1'", "which means 0 FLOPs; leave out the other lines"),
        (HEAD, '[MyOp] has no float_ops; add a line such as float_ops = "2 * size(out)"'),
        (HEAD + "float_ops = 3", "[MyOp] float_ops is not a string; write it in quotes"),
        (HEAD + "float_ops = '1'\nshapes = 3", "[MyOp] shapes is not a table"),
        (HEAD + "float_ops = '1'\nshapes = { x = ['a'] }", '[MyOp] shapes: "x" is not a tensor'),
        (HEAD + "float_ops = '1'\nshapes = { in0 = 'a' }", "[MyOp] shapes: in0 is not a list of names"),
        (HEAD + "float_ops = '1'\nshapes = { in0 = ['in1'] }", '[MyOp] shapes: "in1" cannot be the name of a size'),
        (HEAD + "float_ops = '1'\nshapes = { in0 = ['...', '...'] }", "[MyOp] shapes: in0 has too many names"),
        (
            HEAD + "float_ops = '2 * unit'\nshapes = { in0 = ['units'] }",
            'float_ops: "unit" is not known at character 5',
        ),
        (HEAD + "float_ops = '1'\non_top = '2 + '", "[MyOp] on_top: is not valid arithmetic at its end"),
    ],
)
def test_a_file_without_valid_rules_is_one_clear_line(tmp_path: Path, text: str | bytes, said: str) -> None:
    assert said in refusal(tmp_path, text)


@pytest.mark.parametrize(
    ("formula", "said"),
    [
        ("1 / 2", "/ leaves fractions at character 1; write // to drop them"),
        ("0.5 * size(out)", "is not a whole number at character 1; write // to divide"),
        ("True", "is not a whole number at character 1"),
        ("9223372036854775808", "leaves the 64-bit range at character 1"),
        ("in0", "is a tensor at character 1; write size(in0), or in0[0]"),
        ("1 + in01[0]", '"in01" is not known at character 5; did you mean in'),
        ("size(x)", "size takes one tensor at character 1"),
        ("max(1)", "max takes two values or more at character 1"),
        ("log(1)", 'there is no function "log" at character 1; choose from max, min, rank, size'),
        ("size(out) ** size(out)", "is not a valid exponent at character 14; write a whole number up to 8"),
        ("2 ** -1", "is not a valid exponent at character 6"),
        ("out[size(out)]", "is not an axis at character 5"),
        ("out[True]", "is not an axis at character 5"),
        ("(1).real", "is not allowed in a formula at character 1"),
        ("[1][0]", "is not allowed in a formula"),
        ("lambda: 1", "is not allowed in a formula"),
        ("1 if 1 else 2", "is not allowed in a formula"),
        ("__import__('os')", 'there is no function "__import__"'),
        ("size(out, out)", "size takes one tensor"),
        ("size(*out)", "size takes one tensor"),
        ("1 if", "is not valid arithmetic at its end"),
        ("a = 1", "is not valid arithmetic at character"),
        ("", "is not valid arithmetic"),
        ("é", "contains characters that are not ASCII"),
        ("1" * 1001, "is longer than 1000 characters"),
        ("(" * 400 + "1" + ")" * 400, "at character"),
        ("-" * 900 + "1", "is nested too deeply"),
        ("+".join("1" * 400), "is nested too deeply"),
    ],
)
def test_a_formula_that_is_not_arithmetic_says_where(formula: str, said: str) -> None:
    with pytest.raises(FormulaError) as caught:
        read_formula(formula, {})
    assert said in str(caught.value)


@given(st.text(alphabet="0123456789+-*/()[] in0outsizemaxrank,.'\\\n", max_size=40))
def test_any_text_is_a_formula_or_one_line(text: str) -> None:
    with suppress(FormulaError):
        assert all(is_tensor(tensor) for tensor in read_formula(text, {}).needs)


Expression = tuple[str, Callable[[int, int], int]]
"""A formula over the sizes a and b, and the same in Python's exact integers."""


def joined(left: Expression, sign: str, right: Expression) -> Expression:
    exact: dict[str, Callable[[int, int], int]] = {
        "+": operator.add,
        "-": operator.sub,
        "*": operator.mul,
        "//": lambda number, divisor: number // divisor,
    }
    return f"({left[0]} {sign} {right[0]})", lambda a, b: exact[sign](left[1](a, b), right[1](a, b))


LEAVES: list[Expression] = [("a", lambda a, _: a), ("b", lambda _, b: b), ("3", lambda *_: 3), ("(-7)", lambda *_: -7)]
EXPRESSIONS = st.recursive(
    st.sampled_from(LEAVES),
    lambda inner: st.one_of(
        st.builds(joined, inner, st.sampled_from(["+", "-", "*", "//"]), inner),
        st.builds(lambda x, y: (f"min({x[0]}, {y[0]})", lambda a, b: min(x[1](a, b), y[1](a, b))), inner, inner),
        inner.map(lambda x: (f"max({x[0]} ** 2, 1)", lambda a, b: max(x[1](a, b) ** 2, 1))),
    ),
    max_leaves=8,
)


@given(EXPRESSIONS, st.integers(1, 10**6), st.integers(1, 10**6))
def test_a_value_is_exact_or_known_to_leave_the_range(expression: Expression, first: int, second: int) -> None:
    text, exact = expression

    def evaluated(dtype: type) -> Any:
        n = Operands(
            tensors={"in0": Lists.of(pa.array([[first, second]], pa.list_(pa.int64())))},
            lists={},
            flags={},
            words={},
            channels_first=np.zeros(1, dtype=bool),
            inputs=np.ones(1, dtype=np.int64),
            dtype=dtype,
        )
        with np.errstate(all="ignore"):
            return read_formula(text, {"a": ("in0", 0), "b": ("in0", 1)})(n)[0]

    largest = evaluated(np.float64)
    try:
        value = exact(first, second)
    except ZeroDivisionError:
        assert np.isnan(largest) or largest >= 2.0**63
    else:
        assert not largest < 2.0**63 or evaluated(np.int64) == value
