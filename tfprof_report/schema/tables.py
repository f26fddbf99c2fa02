"""The columns of every written table, in order and with their types, frozen by the schema version.

To add a column, add it here and where its table is built; it is NULL when an older report is read.
"""

from __future__ import annotations

from collections.abc import Collection

import pyarrow as pa

from tfprof_report.schema.activity_columns import ACTIVITY, DIFF_ACTIVITY, DIFF_TRANSFERS, DIFF_WAITS, TRANSFERS, WAITS
from tfprof_report.schema.metrics import (
    METRICS,
    NANOS,
    NODE_VIEWS,
    RUN_STEMS,
    STEP_STEMS,
    SUMMED_STEMS,
    VIEWS,
    Kind,
    Metric,
)

_WORD = pa.dictionary(pa.int32(), pa.string())
_STATE = pa.dictionary(pa.int8(), pa.string())
_NAMES = pa.list_(pa.string())
_SHAPE = pa.list_(pa.int64())


def _type_of(metric: Metric) -> pa.DataType:
    return pa.float64() if metric.is_mean else pa.int64()


NODES = pa.schema(
    [
        ("node", pa.int64()),
        ("name", pa.string()),
        ("op", _WORD),
        ("source", _WORD),
        ("device", _WORD),
        ("run_devices", _NAMES),
        ("op_types", _NAMES),
        ("inputs", _NAMES),
        ("attrs_digest", pa.int64()),
        ("shape", _SHAPE),
        ("input_shapes", pa.list_(_SHAPE)),
        ("output_shapes", pa.list_(_SHAPE)),
        ("shape_source", _WORD),
        ("shape_conflict", pa.bool_()),
        ("params", pa.int64()),
        ("param_bytes", pa.int64()),
        ("trainable_params", pa.int64()),
        ("unused_params", pa.int64()),
        ("unused_param_bytes", pa.int64()),
        ("param_kind", _WORD),
        ("param_kind_is_guess", pa.bool_()),
        ("float_ops", pa.int64()),
        ("macs", pa.int64()),
        ("single_float_ops", pa.int64()),
        ("multiplicity", pa.int64()),
        ("float_ops_source", _WORD),
        ("float_ops_reason", _WORD),
        ("float_ops_assumes", _WORD),
        ("op_class", _WORD),
        ("trainable", pa.bool_()),
        ("layer", _WORD),
        ("phase", _WORD),
        ("is_layer_output", pa.bool_()),
        ("dtype", _WORD),
        ("code_line", _WORD),
        ("moved_bytes", pa.int64()),
        *((stem, pa.float64()) for stem in RUN_STEMS),
        ("memory_reason", _WORD),
        ("ran_in", pa.string()),
        ("run_count_reason", _WORD),
    ]
)
"""Columns of nodes.parquet: the row number `node`, to which other tables refer, and those of the node table."""

STEPS = pa.schema(
    [
        ("node", pa.int64()),
        ("step", pa.int64()),
        ("device", _WORD),
        ("first_device", pa.bool_()),
        *((stem, pa.int64()) for stem in STEP_STEMS),
        ("memory_reason", _WORD),
        ("is_fused", pa.bool_()),
        *((column, pa.int64()) for column in NANOS.values()),
    ]
)
"""Columns of steps.parquet. Times are computed from nanoseconds, of which microseconds are the nearest."""

DEVICES = pa.schema(
    [("device", pa.string()), ("step", pa.int64()), ("device_peak_bytes", pa.int64()), ("source", pa.string())]
)
"""Columns of devices.parquet."""

WALLS = pa.schema([("step", pa.int64()), ("nanos", pa.int64()), ("reason", pa.string())])
"""Columns of walls.parquet."""

MEMORY = pa.schema([("device", pa.string()), ("step", pa.int64()), ("micros", pa.int64()), ("bytes", pa.int64())])
"""Columns of memory.parquet."""

PEAK = pa.schema(
    [
        ("device", pa.string()),
        ("step", pa.int64()),
        ("micros", pa.int64()),
        ("allocator", pa.string()),
        ("node", pa.int64()),
        ("name", pa.string()),
        ("layer", _WORD),
        ("kind", _WORD),
        ("region", _WORD),
        ("shape", _SHAPE),
        ("bytes", pa.int64()),
    ]
)
"""Columns of peak.parquet: what a device holds at its peak; per device and step the bytes add up to it."""

DIFF_PEAK = pa.schema(
    [
        ("device", pa.string()),
        ("name", pa.string()),
        ("status", _STATE),
        ("base_name", pa.string()),
        ("matched_by", _STATE),
        ("kind", _WORD),
        ("base_step", pa.int64()),
        ("head_step", pa.int64()),
        ("base_bytes", pa.int64()),
        ("head_bytes", pa.int64()),
        ("delta_bytes", pa.int64()),
        ("percent_bytes", pa.float64()),
        ("state_bytes", _STATE),
    ]
)
"""Columns of diff_peak.parquet: what the devices of both sides hold at the highest of their peaks."""

UNMATCHED = pa.schema(
    [
        ("input", pa.string()),
        ("name", pa.string()),
        ("records", pa.int64()),
        ("nanos", pa.int64()),
        ("bytes", pa.int64()),
    ]
)
"""Columns of unmatched.parquet: the input (``graph``, ``run_meta``, ``device`` or ``op_log``), the name in it, its
records, and their time and bytes where they have any."""

NOT_COUNTED = pa.schema([("op", pa.string()), ("reason", pa.string()), ("nodes", pa.int64()), ("examples", _NAMES)])
"""Columns of not_counted.parquet."""


def view_schema(view: str) -> pa.Schema:
    """Return the columns of a view's rows: ``scope.parquet`` and so on."""
    return pa.schema(
        [
            ("row", pa.int64()),
            ("parent", pa.int64()),
            ("depth", pa.int64()),
            ("subtree_size", pa.int64()),
            ("name", pa.string()),
            ("leaf", pa.string()),
            *([("path", pa.string())] if view == "code" else []),
            *([] if view in NODE_VIEWS else [("run_devices", _NAMES), ("op_types", _NAMES)]),
            ("node", pa.int64()),
            ("accounted", pa.bool_()),
            ("shown", pa.bool_()),
            ("position", pa.int64()),
            *((f"self_{stem}", _type_of(metric)) for stem, metric in METRICS.items()),
            *((f"total_{stem}", _type_of(metric)) for stem, metric in METRICS.items()),
            *((f"unknown_{stem}", pa.int64()) for stem in SUMMED_STEMS),
        ]
    )


PHASES = ("forward", "backward", "optimizer")
"""When nodes compute (`model.layers.phases.Phase`)."""

LAYERS = pa.schema(
    [
        ("layer", pa.string()),
        *((stem, _type_of(metric)) for stem, metric in METRICS.items()),
        *((f"unknown_{stem}", pa.int64()) for stem in SUMMED_STEMS),
        *((f"{phase}_float_ops", pa.int64()) for phase in PHASES),
        ("weights", pa.list_(_SHAPE)),
        ("ops", _NAMES),
        ("output_shape", _SHAPE),
        ("op", _WORD),
        ("op_input_shapes", pa.list_(_SHAPE)),
        ("op_output_shape", _SHAPE),
        ("dtype", _WORD),
        ("attrs_digest", pa.int64()),
        ("op_node", pa.string()),
        ("dtype_float_ops", pa.list_(pa.struct([("dtype", pa.string()), ("float_ops", pa.int64())]))),
        ("code_line", pa.string()),
        ("alike", pa.int64()),
    ]
)
"""Columns of layers.parquet."""


LAYER_FACTS = ("weights", "ops", "output_shape", "op", "op_input_shapes", "op_output_shape", "dtype", "attrs_digest")
"""Columns of layers that a comparison has for both sides, with the prefixes ``base_`` and ``head_``."""


BOUNDS = pa.schema(
    [
        ("level", _WORD),
        ("node", pa.int64()),
        ("layer", _WORD),
        ("step", pa.int64()),
        ("device", _WORD),
        ("dtype", _WORD),
        ("run_count", pa.float64()),
        ("micros", pa.float64()),
        ("run_float_ops", pa.float64()),
        ("unknown_run_float_ops", pa.int64()),
        ("run_moved_bytes", pa.float64()),
        ("unknown_run_moved_bytes", pa.int64()),
        ("float_ops_per_second", pa.float64()),
        ("float_ops_per_byte", pa.float64()),
        ("peak_float_ops_per_second", pa.float64()),
        ("peak_bytes_per_second", pa.float64()),
        ("share_of_peak", pa.float64()),
        ("bound", _WORD),
        *((f"{bound}_micros", pa.float64()) for bound in ("arithmetic", "memory", "launch", "waiting")),
    ]
)
"""Columns of bounds.parquet: how fast ops, layers and steps ran, and what bounds them."""


def diff_schema(table: str, stems: Collection[str] = tuple(METRICS)) -> pa.Schema:
    """Return the columns of ``diff_<table>``, for nodes or a view; `stems` are the figures that both sides have."""
    metrics = [metric for stem, metric in METRICS.items() if stem in stems]
    summed = [metric for metric in metrics if metric.kind is not Kind.COUNT]
    is_of_nodes = table == "nodes"
    return pa.schema(
        [
            ("name", pa.string()),
            ("status", _STATE),
            *([("base_name", pa.string()), ("matched_by", _STATE)] if is_of_nodes or table in NODE_VIEWS else []),
            *([("base_op", _WORD), ("head_op", _WORD)] if is_of_nodes else [("depth", pa.int64())]),
            *(
                column
                for metric in (summed if is_of_nodes else metrics)
                for column in _differences(metric, is_sum=not is_of_nodes and metric in summed)
            ),
            *(
                (f"{part}_{metric.stem}", _type_of(metric))
                for metric in (summed if table == "op" else [])
                for part in ("more", "bigger")
            ),
        ]
    )


def _diff_layers() -> pa.Schema:
    """Return the columns of diff_layers.parquet."""
    return pa.schema(
        [
            ("layer", pa.string()),
            ("status", _STATE),
            ("base_layer", pa.string()),
            ("matched_by", _STATE),
            *(
                column
                for metric in METRICS.values()
                for column in _differences(metric, is_sum=metric.stem in SUMMED_STEMS)
            ),
            *((f"{side}_{phase}_float_ops", pa.int64()) for phase in PHASES for side in ("base", "head")),
            *((f"{side}_{fact}", LAYERS.field(fact).type) for fact in LAYER_FACTS for side in ("base", "head")),
            ("code_line", pa.string()),
        ]
    )


def _differences(metric: Metric, *, is_sum: bool) -> list[tuple[str, pa.DataType]]:
    kinds = dict.fromkeys(("base", "head", "delta"), _type_of(metric)) | {"percent": pa.float64(), "state": _STATE}
    kinds |= dict.fromkeys(("base_unknown", "head_unknown"), pa.int64()) if is_sum else {}
    return [(f"{part}_{metric.stem}", kind) for part, kind in kinds.items()]


DIFF_LAYERS = _diff_layers()
"""Columns of diff_layers.parquet."""

TABLES = {
    "nodes": NODES,
    "steps": STEPS,
    "devices": DEVICES,
    "walls": WALLS,
    "memory": MEMORY,
    "peak": PEAK,
    "activity": ACTIVITY,
    "transfers": TRANSFERS,
    "waits": WAITS,
    "unmatched": UNMATCHED,
    "not_counted": NOT_COUNTED,
    "layers": LAYERS,
    "bounds": BOUNDS,
    **{view: view_schema(view) for view in VIEWS},
    **{f"diff_{table}": diff_schema(table) for table in ("nodes", *VIEWS)},
    "diff_peak": DIFF_PEAK,
    "diff_activity": DIFF_ACTIVITY,
    "diff_transfers": DIFF_TRANSFERS,
    "diff_waits": DIFF_WAITS,
    "diff_layers": DIFF_LAYERS,
}
"""Columns of all tables, each written as ``<name>.parquet``."""


def freeze(table: pa.Table, schema: pa.Schema) -> pa.Table:
    """Return a table as it is written: the columns of `schema` in their order, cast to their types."""
    return table.select(schema.names).cast(schema)
