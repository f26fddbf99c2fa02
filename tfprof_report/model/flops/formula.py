"""Formulas of a user's FLOPs rules: arithmetic over sizes of tensors, parsed once and evaluated over columns.

A formula is parsed, never run as code. It may contain whole numbers, names, ``+ - * //``, ``**`` with a small constant,
``min``, ``max``, ``size(in0)``, ``rank(in0)`` and sizes such as ``in0[0]`` or ``out[-1]``.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from tfprof_report.arrays import Numbers
from tfprof_report.limits import INT64_LIMIT
from tfprof_report.model.flops.rule import OUT, Operands
from tfprof_report.options import hint_at
from tfprof_report.record import record

MAX_CHARACTERS = 1000
_MAX_DEPTH = 60
_MAX_EXPONENT = 8
_MAX_RANK = 254  # as in TensorFlow
_TENSOR = re.compile(rf"in(\d|[1-9]\d{{1,2}})|{OUT}")
_FUNCTIONS = ("size", "rank", "min", "max")

Dimension = tuple[str, int]
"""A tensor and an axis of it."""

_Apply = Callable[[Operands, Sequence[Numbers]], Numbers]
_Step = tuple[int, _Apply]
"""The number of operands that a step takes from the stack, and the function that it applies to them."""


class FormulaError(Exception):
    """A formula is invalid; `str()` says what is wrong and where."""


@record
class Formula:
    """A parsed formula.

    steps : its operations in postfix order, for a stack machine
    needs : the tensors whose shapes it uses, each with the least number of dimensions
    """

    steps: tuple[_Step, ...]
    needs: Mapping[str, int]

    def __call__(self, n: Operands) -> Numbers:
        """Return the value for each node; in float64 the largest magnitude of all steps, NaN after a division by 0.

        The magnitude shows whether int64 overflowed in any step, even if a division makes the value small again.
        """
        stack: list[Numbers] = []
        largest: Numbers = np.zeros(len(n.inputs))
        for count, apply in self.steps:
            at = len(stack) - count
            stack[at:] = [apply(n, stack[at:])]
            largest = np.maximum(largest, np.abs(stack[at]))  # NaN stays: a division by 0
        return stack[0] if n.dtype is np.int64 else largest


def is_tensor(name: str) -> bool:
    """Return whether a name is that of a tensor: ``in0``, ``in1`` ... or ``out``."""
    return _TENSOR.fullmatch(name) is not None


def read_formula(text: str, names: Mapping[str, Dimension]) -> Formula:
    """Parse a formula; `names` are the names of sizes that it may use.

    Raises
    ------
    FormulaError
        It contains anything but the arithmetic that this module allows, or is too long or nested too deeply.
    """
    if len(text) > MAX_CHARACTERS:
        raise FormulaError(f"is longer than {MAX_CHARACTERS} characters")
    if not text.isascii():
        raise FormulaError("contains characters that are not ASCII")
    line = re.sub(r"\s", " ", text)
    indent = len(line) - len(line.lstrip())
    try:
        body = ast.parse(line.strip(), mode="eval").body
    except SyntaxError as error:
        where = f"at character {error.offset + indent}" if error.offset else "at its end"
        raise FormulaError(f"is not valid arithmetic {where}") from error
    except (ValueError, RecursionError, MemoryError) as error:  # numbers of thousands of digits, nesting
        raise FormulaError("is nested too deeply, or contains a number that is too large") from error
    _check_depth(body)
    reader = _Reader(names=names, needs={}, indent=indent)
    steps = tuple(reader.steps(body))
    return Formula(steps=steps, needs=reader.needs)


def _check_depth(body: ast.expr) -> None:
    level: list[ast.AST] = [body]
    for _ in range(_MAX_DEPTH):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return
    raise FormulaError("is nested too deeply: use fewer brackets, or fewer terms in a row")


@record
class _Reader:
    """Turns a syntax tree into steps, and collects in `needs` the tensors that they use."""

    names: Mapping[str, Dimension]
    needs: dict[str, int]
    indent: int

    def steps(self, node: ast.expr) -> Iterator[_Step]:
        """Yield the steps of an expression: those of its operands, then its own."""
        match node:
            case ast.Constant():
                yield 0, _constant(self._whole(node))
            case ast.Name(id=name) if name in self.names:
                yield 0, self._size(*self.names[name])
            case ast.Subscript(value=ast.Name(id=name)) if is_tensor(name):
                yield 0, self._size(name, self._place(node.slice))
            case ast.Call():
                yield from self._call(node)
            case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=operand):
                yield from self.steps(operand)
                if isinstance(node.op, ast.USub):
                    yield 1, lambda _, values: -values[0]
            case ast.BinOp(op=ast.Pow(), left=left, right=exponent):
                yield from self.steps(left)
                yield 1, _power(self._exponent(exponent))
            case ast.BinOp(op=operator, left=left, right=right) if type(operator) in _OPERATORS:
                yield from self.steps(left)
                yield from self.steps(right)
                yield 2, _OPERATORS[type(operator)]
            case _:
                raise self._refusal(node)

    def _call(self, node: ast.Call) -> Iterator[_Step]:
        match node:
            case ast.Call(func=ast.Name(id="size" | "rank" as function), args=[ast.Name(id=name)], keywords=[]) if (
                is_tensor(name)
            ):
                self._need(name, 0)
                yield 0, _whole_tensor(function, name)
            case ast.Call(func=ast.Name(id="min" | "max" as function), args=[_, _, *_], keywords=[]):
                for argument in node.args:
                    yield from self.steps(argument)
                yield len(node.args), _extreme(function)
            case ast.Call(func=ast.Name(id="size" | "rank" as function)):
                raise self._error(node, f"{function} takes one tensor", f"write {function}(in0) or {function}(out)")
            case ast.Call(func=ast.Name(id="min" | "max" as function)):
                raise self._error(node, f"{function} takes two values or more")
            case ast.Call(func=ast.Name(id=name)):
                raise self._error(node, f'there is no function "{name}"', hint_at(name, _FUNCTIONS))
            case _:
                raise self._refusal(node)

    def _size(self, tensor: str, place: int) -> _Apply:
        self._need(tensor, place + 1 if place >= 0 else -place)
        return lambda n, _: n.dim(tensor, place)

    def _need(self, tensor: str, rank: int) -> None:
        self.needs[tensor] = max(rank, self.needs.get(tensor, 0))

    def _whole(self, node: ast.expr) -> int:
        if not isinstance(node, ast.Constant) or type(node.value) is not int:
            raise self._error(node, "is not a whole number", "write // to divide, such as size(out) // 2")
        if node.value >= INT64_LIMIT:
            raise self._error(node, "leaves the 64-bit range")
        return node.value

    def _place(self, node: ast.expr) -> int:
        sign = 1
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
            sign, node = -1, node.operand
        if not isinstance(node, ast.Constant) or type(node.value) is not int or node.value > _MAX_RANK:
            raise self._error(node, "is not an axis", "write a whole number, such as in0[0] or in0[-1]")
        return sign * node.value

    def _exponent(self, node: ast.expr) -> int:
        if not isinstance(node, ast.Constant) or type(node.value) is not int or node.value > _MAX_EXPONENT:
            raise self._error(node, "is not a valid exponent", f"write a whole number up to {_MAX_EXPONENT}")
        return node.value

    def _refusal(self, node: ast.expr) -> FormulaError:
        """Return the error for an expression that formulas do not allow."""
        match node:
            case ast.Name(id=name) if is_tensor(name):
                return self._error(node, "is a tensor", f"write size({name}), or {name}[0] for one of its sizes")
            case ast.Name(id=name) | ast.Subscript(value=ast.Name(id=name)):
                return self._error(node, f'"{name}" is not known', hint_at(name, [*self.names, "in0", "in1", OUT]))
            case ast.BinOp(op=ast.Div()):
                return self._error(node, "/ leaves fractions", "write // to drop them")
            case _:
                return self._error(node, "is not allowed in a formula", "use numbers, names, + - * // **, min, max")

    def _error(self, node: ast.expr, problem: str, advice: str = "") -> FormulaError:
        where = f"{problem} at character {node.col_offset + self.indent + 1}"
        return FormulaError(f"{where}; {advice}" if advice else where)


def _constant(value: int) -> _Apply:
    return lambda n, _: np.full(len(n.inputs), value, dtype=n.dtype)


def _whole_tensor(function: str, tensor: str) -> _Apply:
    if function == "rank":
        return lambda n, _: n.tensors[tensor].rank.astype(n.dtype)
    return lambda n, _: n.size(tensor)


def _extreme(function: str) -> _Apply:
    choose: Any = np.minimum if function == "min" else np.maximum
    return lambda _, values: choose.reduce(values)


def _power(exponent: int) -> _Apply:
    return lambda n, values: np.power(values[0], n.dtype(exponent))


def _quotient(n: Operands, values: Sequence[Numbers]) -> Numbers:
    """Return floored quotients; for a divisor of 0, NaN in float64 and 0 in int64, which has no NaN."""
    number, divisor = values
    is_zero = divisor == 0
    nothing = np.nan if n.dtype is np.float64 else 0
    result: Numbers = np.where(is_zero, nothing, number // np.where(is_zero, 1, divisor))
    return result


_OPERATORS: Mapping[type[ast.operator], _Apply] = {
    ast.Add: lambda _, values: values[0] + values[1],
    ast.Sub: lambda _, values: values[0] - values[1],
    ast.Mult: lambda _, values: values[0] * values[1],
    ast.FloorDiv: _quotient,
}
