"""Decides per node where its FLOPs come from: the op log, rules for nodes that it has no number for, or a trace."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, to_bools
from tfprof_report.diagnostics import Diagnostic, Severity
from tfprof_report.ingest.run_meta import RunMetaColumns
from tfprof_report.later import Later
from tfprof_report.model.flops.evaluate import FloatOps, Reason, classes_of, count_float_ops
from tfprof_report.model.flops.rule import OpClass, RuleSet, UserRules
from tfprof_report.model.flops.rule_sets import DATA_DEPENDENT, is_own, rule_set, rule_sources
from tfprof_report.model.shapes.from_run import fill_shapes
from tfprof_report.record import record
from tfprof_report.semantics import Semantics
from tfprof_report.vocabulary import FlopsRules

OP_LOG = "op_log"
"""Value of the column float_ops_source where the op log has the figure; the others are in `rule_sets`."""

_NO_QUIRKS = {
    "batch_matmul_ignores_adj_x": False,
    "add_n_counts_control_inputs": False,
    "refuse_channels_first": False,
    "gradients_divide_by_strides": False,
    "l2_loss_of_nothing_is_negative": False,
}
"""Switches for the registry's quirks, which the extended rules never have."""
_NO_TEXT = pa.scalar(None, pa.string())
_NO_NUMBER = pa.scalar(None, pa.int64())


@record
class TracedFigures:
    """FLOPs and multiply-adds of one execution of each node by the trace in place of a graph, NULL for other nodes."""

    float_ops: pa.Array
    macs: pa.Array
    source: pa.Array

    @property
    def op_class(self) -> pa.Array:
        """What the instructions do; NULL where their FLOPs are not known, or not which of these are multiply-adds."""
        kind = pc.if_else(pc.greater(self.macs, 0), str(OpClass.CONTRACTION), str(OpClass.ELEMENTWISE))
        return pc.if_else(pc.equal(self.float_ops, 0), str(OpClass.NO_ARITHMETIC), kind)


@record
class RuleUse:
    """How rules are used.

    rules : the rules
    semantics : decides about the registry's quirks
    fill_shapes : whether run metadata completes shapes, as in TensorFlow's Python layer; a figure is then not static
    show_filled : whether views show these completed shapes too
    prefer_rules : whether rules take precedence over the op log
    replace_op_log : likewise, but as in TensorFlow's Python layer: a figure of 0 does not replace one of the op log
    contractions_only : whether only contractions count: two FLOPs per multiply-add, 0 for ops of other classes
    """

    rules: RuleSet
    semantics: Semantics
    fill_shapes: bool = False
    show_filled: bool = True
    prefer_rules: bool = False
    replace_op_log: bool = False
    contractions_only: bool = False


def use_rules(
    rules: str,
    semantics: Semantics,
    *,
    fill_shapes: bool = False,
    show_filled: bool = True,
    prefer_rules: bool = False,
    replace_op_log: bool = False,
    contractions_only: bool = False,
    user: UserRules | None = None,
) -> RuleUse | None:
    """Return how the rule set with a name of `FlopsRules` and the rules of `user` are used; None for no rules."""
    if rules == FlopsRules.NONE and user is None:
        return None
    chosen = rule_set(rules, semantics, user)
    return RuleUse(
        rules=chosen,
        semantics=semantics if chosen.name == FlopsRules.TFPROF else replace(semantics, **_NO_QUIRKS),
        fill_shapes=fill_shapes,
        show_filled=show_filled,
        prefer_rules=prefer_rules,
        replace_op_log=replace_op_log,
        contractions_only=contractions_only,
    )


def wording(use: RuleUse | None) -> str:
    """Describe in words how FLOPs are counted: rule set and version, precedence over the op log, which ops count."""
    if use is None:
        return FlopsRules.NONE
    before = ", before the op log" if use.prefer_rules else ""
    return f"{use.rules}{before}{', contractions only' if use.contractions_only else ''}"


@record
class Figures:
    """FLOPs of all nodes: `float_ops` per execution of the node, NULL where unknown, and the `source` of each.

    macs : the multiply-adds of contractions, always by rules; NULL where these have no figure
    reason : why a figure is unknown, a value of `evaluate.Reason`; NULL where it is known
    op_class : the `OpClass` of the op type by the extended and the user's rules, even if others are used; NULL if none
    output_shapes : the shapes that views show
    missing : number of nodes whose rule gives no figure, even if the op log does
    """

    float_ops: pa.Array
    macs: pa.Array
    source: Later[pa.Array]
    reason: Later[pa.Array]
    op_class: Later[pa.Array]
    output_shapes: pa.ListArray
    missing: int
    diagnostics: tuple[Diagnostic, ...]


def figure_float_ops(
    use: RuleUse | None,
    *,
    names: pa.Array,
    ops: pa.Array,
    edges: pa.Table,
    output_shapes: pa.ListArray,
    attrs: Mapping[str, pa.Array],
    run_metas: tuple[tuple[int, RunMetaColumns], ...],
    logged: pa.Array,
    is_logged: Bools,
    traced: TracedFigures | None = None,
    functions: Collection[str] = (),
    is_inlined: Bools,
) -> Figures:
    """Return the figures of the op log and of the rules of `use`.

    Parameters
    ----------
    logged : float_ops of the op log, NULL where it has none
    is_logged : nodes that have an entry in the op log
    traced : figures of a trace, for nodes that have no others
    functions : names of the graph's functions, which are op types of nodes that call them
    is_inlined : nodes that call functions whose bodies are inlined: they do nothing themselves
    """
    classes = Later(lambda: _classes(ops, use, is_inlined, traced))
    if use is None:
        values, macs, of_trace = _with_traced(logged, pa.nulls(len(ops), pa.int64()), traced)
        return Figures(
            float_ops=values,
            macs=macs,
            source=Later(lambda: pc.coalesce(of_trace, pc.if_else(pc.is_valid(logged), OP_LOG, _NO_TEXT))),
            reason=Later(lambda: _reasons(ops, functions, values, {})),
            op_class=Later(lambda: classes()[0]),
            output_shapes=output_shapes,
            missing=0,
            diagnostics=(),
        )
    op_class, is_idle = classes()
    shown, found = output_shapes, []
    if use.fill_shapes:
        filled = fill_shapes(names, output_shapes, run_metas, use.semantics)
        output_shapes = filled.output_shapes
        shown = output_shapes if use.show_filled else shown
        found.append(("shape_conflicts", "run-time shapes that contradict the graph's are not used", filled.conflicts))
    counted = count_float_ops(
        ops=ops,
        edges=edges,
        output_shapes=output_shapes,
        attrs=attrs,
        semantics=use.semantics,
        rules=use.rules,
    )
    if use.contractions_only:
        counted = _contractions_only(counted, op_class)
        logged = pc.if_else(pc.equal(op_class, OpClass.CONTRACTION), logged, _NO_NUMBER)
    figures, macs = counted.values, counted.macs
    if use.rules.name == FlopsRules.EXTENDED:
        figures, macs = (pc.if_else(is_idle, 0, column) for column in (figures, macs))
    if use.semantics.l2_loss_of_nothing_is_negative:
        # TensorFlow merges figures of rules into a user's op log; an entry without a figure takes only positive ones.
        figures = pc.if_else(pa.array(is_logged & to_bools(pc.less(figures, 0))), _NO_NUMBER, figures)
    if use.replace_op_log:
        is_rule = to_bools(pc.not_equal(figures, 0))
    elif use.prefer_rules:
        is_rule = to_bools(pc.is_valid(figures))
    else:
        is_rule = to_bools(pc.and_(pc.is_null(logged), pc.is_valid(figures)))
    values = pc.if_else(pa.array(is_rule), figures, logged)
    values, macs, of_trace = _with_traced(values, macs, traced, contractions_only=use.contractions_only)
    source = Later(lambda: pc.coalesce(of_trace, _sources(ops, use.rules, values, is_rule)))
    without = to_bools(pc.is_null(values))
    found += [
        (f"float_ops_{reason.name.lower()}", f"nodes have no FLOPs, though there is a rule: {reason}", rows)
        for reason, mask in counted.missing.items()
        if len(rows := np.flatnonzero(mask & without))
    ]
    words = (
        f"the op log and the rules disagree on FLOPs; {'the rules count' if use.prefer_rules else 'the op log counts'}"
    )
    found.append(("float_ops_disagree", words, np.flatnonzero(to_bools(pc.not_equal(logged, figures)))))
    diagnostics = tuple(
        Diagnostic.about(rows, names, Severity.NOTE, code, text) for code, text, rows in found if len(rows)
    )
    missing = sum(int(mask.sum()) for mask in counted.missing.values())
    return Figures(
        float_ops=values,
        macs=macs,
        source=source,
        reason=Later(lambda: _reasons(ops, functions, values, counted.missing)),
        op_class=Later(lambda: op_class),
        output_shapes=shown,
        missing=missing,
        diagnostics=diagnostics,
    )


def _with_traced(
    values: pa.Array, macs: pa.Array, traced: TracedFigures | None, *, contractions_only: bool = False
) -> tuple[pa.Array, pa.Array, pa.Array]:
    """Return FLOPs and multiply-adds with those of a trace where there are no others, and the source of the former."""
    if traced is None:
        return values, macs, pa.nulls(len(values), pa.string())
    float_ops = pc.multiply(traced.macs, 2) if contractions_only else traced.float_ops
    is_traced = pc.and_(pc.is_null(values), pc.is_valid(float_ops))
    source = pc.if_else(is_traced, traced.source, _NO_TEXT)
    return pc.coalesce(values, float_ops), pc.coalesce(macs, traced.macs), source


def without_rule(op: str) -> Reason:
    """Return why there is no figure for an op type without a rule."""
    if op in DATA_DEPENDENT:
        return Reason.DATA
    return Reason.NO_RULE if is_own(op) else Reason.CUSTOM


def _contractions_only(counted: FloatOps, op_class: pa.Array) -> FloatOps:
    """Return the figures of contractions only: 0 for ops of other classes, even where shapes are unknown."""
    is_other = _is_other(op_class)
    values = pc.if_else(is_other, 0, pc.multiply(counted.macs, 2))
    missing = {reason: mask & ~to_bools(is_other) for reason, mask in counted.missing.items()}
    return FloatOps(values=values, macs=pc.if_else(is_other, 0, counted.macs), missing=missing)


def _is_other(op_class: pa.Array) -> pa.Array:
    return pc.fill_null(pc.not_equal(op_class, OpClass.CONTRACTION), fill_value=False)


def _classes(
    ops: pa.Array, use: RuleUse | None, is_inlined: Bools, traced: TracedFigures | None
) -> tuple[pa.Array, pa.Array]:
    """Return `Figures.op_class`, and which nodes only call functions, whose op types have no rule."""
    op_class = classes_of(ops, rule_set(FlopsRules.EXTENDED, user=use.rules.user if use else None))
    if traced is not None:
        op_class = pc.coalesce(op_class, traced.op_class)
    is_idle = pc.and_(pc.is_null(op_class), pa.array(is_inlined))
    return pc.if_else(is_idle, str(OpClass.NO_ARITHMETIC), op_class), is_idle


def _sources(ops: pa.Array, rules: RuleSet, values: pa.Array, is_rule: Bools) -> pa.Array:
    """Return `Figures.source`; the figures that `is_rule` are by rules, the others from the op log."""
    types = ops.dictionary_encode()
    of_rules = pa.array(rule_sources(types.dictionary.to_pylist(), rules), pa.string()).take(types.indices)
    return pc.if_else(pa.array(is_rule), of_rules, pc.if_else(pc.is_valid(values), OP_LOG, _NO_TEXT))


def _reasons(ops: pa.Array, functions: Collection[str], values: pa.Array, missing: Mapping[Reason, Bools]) -> pa.Array:
    """Return why there is no figure: what the op type's rule lacked, otherwise that it has no rule."""
    types = ops.dictionary_encode()
    of_type = [str(Reason.NO_RULE if op in functions else without_rule(op)) for op in types.dictionary.to_pylist()]
    reasons = pc.fill_null(pa.array(of_type, pa.string()).take(types.indices), str(Reason.NOT_IN_GRAPH))
    for reason, mask in missing.items():
        reasons = pc.if_else(pa.array(mask), str(reason), reasons)
    return pc.if_else(pc.is_valid(values), _NO_TEXT, reasons)
