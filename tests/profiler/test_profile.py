from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from messages import entry, graph, node, op_log, ran, run_meta

from tfprof_report import profiler
from tfprof_report.errors import InputError, OptionError, OutputError
from tfprof_report.profiler import ProfileOptionBuilder

CPU = "/device:CPU:0"
MODEL = graph(
    node("x", "Placeholder", shape=[2, 3], output_shapes=[[2, 3]]),
    node("fc/w", "VariableV2", shape=[3, 4], output_shapes=[[3, 4]]),
    node("fc/y", "MatMul", "x", "fc/w", output_shapes=[[2, 4]]),
    node("fc/z", "Square", "fc/y", output_shapes=[[-1, 4]]),
    node("fc/u", "Square", "fc/z", output_shapes=[[-1, 4]]),
)
"""48 FLOPs of fc/y, 8 of fc/z; those of fc/u are not known before a run."""
STEP = run_meta({CPU: [ran("fc/y", start=10, micros=7), ran("late", start=20, micros=5)]})
QUIET = ProfileOptionBuilder(ProfileOptionBuilder.float_operation()).with_empty_output().build()
ALL = ProfileOptionBuilder().select(["micros", "params", "float_ops"]).with_empty_output().build()


def live(*, traced: bool = True) -> Any:
    """Return an object with the methods of a ``tf.Graph`` that profile() calls."""
    stack = [("train.py", 3, "main", "build()"), ("layers.py", 7, "build", "matmul()")]
    ops = [SimpleNamespace(name=each.name, traceback=stack if traced else None) for each in MODEL.node]
    variable = SimpleNamespace(op=SimpleNamespace(name="fc/w"))
    return SimpleNamespace(
        as_graph_def=lambda *, add_shapes: MODEL if add_shapes else None,
        get_operations=lambda: ops,
        get_collection=lambda name: [variable] if name == "trainable_variables" else [],
    )


def test_float_ops_and_parameters_have_tfprofs_names(capsys: pytest.CaptureFixture[str]) -> None:
    float_ops = profiler.profile(MODEL, run_meta(None), cmd="op", options=QUIET)
    assert (float_ops.total_float_ops, float_ops.children[0].name, float_ops.children[0].float_ops) == (
        56,
        "MatMul",
        48,
    )
    params = profiler.profile(live())
    assert (params.total_parameters, params.children[0].name) == (12, "fc")
    printed = capsys.readouterr()
    assert "-account_type_regexes       _trainable_variables\n" in printed.out
    assert "_TFProfRoot (--/12 params)\n  fc (--/12 params)\n    fc/w (3x4, 12/12 params)\n" in printed.out
    assert printed.err == "1 ops no flops stats due to incomplete shapes.\n"


def test_what_was_skipped_is_told_despite_run_metadata_when_corrected(capsys: pytest.CaptureFixture[str]) -> None:
    profiler.profile(MODEL, run_meta(None), options=QUIET, semantics="corrected")
    assert capsys.readouterr().err == "1 ops no flops stats due to incomplete shapes.\n"


@pytest.mark.parametrize("form", ["path", "pathlib", "bytes", "message", "text", "graph", "function"])
def test_a_graph_is_taken_in_any_form(form: str, tmp_path: Path) -> None:
    path = tmp_path / "graph.pb"
    path.write_bytes(MODEL.SerializeToString())
    graphs = {
        "path": str(path),
        "pathlib": path,
        "bytes": MODEL.SerializeToString(),
        "message": MODEL,
        "text": str(MODEL).encode(),
        "graph": live(),
        "function": SimpleNamespace(graph=live()),
    }
    assert profiler.profile(graphs[form], cmd="scope", options=QUIET).total_float_ops == 56


def test_shapes_of_the_run_are_filled_in_and_the_graph_stays_as_it_is() -> None:
    record = ran("fc/z", outputs=[None])
    record.output[0].tensor_description.shape.dim.add(size=2)
    record.output[0].tensor_description.shape.dim.add(size=4)
    before = MODEL.SerializeToString()
    result = profiler.profile(MODEL, run_meta({CPU: [record, ran("fc/u"), ran("fc/y")]}), cmd="scope", options=ALL)
    figures = dict(zip(result.to_pandas()["name"], result.to_pandas()["float_ops"], strict=True))
    assert (figures["fc/y"], figures["fc/z"], figures["fc/u"]) == (48, 8, 8)
    assert MODEL.SerializeToString() == before


def test_the_op_log_wins_and_rules_can_be_left_out() -> None:
    log = op_log(entry("fc/y", float_ops=5, types=["mine"]), entry("fc/z"))
    assert profiler.profile(MODEL, op_log=log, cmd="op", options=QUIET).total_float_ops == 13
    assert profiler.profile(MODEL, op_log=log, cmd="op", options=QUIET, rules="none").total_float_ops == 5
    mine = QUIET | {"account_type_regexes": ["mine"]}
    assert [row.name for row in profiler.profile(MODEL, op_log=log, cmd="scope", options=mine).children] == ["fc/y"]


def test_call_stacks_of_a_live_graph_make_a_code_view() -> None:
    result = profiler.profile(live(), cmd="code", options=ALL)
    (line,) = result.children
    assert (line.name, line.total_float_ops) == ("train.py:3:main", 56)
    assert [each.name for each in line.children[0].graph_nodes] == ["fc/u", "fc/w", "fc/y", "fc/z", "x"]


def test_strings_of_a_users_log_and_of_the_graph_do_not_mix() -> None:
    log = op_log(entry("x", traces=[(1, 0, 1)]), strings={0: "user.py", 1: "mine"})
    result = profiler.profile(live(), op_log=log, cmd="code", options=ALL)
    assert sorted(each.name for each in result.children) == ["train.py:3:main", "user.py:1:mine"]


def test_options_that_are_no_dict_stand_for_trainable_variables() -> None:
    assert profiler.profile(live(), options=0).total_parameters == 12  # type: ignore[arg-type]


def test_wrong_words_are_one_clear_error() -> None:
    with pytest.raises(OptionError, match=r"unknown cmd: tree; choose from scope, graph, op, code"):
        profiler.profile(MODEL, cmd="tree")
    with pytest.raises(OptionError, match=r'rules: "all" is not known; choose from none, tfprof'):
        profiler.profile(MODEL, rules="all")
    with pytest.raises(OptionError, match=r'"native" is not known; choose from tfprof, corrected'):
        profiler.profile(MODEL, semantics="native")
    with pytest.raises(InputError, match=r"<int> \(graph\): is not of type GraphDef; give a path, bytes or a message"):
        profiler.profile(5)


def test_without_a_graph_and_without_tensorflow_there_is_one_clear_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(sys.modules, "tensorflow", raising=False)
    with pytest.raises(OptionError, match=r"no graph is given, and TensorFlow is not imported; give a path"):
        profiler.profile()


def test_the_default_graph_is_that_of_an_imported_tensorflow(monkeypatch: pytest.MonkeyPatch) -> None:
    v1 = SimpleNamespace(get_default_graph=live)
    monkeypatch.setitem(sys.modules, "tensorflow", SimpleNamespace(compat=SimpleNamespace(v1=v1)))  # type: ignore[arg-type]
    assert profiler.profile(options=QUIET).total_float_ops == 56


def test_tensorflow_is_not_imported() -> None:
    code = "import sys; from tfprof_report import profiler; sys.exit('tensorflow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


@pytest.mark.parametrize(
    ("cmd", "output", "name", "told"),
    [
        ("op", "timeline:outfile=t", "_TFProfRoot", "op view doesn't support timeline yet."),
        ("scope", "pprof:outfile=t", "_TFProfRoot", "Only 'code' view supports pprof output now."),
        ("scope", "csv", "", "INVALID_ARGUMENT: E.g. Unknown output type: csv"),
        ("code", "stdout", "", "No code trace information"),
    ],
)
def test_a_query_that_tfprof_refuses_gives_nothing_and_says_why(
    cmd: str, output: str, name: str, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    result = profiler.profile(MODEL, run_meta(None), cmd=cmd, options=ALL | {"output": output})
    assert (result.name, result.total_float_ops, len(result.children)) == (name, 0, 0)
    assert told in capsys.readouterr().err


def test_steps_add_up_and_nodes_that_come_late_are_missing_in_a_view_that_is_built() -> None:
    made = profiler.Profiler(MODEL)
    assert made.profile_name_scope(ALL).total_exec_micros == 0
    made.add_step(3, STEP)
    assert made.profile_name_scope(ALL).total_exec_micros == 7
    assert made.profile_graph(ALL).total_exec_micros == 12
    made.add_step(4, STEP.SerializeToString())
    assert made.profile_operations(ALL | {"step": 4}).total_exec_micros == 12
    corrected = profiler.Profiler(MODEL, semantics="corrected")
    corrected.profile_name_scope(ALL)
    corrected.add_step(3, STEP)
    assert corrected.profile_name_scope(ALL).total_exec_micros == 12


def test_an_added_step_replaces_the_op_logs_figures_under_tfprof_only() -> None:
    log = op_log(entry("fc/y", float_ops=5))
    for semantics, after in (("tfprof", 48), ("corrected", 5)):
        made = profiler.Profiler(MODEL, log, semantics=semantics)
        assert figure_of(made, "MatMul") == 5
        made.add_step(0, STEP)
        assert figure_of(made, "MatMul") == after


def figure_of(made: profiler.Profiler, op: str) -> Any:
    """Return the FLOPs of an op type; in op view each row is a child of the row before it."""
    row = made.profile_operations(QUIET)
    while row.name != op:
        row = row.children[0]
    return row.float_ops


def test_shapes_that_a_step_completes_are_shown_when_corrected_only() -> None:
    record = ran("fc/z", outputs=[None])
    for size in (2, 4):
        record.output[0].tensor_description.shape.dim.add(size=size)
    for semantics, shape in (("tfprof", [-1, 4]), ("corrected", [2, 4])):
        made = profiler.Profiler(MODEL, semantics=semantics)
        made.add_step(0, run_meta({CPU: [record]}))
        (scope,) = (row for row in made.profile_name_scope(ALL).children if row.name == "fc")
        (shown,) = (row for row in scope.children if row.name == "fc/u")
        assert [dim.size for dim in shown.input_shapes[0].dim] == shape


def test_a_step_without_step_stats_is_told_and_does_not_count(capsys: pytest.CaptureFixture[str]) -> None:
    made = profiler.Profiler(MODEL)
    made.add_step(5, run_meta(None))
    assert "Invalid RunMetadata for step 5\n" in capsys.readouterr().err
    assert made.profile_name_scope(ALL | {"step": 5}).name == ""


def test_a_serialised_profiler_holds_nodes_steps_and_stacks() -> None:
    made = profiler.Profiler(live())
    made.add_step(3, STEP)
    data = made.serialize_to_string()
    proto = profiler.ProfileProto.FromString(data)
    assert list(proto.steps) == [3]
    assert proto.has_trace
    by_name = {each.name: each for each in proto.nodes.values()}
    assert by_name["fc/y"].float_ops == 48
    assert list(by_name["fc/w"].op_types) == ["VariableV2", "_trainable_variables"]
    assert by_name["fc/y"].execs[3].cpu_execs["/device:cpu:0"].times[0].int64_values == [10, 7]
    assert data == made.serialize_to_string()


def test_advice_is_printed_and_returned(capsys: pytest.CaptureFixture[str]) -> None:
    advice = profiler.advise(MODEL, STEP, {"ExpensiveOperationChecker": {}})
    (report, *_) = advice.checkers["ExpensiveOperationChecker"].reports
    assert report.splitlines()[0] == "top 1 operation type: MatMul, cpu: 7us, accelerator: 0us, total: 7us (58.33%)"
    assert report in capsys.readouterr().out
    assert set(profiler.Profiler(MODEL).advise().checkers) <= {
        "ExpensiveOperationChecker",
        "OperationChecker",
        "AcceleratorUtilizationChecker",
    }


def test_an_op_log_is_written_with_what_the_graph_knows(tmp_path: Path) -> None:
    log = op_log(entry("fc/w", types=["mine"]), entry("fc/y", float_ops=5), strings={4: "user.py"})
    profiler.write_op_log(live(), tmp_path, log)
    written = profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    by_name = {each.name: each for each in written.log_entries}
    assert list(by_name) == ["fc/w", "fc/y", "x", "fc/z", "fc/u"]
    assert list(by_name["fc/w"].types) == ["mine", "_trainable_variables"]
    assert (by_name["fc/y"].float_ops, by_name["fc/z"].float_ops) == (5, 8)
    frame = by_name["x"].code_def.traces[1]
    strings = written.id_to_string
    assert (strings[frame.file_id], frame.lineno, strings[frame.function_id]) == ("layers.py", 7, "build")
    assert (strings[4], strings[5]) == ("user.py", "none")
    profiler.write_op_log(live(), tmp_path, add_trace=False)
    plain = profiler.OpLogProto.FromString((tmp_path / "tfprof_log").read_bytes())
    assert sorted(each.name for each in plain.log_entries) == ["fc/w", "fc/y", "fc/z"]
    with pytest.raises(OutputError, match="cannot be written"):
        profiler.write_op_log(MODEL, tmp_path / "none")


@pytest.mark.parametrize("step", ["a", None, 2.5, True, 10**30])
def test_a_step_that_is_no_number_is_refused_and_changes_nothing(step: Any) -> None:
    made = profiler.Profiler(graph(node("a", "Add")))
    trace = run_meta({"/job:w/replica:0/task:0/device:CPU:0": [ran("a", micros=3)]})
    with pytest.raises(OptionError, match="is not a whole number of 64 bits"):
        made.add_step(step, trace)
    made.add_step(1, trace)
    assert made.profile_name_scope({**ALL, "step": 1}).total_exec_micros == 3
