"""Nodes with attributes of every kind, and the shapes that inference gives them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
from messages import decoded, graph, new, node, shape_proto

from tfprof_report.ingest.graph_def import SHAPES, read_graph
from tfprof_report.ingest.sniff import Kind
from tfprof_report.model.graph.edges import read_edges
from tfprof_report.model.shapes.infer import Inferred, infer_shapes

INT32, INT64, FLOAT = 3, 9, 1


def op(name: str, kind: str, *inputs: str, **attrs: Any) -> Any:
    """Return a NodeDef; an attribute's kind (bool, number, string, list of numbers or shapes) follows its value."""
    known = {key: attrs.pop(key) for key in ("shape", "output_shapes") if key in attrs}
    made = node(name, kind, *inputs, **known)
    for key, value in attrs.items():
        attr = made.attr[key]
        if isinstance(value, bool):
            attr.b = value
        elif isinstance(value, int) and key == "DstT":
            attr.type = value
        elif isinstance(value, int):
            attr.i = value
        elif isinstance(value, str):
            attr.s = value.encode()
        elif value and isinstance(value[0], list):
            attr.list.shape.extend(shape_proto(tuple(sizes)) for sizes in value)
        else:
            attr.list.SetInParent()
            attr.list.i.extend(value)
    return made


def const(name: str, values: Any, *, dtype: int = INT32, packed: bool = True) -> Any:
    """Return an integer constant, its elements as bytes or as a list."""
    array = np.array(values, dtype="<i4" if dtype == INT32 else "<i8")
    made = node(name, "Const")
    tensor = new("tensorflow.TensorProto", dtype=dtype, tensor_shape=shape_proto(array.shape))
    if packed:
        tensor.tensor_content = array.tobytes()
    else:
        (tensor.int_val if dtype == INT32 else tensor.int64_val).extend(array.ravel().tolist())
    made.attr["value"].tensor.CopyFrom(tensor)
    return made


def tensor(name: str, *sizes: int) -> Any:
    """Return a placeholder of a shape."""
    return op(name, "PlaceholderV2", shape=list(sizes))


def infer(*nodes: Any) -> Inferred:
    """Return the result of shape inference; attributes ``_output_shapes`` count as given shapes."""
    columns = read_graph(decoded(graph(*nodes), Kind.GRAPH)).nodes
    edges = read_edges(columns["inputs"].combine_chunks(), columns["name"].combine_chunks())
    return infer_shapes(columns, edges, columns["output_shapes"].cast(SHAPES).combine_chunks())


def shapes_of(*nodes: Any) -> dict[str, list[list[int] | None] | None]:
    """Return the inferred shapes of the outputs of each node by its name."""
    names: Sequence[str] = [each.name for each in nodes]
    return dict(zip(names, infer(*nodes).output_shapes.to_pylist(), strict=True))


def last(*nodes: Any) -> list[list[int] | None] | None:
    """Return the inferred shapes of the outputs of the last node."""
    found: pa.Array = infer(*nodes).output_shapes
    shapes: list[list[int] | None] | None = found[-1].as_py()
    return shapes
