"""The command `rules`: print the FLOPs rules, one line for each op type."""

from __future__ import annotations

from tfprof_report.cli.console import write_text
from tfprof_report.cli.params.small_commands import RulesValues
from tfprof_report.errors import OptionError, one_line
from tfprof_report.model.flops.rule import OpClass, RuleSet
from tfprof_report.model.flops.rule_sets import DATA_DEPENDENT, is_own, rule_set, rule_sources
from tfprof_report.model.flops.user_rules import read_user_rules
from tfprof_report.options import hint_at, unknown_word

_COLUMNS = ("op_type", "class", "rule_of", "formula", "source")
_WORDS = (
    "# FLOPs of one execution, multiply and add counted apart; inK is input K, out the first output, N(x) the number "
    "of elements of x, x[i] one of its sizes"
)


def print_rules(values: RulesValues) -> None:
    """Print the chosen FLOPs rules as tab-separated columns, below two comment lines."""
    rules = rule_set(values.rules, user=None if values.flops_rules is None else read_user_rules(values.flops_rules))
    ops = _chosen(rules, values.op or [], values.op_class)
    found = [rules.rules[index] for index in rules.find(ops).tolist()]
    rows = [
        (op, rule.kind, source, rule.text, rule.source)
        for op, rule, source in zip(ops, found, rule_sources(ops, rules), strict=True)
    ]
    lines = (
        f"# FLOPs rules {rules}; op types: {len(rows):,}",
        _WORDS,
        *("\t".join(map(one_line, row)) for row in (_COLUMNS, *rows)),
    )
    write_text(f"{line}\n" for line in lines)


def _chosen(rules: RuleSet, named: list[str], op_class: str | None) -> list[str]:
    """Return the op types to print: those named, in the order given, else all, sorted."""
    known = sorted({op for rule in rules.rules for op in rule.ops})
    if op_class is not None and op_class not in list(OpClass):
        raise unknown_word(op_class, option="--class", known=OpClass)
    for op, index in zip(named, rules.find(named).tolist(), strict=True):
        if index < 0:
            raise OptionError(f'there is no rule for "{op}"', option="--op", advice=_why(op, known))
    ops = named or known
    kinds = [rules.rules[index].kind for index in rules.find(ops).tolist()]
    return [op for op, kind in zip(ops, kinds, strict=True) if op_class in (None, kind)]


def _why(op: str, known: list[str]) -> str:
    """Return why an op type has no rule, or a similar op type that has one."""
    if op in DATA_DEPENDENT:
        return "its FLOPs depend on its data"
    if is_own(op):
        return "--flops-rules takes one"
    hint = hint_at(op, known)
    return hint if hint.startswith("did") else "TensorFlow has no such op type; --flops-rules takes a rule for it"
