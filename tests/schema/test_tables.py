"""The columns of all tables are pinned, since readers rely on their names, order and types."""

from __future__ import annotations

import pytest

from tfprof_report.schema.tables import TABLES, diff_schema

_WORD = "dictionary<values=string, indices=int32, ordered=0>"
_STATE = "dictionary<values=string, indices=int8, ordered=0>"
STATIC = ("params", "trainable_params", "param_bytes", "float_ops", "macs")
RUN = (
    *("run_float_ops", "bytes", "peak_bytes", "residual_bytes", "output_bytes"),
    *("micros", "accelerator_micros", "cpu_micros", "run_count"),
)


def figures(prefix: str) -> dict[str, str]:
    """Return the figure columns of a view: int64 for exact figures, double for means over steps."""
    kinds = dict.fromkeys(STATIC, "int64") | dict.fromkeys(RUN, "double") | {"definition_count": "int64"}
    return {prefix + stem: kind for stem, kind in kinds.items()}


def differences(*, count_of_nodes: bool) -> dict[str, str]:
    """Return the columns of each metric of a comparison; sums, in views, also count the nodes that they lack."""
    columns = {}
    for stem, kind in figures("").items():
        if stem != "definition_count" or count_of_nodes:
            columns |= {f"base_{stem}": kind, f"head_{stem}": kind, f"delta_{stem}": kind}
            columns |= {f"percent_{stem}": "double", f"state_{stem}": _STATE}
        if stem != "definition_count" and count_of_nodes:
            columns |= {f"base_unknown_{stem}": "int64", f"head_unknown_{stem}": "int64"}
    return columns


def halves() -> dict[str, str]:
    """Return the two parts of each difference of op view."""
    kinds = {stem: kind for stem, kind in figures("").items() if stem != "definition_count"}
    return {f"{part}_{stem}": kind for stem, kind in kinds.items() for part in ("more", "bigger")}


PHASES = ("forward", "backward", "optimizer")
LAYER_FACTS = {
    "weights": "list<item: list<item: int64>>",
    "ops": "list<item: string>",
    "output_shape": "list<item: int64>",
    "op": _WORD,
    "op_input_shapes": "list<item: list<item: int64>>",
    "op_output_shape": "list<item: int64>",
    "dtype": _WORD,
    "attrs_digest": "int64",
}
NODES = {
    "node": "int64",
    "name": "string",
    "op": _WORD,
    "source": _WORD,
    "device": _WORD,
    "run_devices": "list<item: string>",
    "op_types": "list<item: string>",
    "inputs": "list<item: string>",
    "attrs_digest": "int64",
    "shape": "list<item: int64>",
    "input_shapes": "list<item: list<item: int64>>",
    "output_shapes": "list<item: list<item: int64>>",
    "shape_source": _WORD,
    "shape_conflict": "bool",
    "params": "int64",
    "param_bytes": "int64",
    "trainable_params": "int64",
    "unused_params": "int64",
    "unused_param_bytes": "int64",
    "param_kind": _WORD,
    "param_kind_is_guess": "bool",
    "float_ops": "int64",
    "macs": "int64",
    "single_float_ops": "int64",
    "multiplicity": "int64",
    "float_ops_source": _WORD,
    "float_ops_reason": _WORD,
    "float_ops_assumes": _WORD,
    "op_class": _WORD,
    "trainable": "bool",
    "layer": _WORD,
    "phase": _WORD,
    "is_layer_output": "bool",
    "dtype": _WORD,
    "code_line": _WORD,
    "moved_bytes": "int64",
    **dict.fromkeys(RUN, "double"),
    "memory_reason": _WORD,
    "ran_in": "string",
    "run_count_reason": _WORD,
}
STEPS = {
    "node": "int64",
    "step": "int64",
    "device": _WORD,
    "first_device": "bool",
    **dict.fromkeys(RUN[1:], "int64"),
    "memory_reason": _WORD,
    "is_fused": "bool",
    **dict.fromkeys(("nanos", "accelerator_nanos", "cpu_nanos"), "int64"),
}
PLACE = {
    "row": "int64",
    "parent": "int64",
    "depth": "int64",
    "subtree_size": "int64",
    "name": "string",
    "leaf": "string",
}
CHOICE = {"node": "int64", "accounted": "bool", "shown": "bool", "position": "int64"}
COUNTS = {f"unknown_{stem}": "int64" for stem in figures("") if stem != "definition_count"}
VIEW = {**PLACE, **CHOICE, **figures("self_"), **figures("total_"), **COUNTS}
MEMBERS = {"run_devices": "list<item: string>", "op_types": "list<item: string>"}
PARTNER = {"base_name": "string", "matched_by": _STATE}
DIFF_VIEW = {"name": "string", "status": _STATE, **PARTNER, "depth": "int64", **differences(count_of_nodes=True)}
SCHEMAS = {
    "nodes": NODES,
    "steps": STEPS,
    "devices": {"device": "string", "step": "int64", "device_peak_bytes": "int64", "source": "string"},
    "walls": {"step": "int64", "nanos": "int64", "reason": "string"},
    "memory": dict.fromkeys(("device",), "string") | dict.fromkeys(("step", "micros", "bytes"), "int64"),
    "peak": {
        "device": "string",
        "step": "int64",
        "micros": "int64",
        "allocator": "string",
        "node": "int64",
        "name": "string",
        "layer": _WORD,
        "kind": _WORD,
        "region": _WORD,
        "shape": "list<item: int64>",
        "bytes": "int64",
    },
    "activity": {
        **dict.fromkeys(("step", "device", "kind", "count", "nanos", "exposed_nanos"), "int64"),
        "device": "string",
        "kind": _WORD,
        "reason": "string",
        "timeline": "list<item: int8>",
    },
    "transfers": {
        "step": "int64",
        "source": "string",
        "destination": "string",
        "kind": _WORD,
        **dict.fromkeys(("count", "bytes", "unknown_bytes", "nanos"), "int64"),
    },
    "waits": {
        "step": "int64",
        "device": "string",
        "name": "string",
        "kind": _WORD,
        "start_nanos": "int64",
        "nanos": "int64",
        "waited_for": "string",
    },
    "unmatched": {"input": "string", "name": "string"} | dict.fromkeys(("records", "nanos", "bytes"), "int64"),
    "not_counted": {"op": "string", "reason": "string", "nodes": "int64", "examples": "list<item: string>"},
    "layers": {
        "layer": "string",
        **figures(""),
        **COUNTS,
        **dict.fromkeys((f"{phase}_float_ops" for phase in PHASES), "int64"),
        **LAYER_FACTS,
        "op_node": "string",
        "dtype_float_ops": "list<item: struct<dtype: string, float_ops: int64>>",
        "code_line": "string",
        "alike": "int64",
    },
    "bounds": {
        "level": _WORD,
        "node": "int64",
        "layer": _WORD,
        "step": "int64",
        **dict.fromkeys(("device", "dtype"), _WORD),
        **dict.fromkeys(("run_count", "micros", "run_float_ops"), "double"),
        "unknown_run_float_ops": "int64",
        "run_moved_bytes": "double",
        "unknown_run_moved_bytes": "int64",
        **dict.fromkeys(("float_ops_per_second", "float_ops_per_byte"), "double"),
        **dict.fromkeys(("peak_float_ops_per_second", "peak_bytes_per_second", "share_of_peak"), "double"),
        "bound": _WORD,
        **dict.fromkeys(("arithmetic_micros", "memory_micros", "launch_micros", "waiting_micros"), "double"),
    },
    "scope": VIEW,
    "graph": VIEW,
    "op": {**PLACE, **MEMBERS, **CHOICE, **figures("self_"), **figures("total_"), **COUNTS},
    "code": {**PLACE, "path": "string", **MEMBERS, **CHOICE, **figures("self_"), **figures("total_"), **COUNTS},
    "diff_nodes": {
        "name": "string",
        "status": _STATE,
        **PARTNER,
        "base_op": _WORD,
        "head_op": _WORD,
        **differences(count_of_nodes=False),
    },
    "diff_scope": DIFF_VIEW,
    "diff_graph": DIFF_VIEW,
    "diff_op": {
        "name": "string",
        "status": _STATE,
        "depth": "int64",
        **differences(count_of_nodes=True),
        **halves(),
    },
    "diff_code": {"name": "string", "status": _STATE, "depth": "int64", **differences(count_of_nodes=True)},
    "diff_peak": {
        "device": "string",
        "name": "string",
        "status": _STATE,
        **PARTNER,
        "kind": _WORD,
        **dict.fromkeys(("base_step", "head_step", "base_bytes", "head_bytes", "delta_bytes"), "int64"),
        "percent_bytes": "double",
        "state_bytes": _STATE,
    },
    "diff_activity": {
        "device": "string",
        "kind": "string",
        **dict.fromkeys(("base_nanos", "head_nanos", "delta_nanos"), "double"),
        **dict.fromkeys(("base_exposed_nanos", "head_exposed_nanos", "base_count", "head_count"), "double"),
        "base_reason": "string",
        "head_reason": "string",
    },
    "diff_transfers": {
        "source": "string",
        "destination": "string",
        "kind": "string",
        **dict.fromkeys(("base_count", "head_count"), "double"),
        **dict.fromkeys((f"{part}_bytes" for part in ("base", "head", "delta")), "double"),
        **dict.fromkeys((f"{part}_nanos" for part in ("base", "head", "delta")), "double"),
    },
    "diff_waits": {
        **dict.fromkeys(("device", "name", "waited_for", "kind"), "string"),
        **dict.fromkeys((f"{part}_nanos" for part in ("base", "head", "delta")), "int64"),
    },
    "diff_layers": {
        "layer": "string",
        "status": _STATE,
        "base_layer": "string",
        "matched_by": _STATE,
        **differences(count_of_nodes=True),
        **{f"{side}_{phase}_float_ops": "int64" for phase in PHASES for side in ("base", "head")},
        **{f"{side}_{fact}": kind for fact, kind in LAYER_FACTS.items() for side in ("base", "head")},
        "code_line": "string",
    },
}


def test_every_table_is_pinned() -> None:
    assert list(SCHEMAS) == list(TABLES)


@pytest.mark.parametrize("name", SCHEMAS)
def test_names_types_and_order_of_the_columns_are_frozen(name: str) -> None:
    assert [(field.name, str(field.type)) for field in TABLES[name]] == list(SCHEMAS[name].items()), (
        "a column has changed: raise SCHEMA_VERSION with it"
    )


def test_differences_have_the_figures_that_both_sides_have() -> None:
    parts = ("base", "head", "delta", "percent", "state", "base_unknown", "head_unknown")
    both = [f"{part}_params" for part in parts]
    assert diff_schema("op", ("params",)).names == ["name", "status", "depth", *both, "more_params", "bigger_params"]
