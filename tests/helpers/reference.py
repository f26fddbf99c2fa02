"""A reference implementation of the native tool's scope and op views: plain objects, recursion and loops.

Graph and code view are in `reference_trees`.

Slow and simple on purpose, and written from the tool's specification: the columnar code is tested against it, and
shares nothing with it but the options' names and literal texts without logic.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tfprof_report.options import Options
from tfprof_report.render.tfprof.text import preamble
from tfprof_report.semantics import TFPROF

SCOPE = "_kTFScopeParent"
ROOT = "_TFProfRoot"
FIGURES = (
    *("params", "float_ops", "bytes", "peak_bytes", "residual_bytes", "output_bytes"),
    *("micros", "accelerator_micros", "cpu_micros", "run_count"),
)
KINDS = {"params": "count", "float_ops": "count", "micros": "time", "accelerator_micros": "time", "cpu_micros": "time"}
TITLES = {
    "params": "# parameters",
    "float_ops": "# float_ops",
    "bytes": "requested bytes",
    "peak_bytes": "peak bytes",
    "residual_bytes": "residual bytes",
    "output_bytes": "output bytes",
    "micros": "total execution time",
    "accelerator_micros": "accelerator execution time",
    "cpu_micros": "cpu execution time",
    "device": "assigned devices",
    "op_types": "op types",
    "input_shapes": "input shapes",
}
MEMORY_AND_TIME = FIGURES[2:9]
TAIL = ("device", "op_types", "occurrence", "input_shapes")

RE2_ONLY = {
    r"\Qa+": "a\\+",
    r"\Qa/b\E.*": "a/b.*",
    "(?=a).*": None,
    r"(a)\1": None,
    "a++": None,
    r"\pL+": "[^\\W\\d_]+",
}
"""Patterns that RE2 and Python's engine read differently, with Python's spelling; None where RE2 rejects them."""


@dataclass
class Node:
    name: str
    op: str
    types: set[str]
    shape: list[int] = field(default_factory=list)
    outputs: list[list[int]] = field(default_factory=list)
    inputs: list[str] = field(default_factory=list)
    device: str = ""
    float_ops: int = 0
    steps: dict[int, dict[str, int]] = field(default_factory=dict)
    trace: list[tuple[str, int, str]] | None = None


@dataclass
class Table:
    nodes: dict[str, Node]
    steps: set[int]
    misses_stream: bool


@dataclass
class Row:
    """A row of a view: its own and total figures, and the nodes behind it."""

    name: str
    members: list[Node]
    own: dict[str, int]
    accounted: bool
    total: dict[str, int] = field(default_factory=dict)
    children: list[Row] = field(default_factory=list)
    parent_type: str = SCOPE

    def start_total(self) -> None:
        self.total = {**self.own, "definitions": 1}

    def add(self, other: Row) -> None:
        self.total = {key: int64(value + other.total[key]) for key, value in self.total.items()}


def int64(value: int) -> int:
    return (value + 2**63) % 2**64 - 2**63


# The node table ---------------------------------------------------------------------------------------------------


def sizes(shape: Any) -> list[int]:
    return [dim.size for dim in shape.dim] or ([] if shape.unknown_rank else [1])


def defined(definition: Any) -> Node:
    node = Node(definition.name, definition.op, {definition.op})
    node.inputs = [text.partition(":")[0].removeprefix("^") for text in definition.input]
    for key, value in definition.attr.items():
        if key == "shape" and value.HasField("shape"):
            node.shape = sizes(value.shape)
        if key == "_output_shapes" and value.HasField("list"):
            node.outputs = [sizes(shape) for shape in value.list.shape]
    return node


def build(graph: Any, run_metas: list[tuple[int, Any]], op_log: Any | None) -> Table:
    nodes: dict[str, Node] = {}
    for definition in graph.node:
        nodes.setdefault(definition.name, defined(definition))
    table = Table(nodes, set(), misses_stream=False)
    for step, run_meta in run_metas:
        if run_meta.HasField("step_stats"):
            add_step(table, step, run_meta)
    for entry in op_log.log_entries if op_log is not None else ():
        if entry.name in nodes:
            nodes[entry.name].types |= set(entry.types)
            nodes[entry.name].float_ops = entry.float_ops or nodes[entry.name].float_ops
            if entry.HasField("code_def") and nodes[entry.name].trace is None:
                nodes[entry.name].trace = frames(entry.code_def, op_log.id_to_string)
    return table


def frames(code: Any, strings: Any) -> list[tuple[str, int, str]]:
    def text(kind: str, number: int) -> str:
        return strings.get(number, f"{kind}#{number}")

    return [(text("file", at.file_id), at.lineno, text("function", at.function_id)) for at in code.traces]


def ascii_lower(text: str) -> str:
    return "".join(char.lower() if char.isascii() else char for char in text)


def add_step(table: Table, step: int, run_meta: Any) -> None:
    table.steps.add(step)
    devices = [ascii_lower(device.device) for device in run_meta.step_stats.dev_stats]
    gpus = [device for device in devices if "gpu" in device]
    table.misses_stream |= bool(gpus) and not any("stream:all" in device for device in gpus)
    for stats, device in zip(run_meta.step_stats.dev_stats, devices, strict=True):
        for record in stats.node_stats:
            name = record.node_name.partition(":")[0]
            if name not in table.nodes:
                if name in ("RecvTensor", "_SOURCE") or "MEMCPY" in name:
                    continue
                table.nodes[name] = Node(name, name, {name})
            add_record(table.nodes[name], step, device, record)


def add_record(node: Node, step: int, device: str, record: Any) -> None:
    canonical = re.fullmatch(r".*/(device:gpu|gpu|device:cpu|cpu):\d+", device, re.ASCII) is not None
    if canonical:
        if node.device and node.device != device:
            return
        node.device = device
        node.types.add(device)
    run = node.steps.setdefault(step, dict.fromkeys(FIGURES, 0))
    if record.all_start_micros <= 0:
        return
    micros = record.op_end_rel_micros or 1
    if "stream:all" in device:
        run["accelerator_micros"] += micros
        run["micros"] += micros
    elif canonical:
        run["cpu_micros"] += micros
        run["micros"] += micros
        run["run_count"] += 1
    if device == node.device:
        temporary, persistent = record.memory_stats.temp_memory_size, record.memory_stats.persistent_memory_size
        run["bytes"] += sum(memory.total_bytes for memory in record.memory) + temporary + persistent
        run["peak_bytes"] += sum(memory.peak_bytes for memory in record.memory) + temporary + persistent
        run["residual_bytes"] += sum(memory.live_bytes for memory in record.memory) + persistent
        for output in record.output:
            if output.tensor_description.HasField("allocation_description"):
                size = output.tensor_description.allocation_description
                run["output_bytes"] += max(size.allocated_bytes, size.requested_bytes)


def figures(node: Node, step: int) -> dict[str, int]:
    """Return the figures of a node in a step, or their mean over the steps in which it ran."""
    empty = dict.fromkeys(FIGURES, 0)
    if step >= 0 or not node.steps:
        found = {key: int64(value) for key, value in node.steps.get(step, empty).items()}
    else:  # the native tool divides by an unsigned number
        sums = {key: sum(run[key] for run in node.steps.values()) for key in FIGURES}
        found = {key: int64(value % 2**64 // len(node.steps)) for key, value in sums.items()}
    found["float_ops"] = int64(node.float_ops * (found["run_count"] if node.steps else 1))
    is_known = node.shape and min(node.shape) >= 0
    found["params"] = int64(math.prod(node.shape)) if is_known else 0
    return found


# Filters and order ------------------------------------------------------------------------------------------------


def matches(text: str, patterns: tuple[str, ...]) -> bool:
    return any(matches_one(text, pattern) for pattern in patterns)


def matches_one(text: str, pattern: str) -> bool:
    python = RE2_ONLY.get(pattern, pattern)
    if python is None:
        return False
    try:
        return re.fullmatch(python, text) is not None
    except re.error:
        return False


def is_wanted(text: str, patterns: tuple[str, ...]) -> bool:
    return patterns == (".*",) or matches(text, patterns)


def times_picked(types: set[str], patterns: tuple[str, ...]) -> int:
    if patterns == (".*",):
        return 1
    return sum(any(matches_one(word, pattern) for word in types) for pattern in patterns)


def passes(row: Row, static: dict[str, int], runs: int, options: Options) -> bool:
    """Return whether a row passes the filters except depth: times and memory by total, the rest as the view defines."""
    return (
        all(row.total[key] >= getattr(options, f"min_{key}") for key in MEMORY_AND_TIME)
        and static["params"] >= options.min_params
        and static["float_ops"] >= options.min_float_ops
        and runs >= options.min_occurrence
        and is_wanted(row.name, options.show_name_regexes)
        and not matches(row.name, options.hide_name_regexes)
    )


def in_order(rows: list[Row], order_by: str, occurrence: Any = None) -> list[Row]:
    if not order_by:
        return rows
    if order_by == "occurrence" and occurrence:
        return sorted(rows, key=lambda row: -occurrence(row))
    if order_by in FIGURES[:-1]:
        return sorted(rows, key=lambda row: -row.total[order_by])
    return sorted(rows, key=lambda row: row.name.encode())


# Scope view -------------------------------------------------------------------------------------------------------


def scope_text(table: Table, options: Options) -> str:
    root = root_of([child for child in scope_tree(table, options) if account(child)])
    return tree_text(root, table, options)


def root_of(children: list[Row], parent_type: str = SCOPE) -> Row:
    root = Row(ROOT, [], dict.fromkeys(FIGURES, 0), accounted=False, children=children, parent_type=parent_type)
    root.total = {**root.own, "definitions": 0}
    for child in children:
        root.add(child)
    return root


def tree_text(root: Row, table: Table, options: Options) -> str:
    """Return the table of scope or graph view below an accounted root."""
    if options.start_name_regexes != (".*",):
        root.children = [row for child in root.children for row in starts(child, options.start_name_regexes)]
    lines: list[str] = []
    columns = selected(options, ("params", "float_ops", *MEMORY_AND_TIME, *TAIL))
    (shown,) = display(root, 1, options)
    write(shown, 0, lines, lambda row: scope_cells(row, table, columns))
    return header(columns, "op count (run|defined)") + "".join(lines)


def scope_tree(table: Table, options: Options) -> list[Row]:
    """Return the top rows, with their children, all in name order."""
    names = set(table.nodes)
    for name in table.nodes:
        while "/" in name:
            name = name.rpartition("/")[0]  # noqa: PLW2901
            names.add(name)
    rows: dict[str, Row] = {}
    tops: list[Row] = []
    for name in sorted(names, key=str.encode):
        node = table.nodes.get(name)
        own = figures(node, options.step) if node else dict.fromkeys(FIGURES, 0)
        types = node.types if node else {SCOPE}
        accounted = times_picked(types, options.account_type_regexes) > 0
        rows[name] = Row(name, [node] if node else [], own, accounted)
        (rows[name.rpartition("/")[0]].children if "/" in name else tops).append(rows[name])
    return tops


def account(row: Row) -> bool:
    """Sum up a subtree; return whether anything in it is accounted. A scope on the way adds its own figures."""
    row.children = [child for child in row.children if account(child)]
    row.start_total()
    for child in row.children:
        row.add(child)
    return row.accounted or bool(row.children)


def starts(row: Row, patterns: tuple[str, ...]) -> list[Row]:
    if matches(row.name, patterns):
        return [row]
    return [found for child in row.children for found in starts(child, patterns)]


def display(row: Row, depth: int, options: Options) -> list[Row]:
    """Return the row with its shown children, or only these if the row is not shown."""
    is_root = depth == 1  # by place: a node may have its name
    is_shown = is_root or (depth <= options.max_depth and passes(row, row.own, row.own["run_count"], options))
    below: list[Row] = []
    if not matches(row.name, options.trim_name_regexes) and depth <= options.max_depth:
        below = [shown for child in row.children for shown in display(child, depth + 1, options)]
    if not is_shown:
        return below
    if options.account_displayed_op_only:
        row.start_total()
        for child in below:
            row.add(child)
    row.children = in_order(below, options.order_by)
    return [row]


def write(row: Row, indent: int, lines: list[str], cells: Callable[[Row], list[str]]) -> None:
    lines.append(f"{' ' * indent}{row.name} ({', '.join(cells(row))})\n")
    for child in row.children:
        write(child, indent + 2, lines, cells)


def scope_cells(row: Row, table: Table, columns: list[str]) -> list[str]:
    def own(text: str) -> str:
        return text if row.accounted else "--"

    node = row.members[0] if row.members else None
    cells = []
    for column in columns:
        if column == "device":
            cells += [node.device] if node and node.device else []
        elif column == "op_types":
            cells.append("|".join(sorted(node.types if node else {row.parent_type}, key=str.encode)))
        elif column == "occurrence":
            runs = f"{own(scaled(row.own['run_count'], 'count'))}/{scaled(row.total['run_count'], 'count')}"
            cells.append(f"{runs}|{own('1')}/{scaled(row.total['definitions'], 'count')}")
        elif column == "input_shapes":
            cells.append("|".join(input_shapes(node, table)) if node else "")
        else:
            if column == "params" and node and node.shape:
                cells.append("x".join(map(str, node.shape)))
            cells.append(pair(row, column))
    return cells


def pair(row: Row, column: str) -> str:
    kind = KINDS.get(column, "memory")
    own = scaled(row.own[column], kind) if row.accounted else "--"
    word = {"params": " params", "float_ops": " flops"}.get(column, "")
    return f"{own}/{scaled(row.total[column], kind)}{word}"


def input_shapes(node: Node, table: Table) -> list[str]:
    texts = []
    for position, name in enumerate(node.inputs):
        outputs = table.nodes[name].outputs if name in table.nodes else []
        shape = "x".join(map(str, outputs[0])) if outputs else ""
        texts.append(f"{position}:{shape or 'unknown'}")
    return texts


# Op view ----------------------------------------------------------------------------------------------------------


def op_text(table: Table, options: Options) -> str:
    columns = selected(options, (*MEMORY_AND_TIME, "params", "float_ops", *TAIL))
    zero = dict.fromkeys(FIGURES, 0)
    if not table.nodes:
        root = Row(ROOT, [], zero, accounted=False, total=zero)
        return op_line(root, zero, table, columns, options)
    rows = [row for row in in_op_order(op_rows(table, options), options) if row.accounted]
    cumulate(rows)
    whole = rows[0].total if rows else zero
    kept = op_shown(rows, options)
    if options.account_displayed_op_only:
        cumulate(kept)
        whole = kept[0].total if kept else zero
    lines = [op_line(row, whole, table, columns, options) for row in kept]
    return header(columns, "op occurrence (run|defined)") + "".join(lines)


def op_rows(table: Table, options: Options) -> list[Row]:
    rows = {
        op: Row(op, [], dict.fromkeys(FIGURES, 0), options.account_type_regexes == (".*",))
        for op in sorted({node.op for node in table.nodes.values()}, key=str.encode)
    }
    for node in table.nodes.values():
        pick(rows[node.op], node, options)
    return list(rows.values())


def pick(row: Row, node: Node, options: Options) -> None:
    """Add a node to a row of op or code view if its types match; its figures count once per matching pattern."""
    picked = times_picked(node.types, options.account_type_regexes)
    if not picked:
        return
    row.accounted = True
    row.members.append(node)
    for key, value in figures(node, options.step).items():
        row.own[key] = int64(row.own[key] + value * (1 if key == "run_count" else picked))


def in_op_order(rows: list[Row], options: Options) -> list[Row]:
    for row in rows:
        row.total = row.own
    return in_order(rows, options.order_by, lambda row: len(row.members))


def cumulate(rows: list[Row]) -> None:
    """Set each total to the sum of the row and all rows after it."""
    after = dict.fromkeys(FIGURES, 0)
    for row in reversed(rows):
        after = row.total = {key: int64(value + after[key]) for key, value in row.own.items()}


def op_shown(rows: list[Row], options: Options) -> list[Row]:
    if options.start_name_regexes and options.start_name_regexes != (".*",):
        while rows and not matches(rows[0].name, options.start_name_regexes):
            rows = rows[1:]
    kept = []
    for depth, row in enumerate(rows):
        if depth > options.max_depth or matches(row.name, options.trim_name_regexes):
            break
        if passes(row, row.total, len(row.members), options):
            kept.append(row)
    return kept


def op_line(row: Row, whole: dict[str, int], table: Table, columns: list[str], options: Options) -> str:
    cells = []
    for column in columns:
        if column == "device":
            cells.append(devices(row))
        elif column == "op_types":
            cells.append(types(row))
        elif column == "occurrence":
            cells.append(f"{row.own['run_count']}|{len(row.members)}".rjust(10))
        elif column != "input_shapes":
            cells.append(op_cell(row, column, whole))
    line = row.name + " " * (25 - len(row.name.encode())) + ", ".join(cells) + "\n"
    if "input_shapes" in columns and row.members:
        line += "\n" + "\n".join(signatures(row, table, options)) + "\n\n"
    return line


def devices(row: Row) -> str:
    return "|".join(sorted({node.device for node in row.members}))


def types(row: Row) -> str:
    return "|".join(sorted({word for node in row.members for word in node.types}, key=str.encode))


def op_cell(row: Row, column: str, whole: dict[str, int]) -> str:
    kind = KINDS.get(column, "memory")
    counts = row.own[column] > 0 if kind == "memory" else row.total[column] > 0
    cumulative, own = (
        percent(value, whole[column]) if counts else "0.00" for value in (row.total[column], row.own[column])
    )
    word = {"params": " params", "float_ops": " float_ops"}.get(column, "")
    return f"{scaled(row.own[column], kind)}{word} ({cumulative}%, {own}%)".rjust(30)


def percent(part: int, whole: int) -> str:
    if whole:
        return f"{100.0 * part / whole:.2f}"
    return f"{math.copysign(math.inf, part):.2f}" if part else "-nan"


def signatures(row: Row, table: Table, options: Options) -> list[str]:
    groups: dict[str, list[int]] = {}
    for node in row.members:
        group = groups.setdefault(",\t".join(input_shapes(node, table)), [0, 0, 0])
        own = figures(node, options.step)
        group[:] = group[0] + own["run_count"], group[1] + 1, int64(group[2] + own["micros"])
    return [
        f"input_type: {text}\t(run*{runs}|defined*{defined})\texec_time: {scaled(micros, 'time')}"
        for text, (runs, defined, micros) in sorted(groups.items(), key=lambda item: (-item[1][0], item[0].encode()))
    ]


# Text -------------------------------------------------------------------------------------------------------------


def scaled(value: int, kind: str) -> str:
    units = {"count": ["", "k", "m", "b"], "time": ["us", "ms", "sec"], "memory": ["B", "KB", "MB"]}[kind]
    level = 0 if value < 10**3 else 1 if value < 10**6 else 2 if value < 10**9 else 3
    level = min(level, len(units) - 1)
    return f"{value}{units[0]}" if level == 0 else f"{float(value) / 10 ** (3 * level):.2f}{units[level]}"


def selected(options: Options, order: tuple[str, ...]) -> list[str]:
    wanted = {*options.select, *(("accelerator_micros", "cpu_micros") if "micros" in options.select else ())}
    return [column for column in order if column in wanted]


def header(columns: list[str], occurrence: str) -> str:
    return "node name | " + " | ".join({**TITLES, "occurrence": occurrence}[column] for column in columns) + "\n"


def text_of(table: Table, view: str, options: Options) -> str:
    """Return the text of a view; the paragraphs above the table come from the product (goldens pin them)."""
    body = scope_text(table, options) if view == "scope" else op_text(table, options)
    return preamble(view, options, TFPROF, misses_stream=table.misses_stream) + body
