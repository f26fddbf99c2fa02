"""FLOPs of Einsum: the product of all labels, twice where labels are summed over."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from tfprof_report.model.rules import FIRST, OUT, SECOND, Bools, Numbers, OpClass, Operands, Rule

_ELLIPSIS = "..."
_TENSORS = (FIRST, SECOND)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Equation:
    """An equation, read.

    terms : labels of each input, ``...`` among them at most once
    summed : per label that the output lacks, the tensor and the place (from the end if negative) of its dimension
    """

    terms: tuple[tuple[str, ...], ...]
    output: tuple[str, ...]
    summed: dict[str, tuple[str, int]]

    @property
    def is_contraction(self) -> bool:
        """Whether products are summed."""
        return len(self.terms) > 1 and bool(self.summed)

    @property
    def is_idle(self) -> bool:
        """Whether there is no arithmetic: a transposition or a diagonal."""
        return len(self.terms) == 1 and not self.summed


def _labels(term: str) -> tuple[str, ...]:
    head, dots, tail = term.partition(_ELLIPSIS)
    return (*head, *([_ELLIPSIS] if dots else []), *tail)


def _read(equation: str) -> _Equation | None:
    """Return the parts of an equation; None for what TensorFlow's op refuses."""
    left, arrow, right = equation.replace(" ", "").partition("->")
    terms, output = tuple(_labels(term) for term in left.split(",")), _labels(right)
    used = [label for term in terms for label in term]
    is_sound = arrow and len(terms) <= len(_TENSORS) and set(output) <= set(used) and len(set(output)) == len(output)
    if not is_sound or "." in used:
        return None
    summed: dict[str, tuple[str, int]] = {}
    for tensor, term in zip(_TENSORS, terms, strict=False):
        dots = term.index(_ELLIPSIS) if _ELLIPSIS in term else len(term)
        for place, label in enumerate(term):
            if label not in output and label != _ELLIPSIS:
                summed.setdefault(label, (tensor, place if place < dots else place - len(term)))
    return _Equation(terms=terms, output=output, summed=summed)


def _groups(n: Operands) -> list[tuple[_Equation | None, Bools]]:
    """Return the distinct equations and their nodes: a model has a handful of them."""
    words = n.words["equation"].fill_null("").dictionary_encode()
    codes = words.indices.to_numpy(zero_copy_only=False)
    return [(_read(text), codes == code) for code, text in enumerate(words.dictionary.to_pylist())]


def _applies(n: Operands) -> Bools:
    """Return where the equation is sound and has the ranks of the tensors."""
    result = np.zeros(len(n.inputs), dtype=bool)
    for equation, mask in _groups(n):
        if equation is None:
            continue
        fits = mask & (n.inputs == len(equation.terms))
        for tensor, term in ((OUT, equation.output), *zip(_TENSORS, equation.terms, strict=False)):
            rank, labels = n.tensors[tensor].rank, len(term) - (_ELLIPSIS in term)
            # What an ellipsis stands for is nothing where the output lacks it: TensorFlow does not sum over it.
            is_open = _ELLIPSIS in term and _ELLIPSIS in equation.output
            fits &= n.tensors[tensor].known & ((rank >= labels) if is_open else (rank == labels))
        result |= fits
    return result


def _products(n: Operands, *, of_contractions: bool) -> Numbers:
    """Return the product of all labels, 0 for the equations that are not asked for."""
    result: Numbers = np.zeros(len(n.inputs), dtype=n.dtype)
    for equation, mask in _groups(n):
        if equation is None or equation.is_idle or equation.is_contraction != of_contractions:
            continue
        product = n.size(OUT)
        for tensor, place in equation.summed.values():
            product = product * n.dim(tensor, place)
        result[mask] = product[mask]
    return result


EINSUM = Rule(
    ops=("Einsum", "XlaEinsum"),
    formula=lambda n: 2 * _products(n, of_contractions=True),
    on_top=lambda n: _products(n, of_contractions=False),
    applies=_applies,
    needs={FIRST: 0, OUT: 0},
    uses=(SECOND,),
    text="2 x the product of all labels; 1 x where products are not summed or one input is; 0 for a transposition",
    source="TensorFlow's op definitions: one multiply and one add for each combination of labels",
    kind=OpClass.CONTRACTION,
)
