"""How a user wants FLOPs counted: by which rules, from which source first, for which ops."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from tfprof_report.errors import OptionError
from tfprof_report.model.flops.node_flops import RuleUse, use_rules
from tfprof_report.model.flops.rule import UserRules
from tfprof_report.record import record
from tfprof_report.semantics import Semantics
from tfprof_report.vocabulary import Count, FloatOpsFrom, FlopsRules


@record
class Counting:
    """How FLOPs are counted, in the words of the command line.

    rules : name of a rule set (`FlopsRules`)
    user_rules : the user's own rules, which override those of the set
    float_ops_from : source of a node's figure, if both op log and rules have one (`FloatOpsFrom`)
    count : all ops, or contractions only, as papers do (`Count`): other ops have 0 FLOPs, fused biases are not counted

    Raises
    ------
    OptionError
        Contractions only, but no rules, which classify ops as contractions.
    """

    rules: str = FlopsRules.NONE
    user_rules: UserRules | None = None
    float_ops_from: str = FloatOpsFrom.OP_LOG
    count: str = Count.ALL

    def __post_init__(self) -> None:
        if self.count == Count.CONTRACTION and self.rules == FlopsRules.NONE:
            raise OptionError(
                "only rules know which ops are contractions, and no rules are used",
                option="--count",
                advice=f"add --rules {FlopsRules.EXTENDED}",
            )

    @classmethod
    def of(cls, options: Mapping[str, Any], user_rules: UserRules | None = None) -> Counting:
        """Return the counting that `as_dict` describes."""
        named = {field.name: options[field.name] for field in fields(cls) if field.name in options}
        return cls(**{**named, "user_rules": user_rules})

    def as_dict(self) -> dict[str, str]:
        """Return everything but the user's rules, which only the name of the rule set shows (`node_flops.wording`)."""
        return {field.name: getattr(self, field.name) for field in fields(self) if field.name != "user_rules"}

    @property
    def infers_shapes(self) -> bool:
        """Whether rules count with inferred shapes; TensorFlow's own rules see only the shapes that it would see."""
        return self.rules == FlopsRules.EXTENDED

    def use(self, semantics: Semantics, *, fill_shapes: bool = False) -> RuleUse | None:
        """Return how rules are used, None without rules; `fill_shapes` completes shapes from run metadata."""
        return use_rules(
            self.rules,
            semantics,
            fill_shapes=fill_shapes,
            prefer_rules=self.float_ops_from == FloatOpsFrom.RULES,
            contractions_only=self.count == Count.CONTRACTION,
            user=self.user_rules,
        )


BY_OP_LOG = Counting()
"""The op log alone, as in tfprof's core."""

BY_ALL_RULES = Counting(rules=FlopsRules.EXTENDED)
"""All rules, after the op log: the default of reports."""
