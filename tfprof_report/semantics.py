"""The quirks of the native tool as named switches; other modules only read the switches.

A switch is True for what the native tool does and False for what a user means. `number` is its row in
``docs/differences.md``, which is generated from this table.
"""

from __future__ import annotations

import dataclasses
from dataclasses import field

from tfprof_report.record import record
from tfprof_report.vocabulary import Preset


def _switch(number: int | None, native: str, corrected: str) -> bool:
    """Declare a switch with its row in the docs and both behaviours in words."""
    value: bool = field(metadata={"number": number, "native": native, "corrected": corrected})
    return value


@record
class Semantics:
    """One switch per quirk that changes a number, a row or a text. `TFPROF` has all on, `CORRECTED` all off."""

    ignore_output_index: bool = _switch(1, "input `x:2` shows the shape of output 0", "the output index is used")
    show_control_inputs: bool = _switch(2, "control inputs are among the input shapes", "control inputs are left out")
    count_unaccounted_scopes: bool = _switch(
        3, "a scope that is not accounted adds its own numbers to totals", "only accounted nodes are added"
    )
    count_node_per_pattern: bool = _switch(
        4, "a node that matches two account patterns is summed twice in op view", "a node is counted once"
    )
    op_minimum_is_cumulative: bool = _switch(
        5, "min_* of op view compares the cumulative total", "min_* compares the row itself"
    )
    count_scopes_as_definitions: bool = _switch(
        6,
        "the defined count includes synthetic parents, and the root with account_displayed_op_only",
        "only nodes are counted",
    )
    any_shape_is_params: bool = _switch(
        7,
        "Placeholder, and any op with a `shape` attribute, counts as parameters; an unknown dimension gives 0",
        "only variables, each once, and frozen weights hold parameters; an unknown dimension gives unknown",
    )
    average_over_own_steps: bool = _switch(
        8,
        "the mean is over the steps in which the node ran, without its fraction",
        "the mean is over all steps, with fractions",
    )
    wrap_negative_average: bool = _switch(
        9, "the mean of a negative sum over several steps wraps to about 9.2e18", "the division is signed"
    )
    hide_negative_values: bool = _switch(
        10, "a negative value hides its node, since every default minimum is 0", "a minimum of 0 does not filter"
    )
    stream_only_has_no_float_ops: bool = _switch(
        11,
        "a node with records on `stream:all` only has run count 0, so 0 float_ops",
        "its run count falls back to its kernel executions",
    )
    first_device_wins: bool = _switch(
        12, "records of a node on a second device are dropped", "every device's records count"
    )
    memory_is_a_plain_sum: bool = _switch(
        None,
        "memory in a step is the plain sum over the node's records: no record is 0, negative bytes are added like "
        "others, and so are the peaks of several executions",
        "no record and negative bytes make it unknown; peak_bytes is the largest of the executions on each device",
    )
    fused_nodes_have_no_runs: bool = _switch(
        None,
        "a node that ran inside a fused kernel has no record of its own: its run count is 0, and so are its float_ops",
        "it runs as often as the kernel that the label of a record names, else an unknown number of times",
    )
    whole_micros: bool = _switch(
        None,
        "an execution takes a whole number of microseconds, at least one, whatever nanoseconds and clocks say",
        "times are exact to the nanosecond where the trace has them; impossible ones are unknown",
    )
    merge_frames_by_name: bool = _switch(
        39,
        "frames of different files with one base name are one row of code view",
        "files are identified by their paths",
    )
    drop_nodes_without_trace: bool = _switch(
        None, "nodes without a call stack are missing in code view", "they are below a row `no trace`"
    )
    late_definitions_are_lost: bool = _switch(
        14,
        "a node that a later graph defines, after run metadata named it, keeps its name as its op and has no inputs",
        "the definition counts",
    )
    count_nameless: bool = _switch(
        None,
        "a node without a name is a node whose name is empty, and so is a record of run metadata without one",
        "they are left out, with a warning; records without a name are listed with those of the runtime",
    )
    profile_forgets_missing_stream: bool = _switch(
        15, "the warning about missing stream statistics is lost in a ProfileProto", "it is kept"
    )
    few_tensor_types: bool = _switch(
        None, "tensor_value shows float32, float64, int32, int64 and strings only", "every type that has values"
    )
    repeat_time_doc_lines: bool = _switch(
        16, "selecting micros with cpu_micros or accelerator_micros repeats doc lines", "each doc line once"
    )
    graph_doc_talks_of_scopes: bool = _switch(
        16, "the doc line of graph view is that of scope view", "it is about the graph"
    )
    drop_cycles: bool = _switch(
        17, "nodes reachable only from a cycle are missing in graph view", "they are below a row `in a cycle`"
    )
    root_row_for_empty_op_view: bool = _switch(
        18, "op view of an empty graph prints a root row without header", "only the header"
    )
    nan_percentages: bool = _switch(19, "division by a zero total prints `-nan%` or `inf%`", "0.00%")
    bad_regex_matches_nothing: bool = _switch(
        30, "an invalid regex logs a line and matches nothing", "an error, exit code 2"
    )
    missing_lists_match_nothing: bool = _switch(
        31, "an option dict without regex keys shows nothing", "missing keys mean `.*`"
    )
    accept_unknown_attributes: bool = _switch(32, "an unknown order_by or select is accepted", "an error, exit code 2")
    advise_own_time_of_scopes: bool = _switch(
        42, "advise prints the own time of scopes, which is 0", "advise prints their total time"
    )
    one_fused_batch_norm: bool = _switch(
        42, "advise knows the op FusedBatchNorm only", "advise knows FusedBatchNormV2 and V3 too"
    )
    ignore_checker_options: bool = _switch(
        42, "options of advise's checkers are ignored, or raise in Python", "the options count"
    )
    trust_clocks: bool = _switch(
        None,
        "timelines and utilization take every time as recorded",
        "impossible and stray times are left out, and devices with another clock are aligned with the others",
    )
    utilization_mixes_steps: bool = _switch(
        43, "advise takes each node's last step and mixes the clocks of steps", "each step by itself"
    )
    zero_memory_has_zero_share: bool = _switch(
        48,
        "a memory cell of op view prints 0.00% cumulative when the row itself is 0",
        "the cumulative share is printed, as for times",
    )
    float_ops_times_runs: bool = _switch(
        None,
        "float_ops is multiplied by the run count once a node has run",
        "float_ops is per execution of a definition; run_float_ops is the product",
    )
    drop_simultaneous_executions: bool = _switch(
        40,
        "the timeline of graph view drops executions that start at the same microsecond on a device",
        "all are drawn",
    )
    omit_inner_frames: bool = _switch(
        41, "pprof omits nodes of frames that call others", "every counted node is a sample"
    )
    refused_output_is_empty: bool = _switch(
        None,
        "an invalid --output, or one that the view does not support, prints a message and writes nothing",
        "an error, exit code 2",
    )
    batch_matmul_ignores_adj_x: bool = _switch(
        33, "FLOPs of BatchMatMul ignore adj_x", "k is the contracted dimension, which adj_x selects"
    )
    add_n_counts_control_inputs: bool = _switch(
        33, "FLOPs of AddN count control inputs as summands", "only data inputs are summands"
    )
    refuse_channels_first: bool = _switch(
        33,
        "pools and convolution gradients have FLOPs for data_format NHWC only",
        "NCHW counts too, and no data_format means NHWC",
    )
    gradients_divide_by_strides: bool = _switch(
        33,
        "FLOPs of the gradients of Conv2D divide the size of the image by the strides, which is less than there is "
        "where it does not divide evenly",
        "two for each tap of the filter and element of the incoming gradient, as many as the forward pass has",
    )
    l2_loss_of_nothing_is_negative: bool = _switch(10, "L2Loss of an empty tensor has -1 FLOPs", "it has 0")
    absent_run_shape_is_scalar: bool = _switch(
        38,
        "an output of unknown rank without a shape at run time is taken for a scalar",
        "the shape stays unknown",
    )
    run_metadata_silences_skipped: bool = _switch(
        36,
        "ops without FLOPs for lack of shapes are not reported if run metadata is given, even if empty",
        "their number is always reported",
    )
    views_are_built_once: bool = _switch(
        13,
        "a view of Profiler is built at its first use: nodes and call stacks added later are missing",
        "a view has all nodes known at the time of the query",
    )
    added_step_keeps_shapes: bool = _switch(
        None,
        "shapes that Profiler.add_step completes count for FLOPs only, not for input shapes",
        "they count for both",
    )
    added_step_replaces_op_log: bool = _switch(
        None,
        "Profiler.add_step replaces float_ops of the user's op log with those of the registry",
        "the op log's figures stay",
    )
    missing_step_is_empty: bool = _switch(
        None, "a step that was never added prints a message and an empty view", "an error, exit code 2"
    )
    missing_traces_are_empty: bool = _switch(
        None, "code view without call stacks prints a message and an empty view", "an error, exit code 2"
    )
    count_what_never_runs: bool = _switch(
        None,
        "every node of the graph counts",
        "nodes that the results of their function do not need have multiplicity 0, and of a SavedModel only the nodes "
        "that its signature needs are in figures and rows",
    )
    unknown_is_zero: bool = _switch(
        None,
        "an unknown number is printed and summed as 0",
        "an unknown number is printed as `?` and stays NULL; a sum that lacks some is printed as a lower bound",
    )


def _all(*, on: bool) -> Semantics:
    return Semantics(**{switch.name: on for switch in dataclasses.fields(Semantics)})


TFPROF = _all(on=True)
"""Byte-equal to the native tool."""

CORRECTED = _all(on=False)
"""What a user means, with no quirks."""

PRESETS: dict[str, Semantics] = {Preset.TFPROF: TFPROF, Preset.CORRECTED: CORRECTED}


def preset_name(semantics: Semantics) -> str:
    """Return the name of a preset, or ``custom``."""
    return next((name for name, preset in PRESETS.items() if preset == semantics), "custom")
