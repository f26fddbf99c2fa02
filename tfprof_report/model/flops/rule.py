"""What a FLOPs rule is, and what its formula sees: columns of sizes and attributes of all nodes that it applies to."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from enum import StrEnum

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints, Lists, Numbers
from tfprof_report.record import record

FIRST, SECOND, THIRD, OUT = "in0", "in1", "in2", "out"
"""Names of tensors in formulas: ``inK`` is input K, ``out`` the first output."""


class OpClass(StrEnum):
    """What kind of arithmetic an op does."""

    CONTRACTION = "contraction"
    ELEMENTWISE = "elementwise"
    REDUCTION = "reduction"
    POOLING = "pooling"
    NORMALISATION = "normalisation"
    SOFTMAX = "softmax"
    OPTIMIZER = "optimizer"
    TRANSFORM = "transform"
    LINEAR_ALGEBRA = "linear algebra"
    SORTING = "sorting"
    NO_ARITHMETIC = "no arithmetic"  # 0 by rule: data is made, moved or described


@record
class Operands:
    """What a formula sees of n nodes.

    tensors : shapes of the tensors that the rule names
    lists : the attributes strides and ksize
    flags : boolean attributes, with their default where a node lacks one
    words : string attributes, lists joined by commas; NULL where a node lacks one
    numbers : the attribute depth_radius, NULL where a node lacks it
    channels_first : whether channels come before height and width (data_format NCHW)
    inputs : number of inputs
    dtype : type of the result, int64 or float64: formulas are evaluated in both, since only float64 shows an overflow
    """

    tensors: Mapping[str, Lists]
    lists: Mapping[str, Lists]
    flags: Mapping[str, Bools]
    words: Mapping[str, pa.Array]
    channels_first: Bools
    inputs: Ints
    dtype: type
    numbers: Mapping[str, pa.Array] = field(default_factory=dict)

    def size(self, tensor: str) -> Numbers:
        """Return the number of elements of a tensor."""
        return self.tensors[tensor].product(self.dtype)

    def dim(self, tensor: str, index: int) -> Numbers:
        """Return a dimension of a tensor."""
        return self.tensors[tensor].dim(index).astype(self.dtype)

    def channels(self, tensor: str) -> Numbers:
        """Return the number of channels of a picture."""
        return np.where(self.channels_first, self.dim(tensor, 1), self.dim(tensor, -1))

    def window(self) -> Numbers:
        """Return the number of elements of a pooling window."""
        return self.lists["ksize"].product(self.dtype)

    def stride(self) -> Numbers:
        """Return the product of the strides along height and width."""
        strides = self.lists["strides"]
        along = [np.where(self.channels_first, strides.dim(at + 1), strides.dim(at)) for at in (1, 2)]
        return along[0].astype(self.dtype) * along[1].astype(self.dtype)


@record
class Rule:
    """How many floating-point operations nodes of some op types take; a multiply-add counts as two.

    kind : for a contraction, half of the result of `formula` is the number of multiply-adds
    formula : from operands to a column
    divisor : divides the result of `formula`, if given; the fraction is dropped, and a divisor of 0 gives 0
    on_top : operations that are not part of the contraction, such as a fused bias; they are added
    applies : the nodes to which the formula applies; None for all
    needs : the tensors that must be fully known, each with the least number of dimensions
    uses : further tensors of the formula, which must be fully known where a node has them
    lists : attributes that must hold a list, each with the least length
    has_layout : the formula depends on where the channels are (data_format)
    text : the formula for readers; N is the number of elements
    source : where it is defined
    """

    ops: tuple[str, ...]
    formula: Callable[[Operands], Numbers]
    needs: Mapping[str, int]
    text: str
    source: str
    kind: OpClass
    divisor: Callable[[Operands], Numbers] | None = None
    on_top: Callable[[Operands], Numbers] | None = None
    applies: Callable[[Operands], Bools] | None = None
    uses: tuple[str, ...] = ()
    lists: Mapping[str, int] = field(default_factory=dict)
    has_layout: bool = False


@record
class UserRules:
    """A user's own rules; `digest` is the SHA-256 of their file, in hexadecimal digits."""

    rules: tuple[Rule, ...]
    digest: str

    def __str__(self) -> str:
        return f"user rules (sha256 {self.digest[:12]})"


@record
class RuleSet:
    """A named set of rules; figures are comparable only if name, version and user rules are the same.

    rules : the rules of the set, then those of `user`; if two rules have the same op type the later one applies
    user : the user's own rules, None if there are none
    has_vendor_kernels : an op type ``_MklX`` or ``_MklNativeX`` without a rule, from graphs that TensorFlow has
        optimised for oneDNN, has the rule of ``X`` or ``_X``
    """

    name: str
    version: int
    rules: tuple[Rule, ...]
    user: UserRules | None = None
    has_vendor_kernels: bool = False

    def __str__(self) -> str:
        own = f"{self.name} {self.version}"
        return f"{own} + {self.user}" if self.user else own

    def find(self, ops: Sequence[str]) -> Ints:
        """Return for each op type the index of its rule, -1 if it has none."""
        by_op = {op: index for index, rule in enumerate(self.rules) for op in rule.ops}
        return np.array([next((by_op[name] for name in self._names(op) if name in by_op), -1) for op in ops], np.int64)

    def _names(self, op: str) -> tuple[str, ...]:
        if not self.has_vendor_kernels or not op.startswith("_Mkl"):
            return (op,)
        bare = op.removeprefix("_Mkl").removeprefix("Native")
        return op, bare, f"_{bare}"
