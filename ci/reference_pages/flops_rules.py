"""The page of FLOPs rules: each rule with its formula, its source and the op types that it is for."""

from __future__ import annotations

from collections.abc import Sequence

from reference_pages.markdown import code, page, plain, table
from tfprof_report.model.flops.rule import OpClass, Rule
from tfprof_report.model.flops.rule_sets import DATA_DEPENDENT, RULES, rule_set, rule_sources
from tfprof_report.vocabulary import FlopsRules

_INTRODUCTION = """
What one execution of an op takes, as `tfprof-report rules` prints it and as `--rules extended` counts; a multiply and
an add count as two. `inK` is input K, `out` the first output, `N(x)` the number of elements of `x`, `x[i]` one of its
sizes.
Rules marked *registry* are those that TensorFlow registers, which `--rules tfprof` counts with.
[Models in numbers](../flops.md) shows what they add up to. An op type in no table is not counted: its nodes have no
figure, which reports list with the reason. Your own rules go into a file
([`--flops-rules`](commands/report.md#rows-and-columns-as-in-tfprof)).
""".strip()

_DEPENDENT = "Their FLOPs depend on the values of their inputs, so that no rule can count them from shapes:"


def flops_rules() -> str:
    """Return the page."""
    rules = rule_set(FlopsRules.EXTENDED)
    parts = [f"Version {rules.version} of the rules.", _INTRODUCTION]
    for kind in OpClass:
        chosen = [rule for rule in rules.rules if rule.kind is kind]
        used = {id(rules.rules[index]) for rule in chosen for index in rules.find(rule.ops).tolist()}
        parts += [f"## {kind.capitalize()}", _table([rule for rule in chosen if id(rule) in used])]
    return page("FLOPs rules", *parts, "## Without a rule", _DEPENDENT, _ops(sorted(DATA_DEPENDENT)))


def _table(chosen: Sequence[Rule]) -> str:
    rules = rule_set(FlopsRules.EXTENDED)
    rows = []
    for rule in chosen:
        marks = rule_sources(rule.ops, rules)
        for is_registered in (True, False):
            ops = [op for op, mark in zip(rule.ops, marks, strict=True) if (mark == RULES) == is_registered]
            if ops:
                mark = "*registry*; " if is_registered else ""
                rows.append((_ops(ops), plain(rule.text), mark + plain(rule.source)))
    return table(("op types", "FLOPs", "source"), rows)


def _ops(names: Sequence[str]) -> str:
    return " ".join(map(code, names))
