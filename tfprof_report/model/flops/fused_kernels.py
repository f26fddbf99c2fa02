"""FLOPs of fused kernels besides their contraction: by the attribute ``fused_ops``, or by the name of the op type."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from tfprof_report.arrays import Bools, Ints, Numbers, to_ints
from tfprof_report.model.flops.rule import FIRST, OUT, OpClass, Operands, Rule

_EACH = {
    **dict.fromkeys(("BiasAdd", "Add", "Sum", "Mul", "Relu", "Tanh", "Sigmoid"), 1),
    **dict.fromkeys(("Relu6", "Elu", "LeakyRelu", "Swish", "Requantize", "Dequantize"), 2),
    "FusedBatchNorm": 3,
    **dict.fromkeys(("GeluExact", "_FusedHardSwish", "_MklFusedMish"), 5),
    "GeluApproximate": 9,
}
"""Operations per element of the output, by the words of ``fused_ops``; as many as those of the unfused op."""

_UNARY = {"Elu": 2, "Relu6": 2, "Rsqrt": 2, "Selu": 3, "Softplus": 3}
"""Operations per element by the words of ``op_names``; other words are one operation."""

_IN_NAMES = {"WithBias": 1, "Sum": 1, "Relu": 1, "Requantize": 2, "Dequantize": 2}
"""Operations per element by parts of names such as QuantizedConv2DWithBiasAndRelu."""

_OF_CHANNELS = 4
"""Operations per channel of a fused normalisation in inference: folding scale, mean and variance into one factor."""

_WITH_BIAS, _WITH_SIDE_INPUT = 3, 6
"""Number of inputs of a contraction with a bias, and of a normalisation with a side input to add to its result."""

_IDLE = ("", "None", "Identity")


def with_fused_ops(rule: Rule) -> Rule:
    """Return a contraction's rule for kernels that also do the operations of their attribute ``fused_ops``.

    Without the attribute, a third input is a bias. An unknown word in the attribute makes the figure unknown.
    """
    text = f"{rule.text} + what fused_ops says for each element of out; without it, N(out) where there is a third input"
    return replace(rule, on_top=_by_attribute, applies=_has_known_words, text=text)


def with_names(make: Callable[..., Rule], ops: Sequence[str]) -> tuple[Rule, ...]:
    """Return the rules of `make` for ops whose names list further operations, one rule per number of these."""
    by_times: dict[int, list[str]] = {}
    for op in ops:
        by_times.setdefault(sum(times for word, times in _IN_NAMES.items() if word in op), []).append(op)
    return tuple(_with_per_element(make(*named), times) for times, named in sorted(by_times.items()))


def with_bias_and_activation(rule: Rule) -> Rule:
    """Return a contraction's rule for kernels that add a bias and apply the activation of ``activation_mode``."""
    text = f"{rule.text} + N(out), + N(out) with an activation_mode"
    return replace(rule, on_top=lambda n: n.size(OUT) * (1 + activation(n)), text=text)


def activation(n: Operands) -> Numbers:
    """Return 1 where ``activation_mode`` names an activation, else 0."""
    modes = n.words["activation_mode"].fill_null("")
    is_idle = np.isin(modes.to_numpy(zero_copy_only=False), _IDLE)
    return (~is_idle).astype(n.dtype)


def side_input(n: Operands) -> Numbers:
    """Return 1 where a fused normalisation adds another input to its result, else 0."""
    return (n.inputs >= _WITH_SIDE_INPUT).astype(n.dtype)


def _composed(n: Operands) -> Numbers:
    lists, which = _listed(n, "op_names")
    times = np.array([sum(_UNARY.get(word, 1) for word in words) for words in lists])[which]
    result: Numbers = n.size(FIRST) * times.astype(n.dtype)
    return result


COMPOSED = Rule(
    ops=("_UnaryOpsComposition",),
    formula=_composed,
    needs={FIRST: 0},
    text="what op_names says for each element of in0",
    source="the rules of the ops that it names",
    kind=OpClass.ELEMENTWISE,
)


def _with_per_element(rule: Rule, times: int) -> Rule:
    if not times:
        return rule
    text = f"{rule.text} + {f'{times} ' if times > 1 else ''}N(out)"
    return replace(rule, on_top=lambda n: times * n.size(OUT), text=text)


def _listed(n: Operands, attribute: str) -> tuple[list[list[str]], Ints]:
    """Return the distinct word lists of an attribute, and the index of each node's list; 0 for no attribute."""
    texts = n.words[attribute].dictionary_encode()
    lists = [text.split(",") if text else [] for text in texts.dictionary.to_pylist()]
    return [[], *lists], to_ints(texts.indices.fill_null(-1)) + 1


def _by_attribute(n: Operands) -> Numbers:
    lists, which = _listed(n, "fused_ops")
    times = np.array([sum(_EACH.get(word, 0) for word in words) for words in lists])[which]
    has_bias = (which == 0) & (n.inputs >= _WITH_BIAS)
    normalises = np.array(["FusedBatchNorm" in words for words in lists])[which]
    of_elements = n.size(OUT) * (times + has_bias).astype(n.dtype)
    result: Numbers = of_elements + np.where(normalises, _OF_CHANNELS * n.channels(OUT), 0)
    return result


def _has_known_words(n: Operands) -> Bools:
    lists, which = _listed(n, "fused_ops")
    result: Bools = np.array([all(word in _EACH for word in words) for words in lists])[which]
    return result
