"""What a FLOPs rule is, and what its formula sees: columns of sizes and attributes of all nodes that it is for."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum

import numpy as np
import pyarrow as pa

from tfprof_report.arrays import Bools, Ints, Lists, Numbers

FIRST, SECOND, THIRD, OUT = "in0", "in1", "in2", "out"
"""Names of tensors that formulas speak of: ``inK`` is input K, ``out`` the first output."""


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


@dataclass(frozen=True, slots=True, kw_only=True)
class Operands:
    """What a formula sees of n nodes, in one type of number.

    tensors : shapes of the tensors that the rule names
    lists : the attributes strides and ksize
    flags : the attributes that are truth values, their defaults where a node lacks them
    words : the attributes that are texts, or lists of texts with commas between; NULL where a node lacks it
    numbers : the attribute depth_radius, NULL where a node lacks it
    channels_first : whether channels come before height and width (data_format NCHW)
    inputs : number of input strings
    dtype : int64 or float64: formulas are evaluated in both, since only the second one notices an overflow
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """How many floating-point operations nodes of some op types take, multiply and add counted apart.

    kind : of a contraction, half of what `formula` gives are multiply-adds
    formula : from operands to a column
    divisor : divides the formula, if given; the fraction is dropped, and a divisor of 0 gives 0
    on_top : what is added and is no part of a contraction, such as a fused bias
    applies : the nodes to which the formula applies; all where it is None
    needs : the tensors that must be fully known, each with the least number of dimensions
    uses : tensors that the formula looks at where they are known
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


@dataclass(frozen=True, slots=True, kw_only=True)
class UserRules:
    """Rules of a user's own; `digest` is the SHA-256 of the file that they stand in, in hexadecimal digits."""

    rules: tuple[Rule, ...]
    digest: str

    def __str__(self) -> str:
        return f"user rules (sha256 {self.digest[:12]})"


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleSet:
    """Rules under a name; figures by sets of another name or version, or with other user rules, are not comparable.

    rules : those of the set, then those of `user`; of two for an op type the later one counts
    user : rules of a user's own; None without
    has_vendor_kernels : an op type without a rule that begins with ``_Mkl`` or ``_MklNative``, as in graphs that
        TensorFlow has optimised for oneDNN, does what its namesake without the prefix does
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
        """Return for each op type the index of its rule, -1 without one."""
        by_op = {op: index for index, rule in enumerate(self.rules) for op in rule.ops}
        return np.array([next((by_op[name] for name in self._names(op) if name in by_op), -1) for op in ops], np.int64)

    def _names(self, op: str) -> tuple[str, ...]:
        if not self.has_vendor_kernels or not op.startswith("_Mkl"):
            return (op,)
        bare = op.removeprefix("_Mkl").removeprefix("Native")
        return op, bare, f"_{bare}"
