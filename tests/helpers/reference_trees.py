"""A reference implementation of the native tool's graph and code views; `reference` has scope and op view."""

from __future__ import annotations

from dataclasses import dataclass, field

from reference import (
    FIGURES,
    MEMORY_AND_TIME,
    TAIL,
    Node,
    Row,
    Table,
    account,
    devices,
    figures,
    header,
    in_order,
    matches,
    pair,
    passes,
    pick,
    root_of,
    selected,
    starts,
    times_picked,
    tree_text,
    types,
    write,
)

from tfprof_report.options import Options
from tfprof_report.render.tfprof.text import preamble
from tfprof_report.semantics import TFPROF

# Graph view -------------------------------------------------------------------------------------------------------


def graph_text(table: Table, options: Options) -> str:
    sources = {name for node in table.nodes.values() for name in node.inputs}
    tops = sorted(table.nodes.keys() - sources, key=str.encode)
    visited: set[str] = set()
    kept = [row for name in tops for row in account_inputs(name, table, options, visited)]
    return tree_text(root_of(kept, "_TFGraphParent"), table, options)


def account_inputs(name: str, table: Table, options: Options, visited: set[str]) -> list[Row]:
    """Return the row of a node with the rows of its inputs as children, or only these; nothing at a second visit."""
    if name not in table.nodes or name in visited:
        return []
    visited.add(name)
    node = table.nodes[name]
    below = [row for source in node.inputs for row in account_inputs(source, table, options, visited)]
    if not times_picked(node.types, options.account_type_regexes):
        return below
    row = Row(name, [node], figures(node, options.step), accounted=True, children=below)
    row.start_total()
    for child in below:
        row.add(child)
    return [row]


# Code view --------------------------------------------------------------------------------------------------------


@dataclass
class Line:
    """A line of code in the tree of call stacks, its children in the order of their first use."""

    name: str
    below: dict[str, Line] = field(default_factory=dict)
    nodes: list[Node] = field(default_factory=list)


def code_text(table: Table, options: Options) -> str:
    rows = [line_row(line, options) for line in code_tree(table)]
    root = root_of([row for row in rows if account(row)])
    if options.start_name_regexes != (".*",):
        root.children = [row for child in root.children for row in starts(child, options.start_name_regexes)]
    columns = selected(options, (*MEMORY_AND_TIME, "params", "float_ops", *TAIL))
    lines: list[str] = []
    root.children = display_lines(root, 1, options)
    write(root, 0, lines, lambda row: line_cells(row, columns))
    return header(columns, "op occurrence (run|defined)") + "".join(lines)


def code_tree(table: Table) -> list[Line]:
    root = Line("")
    ordinary: dict[str, Node] = {}
    gradients: dict[str, list[Node]] = {}
    for node in sorted(table.nodes.values(), key=lambda node: node.name.encode()):
        if not node.trace:
            continue
        if forward := forward_name(node.name):
            gradients.setdefault(forward, []).append(node)
        else:
            ordinary[node.name] = node
            innermost(root, node, "").nodes.append(node)
    for forward in sorted(gradients, key=str.encode):
        if forward in ordinary:
            innermost(root, ordinary[forward], " (gradient)").nodes += gradients[forward]
    return list(root.below.values())


def forward_name(name: str) -> str:
    if "gradients/" not in name or "_grad/" not in name:
        return ""
    start, end = name.index("gradients/") + len("gradients/"), name.index("_grad/")
    return name[start:end] if end >= start else name[start:]


def innermost(root: Line, node: Node, suffix: str) -> Line:
    at = root
    for file, line, function in node.trace or ():
        cut = function.encode()
        word = cut[:17].decode(errors="ignore") + "..." if len(cut) >= 20 else function
        name = f"{file.rpartition('/')[2]}:{line}:{word}{suffix}"
        at = at.below.setdefault(name, Line(name))
    return at


def line_row(line: Line, options: Options) -> Row:
    row = Row(line.name, [], dict.fromkeys(FIGURES, 0), accounted=options.account_type_regexes == (".*",))
    for node in line.nodes:
        pick(row, node, options)
    row.children = [line_row(below, options) for below in line.below.values()]
    return row


def display_lines(row: Row, depth: int, options: Options) -> list[Row]:
    """Return what is shown below a row, in order; a trimmed line is removed with its subtree."""
    if matches(row.name, options.trim_name_regexes) or depth > options.max_depth:
        return []
    shown: list[Row] = []
    for child in row.children:
        if matches(child.name, options.trim_name_regexes) or depth + 1 > options.max_depth:
            continue
        below = display_lines(child, depth + 1, options)
        if passes(child, child.total, options.min_occurrence, options):  # min_occurrence does not count here
            child.children = below
            shown.append(child)
        else:
            shown += below
    return in_order(shown, options.order_by, lambda row: len(row.members))


def line_cells(row: Row, columns: list[str]) -> list[str]:
    cells = []
    for column in columns:
        if column == "device":
            cells += [devices(row)] if row.members else []
        elif column == "op_types":
            cells.append(types(row))
        elif column in ("occurrence", "input_shapes"):
            cells.append(f"{column} N/A in code view")
        else:
            cells.append(pair(row, column))
    return cells


def text_of(table: Table, view: str, options: Options) -> str:
    """Return the text of graph or code view."""
    body = graph_text(table, options) if view == "graph" else code_text(table, options)
    return preamble(view, options, TFPROF, misses_stream=table.misses_stream) + body
