"""The types of the keyword arguments, written out for editors and type checkers.

They are those of the options of the commands, which a test compares with these.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Literal, TypedDict

StrPath = str | os.PathLike[str]
Texts = str | Sequence[str]
"""One text, in which commas part the items of a list as on the command line; or a sequence of items as they are."""
StrPaths = StrPath | Sequence[StrPath]


class JobOptions(TypedDict, total=False):
    """The arguments that reports and comparisons share."""

    base_graph: StrPaths | None
    base_run_meta: StrPaths | None
    base_xplane: StrPaths | None
    base_run: str | None
    base_op_log: StrPath | None
    base_checkpoint: StrPath | None
    base_profile: StrPath | None
    base_signature: str | None
    base_input_shape: Texts | None
    base_max_unpacked: str | None
    functions: Literal["on", "off"] | None
    cond: Literal["max", "sum", "none"] | None
    loops: Literal["trip-count", "run-meta", "once"] | None
    leave_out: Texts | None
    outputs: Texts | None
    max_chars: int | None
    jobs: int | None
    label: str | None
    commit: str | None
    branch: str | None
    base_label: str | None
    base_commit: str | None
    base_branch: str | None
    timestamp: str | None
    config: StrPath | None
    gate: Texts | None
    fail_on_unknown: bool | None
    acknowledged: StrPath | None
    explain: Texts | None
    name_map: StrPath | None
    max_unmatched: str | None
    threshold: str | None
    only_if_changed: bool | None
    baseline_missing: Literal["fail", "warn", "ok"] | None
    max_baseline_age: str | None
    baseline_info: StrPath | None
    store: StrPath | None
    ancestors: StrPath | None
    tags: StrPath | None
    store_model: str | None
    report_url: str | None
    commit_url: str | None
    max_depth: int | None
    min_bytes: int | None
    min_peak_bytes: int | None
    min_residual_bytes: int | None
    min_output_bytes: int | None
    min_micros: int | None
    min_accelerator_micros: int | None
    min_cpu_micros: int | None
    min_params: int | None
    min_float_ops: int | None
    min_occurrence: int | None
    step: int | None
    order_by: str | None
    account_type_regexes: Texts | None
    start_name_regexes: Texts | None
    trim_name_regexes: Texts | None
    show_name_regexes: Texts | None
    hide_name_regexes: Texts | None
    account_displayed_op_only: bool | None
    select: Texts | None
    rules: Literal["none", "tfprof", "extended"] | None
    flops_rules: StrPath | None
    float_ops_from: Literal["op-log", "rules"] | None
    count: Literal["all", "contraction"] | None
    batch: int | str | None
    semantics: Literal["tfprof", "corrected"] | None


class ReportOptions(JobOptions, total=False):
    """The keyword arguments of `make_report`."""

    graph: StrPaths | None
    run_meta: StrPaths | None
    xplane: StrPaths | None
    run: str | None
    op_log: StrPath | None
    checkpoint: StrPath | None
    profile: StrPath | None
    signature: str | None
    input_shape: Texts | None
    max_unpacked: str | None
    baseline: StrPath | None


class DiffOptions(JobOptions, total=False):
    """The keyword arguments of `make_diff`."""

    head_graph: StrPaths | None
    head_run_meta: StrPaths | None
    head_xplane: StrPaths | None
    head_run: str | None
    head_op_log: StrPath | None
    head_checkpoint: StrPath | None
    head_profile: StrPath | None
    head_signature: str | None
    head_input_shape: Texts | None
    head_max_unpacked: str | None


class HistoryOptions(TypedDict, total=False):
    """The keyword arguments of `make_history`."""

    model: Texts | None
    ancestors: StrPath | None
    git: StrPath | None
    tags: StrPath | None
    since: str | None
    last: int | None
    metric: Texts | None
    compare: int | None
    config: StrPath | None
    judge: bool | None
    gate: Texts | None
    acknowledged: StrPath | None
    max_unmatched: str | None
    commit_url: str | None
    store_url: str | None
    max_chars: int | None
    timestamp: str | None
