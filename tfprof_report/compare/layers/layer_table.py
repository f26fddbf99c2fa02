"""The table of layers of one side, from the columns of its nodes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Bools, Floats, Ints, Numbers, first_places, make_lists, mix, to_bools, to_ints, whole
from tfprof_report.compare.matching.structure import hash_lists
from tfprof_report.model.flops.evaluate import unknown_nodes
from tfprof_report.model.flops.rule import OpClass
from tfprof_report.model.graph.edges import shapes_of_outputs
from tfprof_report.schema.metrics import METRICS, SUMMED_STEMS, Metric
from tfprof_report.schema.tables import LAYERS, PHASES, freeze

_NUMBERS = r"[0-9]+"
_READS = ("ReadVariableOp",)


def has_layers(nodes: pa.Table) -> bool:
    """Return whether nodes were assigned to layers: those of a report of an older version were not."""
    return "phase" in nodes.column_names and nodes["phase"].null_count < nodes.num_rows


def layer_codes(nodes: pa.Table) -> tuple[Ints, pa.Array]:
    """Return per node the number of its layer, and the names of layers, the last one NULL for nodes in no layer.

    Layers are in the order of their first node that computes, those without one last.
    """
    column = whole(nodes["layer"].unify_dictionaries())
    column = column.dictionary_encode() if not pa.types.is_dictionary(column.type) else column
    names = column.dictionary.cast(pa.string())
    code = to_ints(pc.fill_null(column.indices, len(names)))
    count, last = len(names) + 1, nodes.num_rows
    first = np.full(count, 2 * last + 1)
    holds = to_bools(pc.is_valid(nodes["param_kind"]))  # a variable may stand far from the nodes that read it
    place = np.arange(nodes.num_rows) + last * holds
    np.minimum.at(first, code, place)
    first[-1] = 2 * last + 2
    rank = np.empty(count, dtype=np.int64)
    order = np.argsort(first, kind="stable")
    rank[order] = np.arange(count)
    words = pa.concat_arrays([names, pa.nulls(1, pa.string())]).take(pa.array(order))
    return rank[code], words


def make_layer_table(nodes: pa.Table) -> pa.Table:
    """Return one row per layer, the columns of layers.parquet; the last row is for nodes in no layer.

    Figures are sums over the layer's nodes, as in views: NULL if no node that could have a figure has one, a lower
    bound if ``unknown_X`` of them have none. They add up to the totals of the report.

    Parameters
    ----------
    nodes : the columns of nodes.parquet
    """
    if not has_layers(nodes):
        return LAYERS.empty_table()
    code, names = layer_codes(nodes)
    count = len(names)
    sums, unknown = _sums(nodes, code, count)
    main = _main_nodes(nodes, code, count)
    outputs = _output_nodes(nodes, code, count)
    op = whole(nodes["op"].cast(pa.string())).take(main)
    facts = {
        "weights": _weights(nodes, code, count),
        "ops": _ops(nodes, code, count),
        "output_shape": _first_shape(nodes, outputs),
        "op": op.dictionary_encode(),
        "op_node": whole(nodes["name"]).take(main),
        "op_input_shapes": whole(nodes["input_shapes"]).take(main),
        "op_output_shape": _first_shape(nodes, main),
        "dtype": whole(nodes["dtype"]).take(main),
        "dtype_float_ops": _by_dtype(nodes, code, count),
        "attrs_digest": _digests(nodes, code, count),
        "code_line": whole(nodes["code_line"].cast(pa.string())).take(main),
    }
    table = pa.table({"layer": names, **sums, **unknown, **_by_phase(nodes, code, count), **facts})
    table = freeze(table.append_column("alike", pa.array(_alike(table))), LAYERS)
    return table if int(sums["definition_count"][count - 1].as_py()) else table.slice(0, count - 1)


def _sums(nodes: pa.Table, code: Ints, count: int) -> tuple[dict[str, pa.Array], dict[str, pa.Array]]:
    """Return the sum of each figure, and the number of nodes that lack it."""
    sums: dict[str, pa.Array] = {"definition_count": pa.array(np.bincount(code, minlength=count))}
    unknown: dict[str, pa.Array] = {}
    for stem, metric in METRICS.items():
        if stem in SUMMED_STEMS:
            lacks = unknown_nodes(nodes, stem)
            missing = np.bincount(code[lacks], minlength=count)
            unknown[f"unknown_{stem}"] = pa.array(missing)
            sums[stem] = _sum(nodes, metric, code, missing)
    return sums, unknown


def _sum(nodes: pa.Table, metric: Metric, code: Ints, missing: Ints) -> pa.Array:
    """Return the sum of a figure in each layer, NULL where no node has any though some could."""
    column = whole(nodes[metric.stem])
    known = to_bools(pc.is_valid(column))
    total = _add(_filled(column, metric), code, len(missing))
    is_none = (missing > 0) & (np.bincount(code[known & _counts(column)], minlength=len(missing)) == 0)
    return pa.array(total, mask=is_none)


def _counts(column: pa.Array) -> Bools:
    return to_bools(pc.fill_null(pc.not_equal(column, 0), fill_value=False))


def _filled(column: pa.Array, metric: Metric) -> Ints | Floats:
    filled = pc.fill_null(column, 0)
    return np.asarray(filled, dtype=np.float64) if metric.is_mean else to_ints(filled)


def _add(values: Numbers, code: Ints, count: int) -> Numbers:
    """Return the sums by layer, integers exactly."""
    sums: Numbers = np.zeros(count, dtype=values.dtype)
    np.add.at(sums, code, values)
    return sums


def _by_phase(nodes: pa.Table, code: Ints, count: int) -> dict[str, pa.Array]:
    """Return the known FLOPs of each layer in each phase; together they are its FLOPs."""
    phase = nodes["phase"].cast(pa.string())
    values = to_ints(pc.fill_null(nodes["float_ops"], 0))
    found = {}
    for word in PHASES:
        rows = np.flatnonzero(to_bools(pc.fill_null(pc.equal(phase, word), fill_value=False)))
        found[f"{word}_float_ops"] = pa.array(_add(values[rows], code[rows], count))
    return found


def _main_nodes(nodes: pa.Table, code: Ints, count: int) -> pa.Array:
    """Return per layer the forward node with the most FLOPs, the node that gives its output if none has any.

    Of equal ones it is the first by name, so that the order of a file does not matter.
    """
    size = to_ints(pc.fill_null(nodes["float_ops"], 0)) * _is_forward(nodes)
    most: Ints = np.zeros(count, dtype=np.int64)
    np.maximum.at(most, code, size)
    rows = np.flatnonzero((size > 0) & (size == most[code]))
    names = whole(nodes["name"]).take(pa.array(rows))
    rows = rows[to_ints(pc.array_sort_indices(names, order="descending"))]
    main = np.full(count, -1)
    main[code[rows]] = rows  # the last one of each layer
    output = to_ints(pc.fill_null(_output_nodes(nodes, code, count), -1))
    main = np.where(main < 0, output, main)
    return pa.array(main, mask=main < 0)


def _is_forward(nodes: pa.Table) -> Bools:
    return to_bools(pc.fill_null(pc.equal(nodes["phase"].cast(pa.string()), PHASES[0]), fill_value=False))


def _output_nodes(nodes: pa.Table, code: Ints, count: int) -> pa.Array:
    """Return per layer the node that gives its output, NULL for a layer that computes nothing."""
    rows = np.flatnonzero(to_bools(pc.fill_null(nodes["is_layer_output"], fill_value=False)))
    found = np.full(count, -1)
    found[code[rows]] = rows
    return pa.array(found, mask=found < 0)


def _first_shape(nodes: pa.Table, rows: pa.Array) -> pa.Array:
    """Return the shape of the first output of some nodes, NULL where it is not known."""
    place = to_ints(pc.fill_null(rows, -1))
    return shapes_of_outputs(whole(nodes["output_shapes"]), place, np.zeros_like(place))


def _weights(nodes: pa.Table, code: Ints, count: int) -> pa.ListArray:
    """Return the shapes of each layer's variables that are no state of an optimizer, in the order of their names."""
    kind = nodes["param_kind"].cast(pa.string())
    is_own = pc.and_(pc.not_equal(kind, "slot"), pc.not_equal(kind, "unused"))
    rows = np.flatnonzero(to_bools(pc.fill_null(is_own, fill_value=False)))
    by_name = to_ints(pc.sort_indices(whole(nodes["name"]).take(pa.array(rows))))
    rows = rows[by_name][np.argsort(code[rows][by_name], kind="stable")]
    return make_lists(_variable_shapes(nodes, rows), np.bincount(code[rows], minlength=count))


def _variable_shapes(nodes: pa.Table, rows: Ints) -> pa.ListArray:
    """Return the shapes of variables; that of a captured handle is the shape of what the first read of it gives."""
    names, ops = whole(nodes["name"]), whole(nodes["op"].cast(pa.string()))
    shapes = whole(nodes["shape"])
    is_handle = to_bools(pc.fill_null(pc.equal(ops.take(pa.array(rows)), "Placeholder"), fill_value=False))
    if not is_handle.any():
        return shapes.take(pa.array(rows))
    inputs = whole(nodes["inputs"])
    is_read = pc.and_(pc.is_in(ops, value_set=pa.array(_READS)), pc.greater(pc.list_value_length(inputs), 0))
    reads = np.flatnonzero(to_bools(pc.fill_null(is_read, fill_value=False)))
    source = pc.list_element(inputs.take(pa.array(reads)), 0)
    read = to_ints(pc.fill_null(pc.index_in(names.take(pa.array(rows)), value_set=source), -1))
    place = np.where(is_handle & (read >= 0), reads[read], -1) if len(reads) else np.full(len(rows), -1)
    as_read = shapes_of_outputs(whole(nodes["output_shapes"]), place, np.zeros_like(place))
    own = shapes.take(pa.array(rows, mask=is_handle))
    return pc.if_else(pa.array(is_handle), as_read.cast(own.type), own)


def _ops(nodes: pa.Table, code: Ints, count: int) -> pa.ListArray:
    """Return the op types of each layer's forward nodes with arithmetic, each once, sorted."""
    computes = pc.not_equal(nodes["op_class"].cast(pa.string()), OpClass.NO_ARITHMETIC)
    ops = whole(nodes["op"].cast(pa.string()))
    rows = np.flatnonzero(
        _is_forward(nodes) & to_bools(pc.fill_null(computes, fill_value=True)) & to_bools(pc.is_valid(ops))
    )
    words = pc.unique(ops.take(pa.array(rows)))
    words = words.take(pc.sort_indices(words))
    number = to_ints(pc.index_in(ops.take(pa.array(rows)), value_set=words))
    keys = np.unique(code[rows] * max(len(words), 1) + number)
    layer, number = np.divmod(keys, max(len(words), 1))
    return make_lists(words.take(pa.array(number)), np.bincount(layer, minlength=count))


def _digests(nodes: pa.Table, code: Ints, count: int) -> pa.Array:
    """Return a number per layer that is equal for equal attributes of its forward ops; NULL where one is not known."""
    own = _is_forward(nodes) & to_bools(pc.is_null(nodes["param_kind"]))
    digests = whole(nodes["attrs_digest"])
    is_known = to_bools(digests.is_valid())
    rows = np.flatnonzero(own & is_known)
    sums = np.zeros(count, dtype=np.uint64)
    np.add.at(sums, code[rows], mix(to_ints(digests.take(pa.array(rows)))))
    lacks = np.bincount(code[own & ~is_known], minlength=count) > 0
    return pa.array(sums.view(np.int64), mask=lacks)


def _by_dtype(nodes: pa.Table, code: Ints, count: int) -> pa.ListArray:
    """Return the FLOPs of each layer by the type that nodes compute in, the most first; NULL is a type not known."""
    values = to_ints(pc.fill_null(nodes["float_ops"], 0))
    kinds = whole(nodes["dtype"].unify_dictionaries()).dictionary_encode()
    words = pa.concat_arrays([kinds.dictionary.cast(pa.string()), pa.nulls(1, pa.string())])
    number = to_ints(pc.fill_null(kinds.indices, len(words) - 1))
    rows = np.flatnonzero(values != 0)
    keys, group = np.unique(code[rows] * len(words) + number[rows], return_inverse=True)
    sums = _add(values[rows], group, len(keys))
    layer, number = np.divmod(keys, len(words))
    order = np.lexsort((number, -sums, layer))
    items = pa.StructArray.from_arrays(
        [words.take(pa.array(number[order])), pa.array(sums[order])], names=["dtype", "float_ops"]
    )
    return make_lists(items, np.bincount(layer, minlength=count))


def _alike(layers: pa.Table) -> Ints:
    """Return per layer the first row that is alike: the same name but for numbers, op, shapes, parameters and FLOPs."""
    name = whole(pc.replace_substring_regex(layers["layer"], _NUMBERS, "#"))
    words = [name, whole(layers["op"].cast(pa.string()))]
    keys = [to_ints(pc.fill_null(each.dictionary_encode().indices, -1)) for each in words]
    keys += [to_ints(pc.fill_null(layers[stem], -1)) for stem in ("params", "float_ops", "backward_float_ops")]
    keys += [
        hash_lists(whole(layers[shapes])).view(np.int64) for shapes in ("weights", "op_input_shapes", "output_shape")
    ]
    group = np.unique(np.stack(keys), axis=1, return_inverse=True)[1]
    return first_places(group)[group]
