"""The ops of a trace, one row each, whatever a graph says of them: what has no graph, such as a run of JAX, has these.

What XLA compiled is named by the framework's op that it is from and by its instruction, ``model/dense/MatMul/dot.3``,
so that scopes are those of the framework; instructions without such an op by their program, ``jit_step/copy.4``.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, first_places, make_lists, marks, to_ints, whole
from tfprof_report.ingest.graph_def import SHAPE
from tfprof_report.ingest.xplane.programs import Programs
from tfprof_report.record import record

PROGRAM, TRACE = "hlo", "trace"
"""Where FLOPs are from: the instructions of the program that ran, or a stat of the profiler."""

_NUMBER = r"\(-?\d*\)$"
"""What tells programs of one name apart, at the end of the name."""

OPS = pa.schema(
    [
        ("name", pa.string()),
        ("op", pa.string()),
        ("is_compiled", pa.bool_()),
        ("framework_op", pa.string()),
        ("inside", pa.list_(pa.string())),
        ("shape", SHAPE),
        ("dtype", pa.int64()),
        ("float_ops", pa.int64()),
        ("macs", pa.int64()),
        ("moved_bytes", pa.int64()),
        ("repeats", pa.int64()),
        ("figured_by", pa.string()),
        ("file", pa.string()),
        ("line", pa.int64()),
        ("frame", pa.int64()),
    ]
)
"""Columns of ops.

name : unique
op : op type, for what XLA compiled the opcode; NULL if not told
is_compiled : whether XLA compiled it
framework_op : for what XLA compiled, the name of the framework's op that it is from; NULL for other ops and without one
inside : likewise, the framework's ops of all that the instruction calls for its result: those that were fused; NULL for
    what calls nothing
shape, dtype : sizes and tensorflow.DataType of the result, from the program; NULL where not known
float_ops, macs, moved_bytes : of one execution, from the program, else what the profiler says; NULL unknown
repeats : how often it is executed when its program is executed once, 1 for what is in no program; NULL unknown
figured_by : where float_ops are from: `PROGRAM` or `TRACE`
file, line, frame : what built it: a line, NULL if not told, and a row of `Programs.frames`, -1 for none
"""


@record
class NamedOps:
    """Ops by name, and for each row of `OpEvents.ops` its row among them."""

    ops: pa.Table
    row: Ints


def name_ops(seen_ops: pa.Table, programs: Programs) -> NamedOps:
    """Return the ops of `SEEN_OPS`, in order of appearance; of several of one name, the first one counts."""
    seen = {name: whole(seen_ops[name]) for name in seen_ops.column_names}
    instruction = _instructions_of(seen_ops, programs)
    table = programs.instructions
    at = pa.array(instruction, mask=instruction < 0)
    framework = table["op_name"].combine_chunks().take(at)
    framework = pc.coalesce(pc.if_else(pc.equal(framework, ""), None, framework), seen["framework_op"])
    program = pc.replace_substring_regex(seen["program"], _NUMBER, "")
    compiled = pc.binary_join_element_wise(pc.coalesce(framework, program), seen["name"], "/")
    name = pc.coalesce(pc.if_else(seen["is_compiled"], compiled, None), seen["name"])
    opcode = table["opcode"].combine_chunks().cast(pa.string()).take(at)
    codes = name.dictionary_encode()
    row = to_ints(codes.indices)
    first = pa.array(first_places(row))
    chosen = at.take(first)
    inside = _inside(programs, pc.fill_null(chosen, -1))

    def of_program(column: str) -> pa.Array:
        return table[column].combine_chunks().take(chosen)

    file = of_program("source_file")
    return NamedOps(
        ops=pa.table(
            [
                codes.dictionary,
                pc.if_else(seen["is_compiled"], pc.coalesce(opcode, seen["op"]), seen["op"]).take(first),
                seen["is_compiled"].take(first),
                framework.take(first),
                inside,
                of_program("shape"),
                pc.if_else(pc.equal(of_program("dtype"), 0), None, of_program("dtype")),
                pc.coalesce(of_program("float_ops"), seen["float_ops"].take(first)),
                of_program("macs"),
                pc.coalesce(of_program("moved_bytes"), seen["moved_bytes"].take(first)),
                pc.if_else(pc.is_valid(chosen), of_program("repeats"), 1),
                pc.if_else(pc.is_valid(of_program("float_ops")), PROGRAM, TRACE),
                pc.if_else(pc.equal(file, ""), None, file),
                of_program("source_line"),
                pc.fill_null(of_program("frame"), -1),
            ],
            schema=OPS,
        ),
        row=row,
    )


def _instructions_of(ops: pa.Table, programs: Programs) -> Ints:
    """Return the row of each op's instruction in `Programs.instructions`, -1 for none."""
    table = programs.instructions
    known = pc.binary_join_element_wise(table["program"].cast(pa.string()), table["name"], "\n").combine_chunks()
    wanted = whole(pc.binary_join_element_wise(ops["program"], ops["name"], "\n"))
    return to_ints(pc.fill_null(pc.index_in(wanted, value_set=known), -1))


def _inside(programs: Programs, chosen: pa.Array) -> pa.ListArray:
    """Return `OPS.inside` of some instructions, -1 for none."""
    rows = to_ints(chosen)
    count = programs.instructions.num_rows
    place = np.full(count + 1, -1, dtype=np.int64)
    place[rows[::-1]] = np.arange(len(rows))[::-1]
    place[count] = -1
    caller, callee = place[to_ints(programs.calls["caller"])], to_ints(programs.calls["callee"])
    names = programs.instructions["op_name"].combine_chunks().take(pa.array(callee[caller >= 0]))
    pairs = pa.table({"caller": caller[caller >= 0], "name": names})
    pairs = pairs.filter(pc.not_equal(pairs["name"], "")).group_by(["caller", "name"], use_threads=False).aggregate([])
    pairs = pairs.sort_by([("caller", "ascending"), ("name", "ascending")])
    counts = np.bincount(to_ints(pairs["caller"]), minlength=len(rows)).astype(np.int64)[: len(rows)]
    calls = marks(caller[caller >= 0], len(rows)) if len(rows) else np.zeros(0, dtype=bool)
    return make_lists(pairs["name"].combine_chunks(), counts, is_null=~calls)
