"""Nodes without an event of their own, which the executor notes at its highest level."""

from __future__ import annotations

from traces import Line, Trace


def note(line: Line, node: str, start: int, edges: int = 0) -> None:
    line.event("ExecutorPropagateOutputs", start, 1, kernel_name=node, num_output_edges=edges)


def counts(trace: Trace) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = {}
    for step, columns in trace.traced().run.run_metas:
        rows = columns.executions.select(["node_name", "run_count"]).to_pylist()
        mine = found.setdefault(step, {})
        for row in rows:
            mine[row["node_name"]] = mine.get(row["node_name"], 0) + row["run_count"]
    return found


def test_nodes_without_a_kernel_ran_as_often_as_noted_in_no_time() -> None:
    trace = Trace()
    line = trace.line().event("x:MatMul", 0, 9)
    note(line, "x", 10, 1)
    note(line, "init", 12)
    note(line, "size", 14, 2)
    note(line, "size", 16, 2)
    note(line, "_SOURCE", 18)
    traced = trace.traced(is_graph=True)
    ((_, columns),) = traced.run.run_metas
    assert counts(trace) == {0: {"x": 1, "init": 1, "size": 2, "_SOURCE": 1}}
    assert columns.executions["nanos"].to_pylist() == [9, 0, 0, 0, 0]
    ops = traced.run.ops.select(["name", "op"]).to_pylist()
    assert ops == [{"name": "x", "op": "MatMul"}, {"name": "init", "op": "NoOp"}, {"name": "size", "op": "Const"}]
    assert traced.run.outside.to_pylist()[0]["nanos"] == 5  # the notes themselves are the runtime's


def test_an_asynchronous_kernel_names_its_type() -> None:
    trace = Trace()
    line = trace.line().event("ExecutorState::ProcessAsync::Start", 0, 2, name="call", kernel_type="PartitionedCall")
    note(line, "call", 5, 1)
    assert trace.traced(is_graph=True).run.ops["op"].to_pylist() == ["PartitionedCall"]


def test_dead_nodes_of_a_loop_did_not_run() -> None:
    """Two rounds in step 0 and one in step 1: each body is noted once more, dead."""
    trace = Trace()
    line = trace.line().event("train", 0, 100, step_num=0).event("train", 100, 100, step_num=1)
    for start in (0, 10, 100):
        line.event("loop/body/_4/mul:Mul", start + 1, 1)
    for start in (0, 10, 20, 100, 110):
        note(line, "loop/body/_4/two", start + 5, 1)
        note(line, "loop/cond/_3/limit", start + 6, 1)
        line.event("loop/cond/_3/Less:Less", start + 7, 1)
    two, mul, limit = "loop/body/_4/two", "loop/body/_4/mul", "loop/cond/_3/limit"
    assert [{name: found[name] for name in (two, mul, limit)} for found in counts(trace).values()] == [
        {two: 2, mul: 2, limit: 3},
        {two: 1, mul: 1, limit: 2},
    ]


def test_a_branch_that_was_not_taken_did_not_run() -> None:
    trace = Trace()
    line = trace.line().event("cond/then/_0/add:AddV2", 0, 1)
    note(line, "cond/then/_0/one", 3, 1)
    note(line, "cond/else/_0/two", 5, 1)
    assert counts(trace) == {0: {"cond/then/_0/add": 1, "cond/then/_0/one": 1}}


def test_branches_of_a_case_and_pivots_that_were_not_taken_did_not_run() -> None:
    trace = Trace()
    line = trace.line().event("case/pivot_1/_4:Identity", 0, 1).event("case/branch1/_1/case/Tanh:Tanh", 1, 1)
    for start, name in enumerate(("case/pivot_0/_3", "case/branch0/_0/case/mul", "case/branch0/_0/case/mul/y")):
        note(line, name, 3 + start, 1)
    note(line, "case/branch1/_1/case/one", 7, 1)
    note(line, "cond/pivot_f/_13", 9)
    ran = {"case/pivot_1/_4": 1, "case/branch1/_1/case/Tanh": 1, "case/branch1/_1/case/one": 1}
    assert counts(trace) == {0: ran}
