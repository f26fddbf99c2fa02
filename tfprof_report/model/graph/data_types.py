"""Groups of TensorFlow's DataType numbers (types.proto), and the size of an element of each type."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import to_ints

RESOURCE = 20
HANDLES = (RESOURCE, 21)
"""Resource and variant: what stands for a variable, a table or a list, not for data."""

_FLOAT, _DOUBLE, _COMPLEX64, _COMPLEX128, _BFLOAT16, _HALF = 1, 2, 8, 18, 14, 19
_FLOAT8 = (24, 25, 26, 27, 28)
FLOATS = (_FLOAT, _DOUBLE, _COMPLEX64, _COMPLEX128, _BFLOAT16, _HALF, *_FLOAT8)
QUANTIZED = (4, 6, 11, 12, 13, 15, 16)
"""uint8, int8, qint8, quint8, qint32, qint16, quint16: types of quantized weights."""

_NAMES = {
    _FLOAT: "float32",
    _DOUBLE: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    _COMPLEX64: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    _BFLOAT16: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    _COMPLEX128: "complex128",
    _HALF: "float16",
    RESOURCE: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    29: "int4",
    30: "uint4",
}
"""The names of types as ``tf.DType`` has them."""

NUMBER_TYPES = tuple(name for name in _NAMES.values() if name not in ("string", "bool", "resource", "variant"))
"""The names of the types that are numbers."""

_REFERENCE = 100
"""A reference to a value of a type has the number of the type plus this."""

_BYTES = {
    **dict.fromkeys((4, 6, 10, 11, 12, *_FLOAT8, 29, 30, 31, 32), 1),  # bool, 8 bits; TensorFlow does not pack fewer
    **dict.fromkeys((5, 15, 16, 17, _BFLOAT16, _HALF), 2),
    **dict.fromkeys((3, 13, 22, _FLOAT), 4),
    **dict.fromkeys((9, 23, _DOUBLE, _COMPLEX64), 8),
    _COMPLEX128: 16,
}


def element_bytes(dtype: pa.Array) -> pa.Array:
    """Return the size of one element of each type in bytes, int64; NULL for strings, handles and unknown types.

    A quantized type has the size of its integers.
    """
    index = pc.index_in(dtype, value_set=pa.array(list(_BYTES), pa.int64()))
    sizes = np.array(list(_BYTES.values()), dtype=np.int64)
    return pa.array(sizes[to_ints(pc.fill_null(index, 0))], mask=pc.is_null(index).to_numpy(zero_copy_only=False))


def type_names(dtype: pa.Array) -> pa.Array:
    """Return the name of each type, NULL for one that TensorFlow does not have."""
    number = pc.if_else(pc.greater(dtype, _REFERENCE), pc.subtract(dtype, _REFERENCE), dtype)
    index = pc.index_in(number, value_set=pa.array(list(_NAMES), pa.int64()))
    return pa.array(list(_NAMES.values())).take(index)
