"""What is written, in which order the frameworks are called, and what is an error."""

from __future__ import annotations

import subprocess
import sys
from operator import index
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_frameworks import (
    TRACE,
    FakeJax,
    FakeTensorFlow,
    FuncGraph,
    Module,
    Variable,
    concrete_class,
    loaded,
    train_step,
)
from messages import graph, node

import tfprof_report
from tfprof_report.errors import OptionError, OutputError
from tfprof_report.ingest.descriptors import message_class

HOST = "plugins/profile/capture/host.xplane.pb"


class Loaded:
    """A fake TensorFlow in ``sys.modules``, and a function of it."""

    def __init__(self) -> None:
        self.calls: list[Any] = []
        self.tensorflow = FakeTensorFlow(self.calls)
        self.kind = concrete_class()
        self.step = train_step(self.kind)


@pytest.fixture
def tensorflow() -> Any:
    made = Loaded()
    with loaded(tensorflow=made.tensorflow, functions=SimpleNamespace(ConcreteFunction=made.kind)):
        yield made


def files_of(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())


def run_in(folder: Path, *functions: Any, **options: Any) -> None:
    """Capture calls of functions."""
    with tfprof_report.capture(folder, **options):
        for each in functions:
            each()


def graph_in(folder: Path) -> Any:
    return message_class("tensorflow.GraphDef").FromString((folder / "graph.pb").read_bytes())


def test_a_run_of_tensorflow_is_a_graph_a_log_and_a_trace(tensorflow: Loaded, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "profile"
    with tfprof_report.capture(folder) as run:
        for number in (0, 5):
            with run.step(number):
                assert tensorflow.step() == "result of train_step"
        with run.step():
            tensorflow.step()
    assert files_of(folder) == ["graph.pb", HOST, "tfprof_log"]
    assert (folder / HOST).read_bytes() == TRACE
    steps = [("train", {"step_num": number, "_r": 1}) for number in (0, 5, 6)]
    marked = [each for step in steps for each in (step, "wait", "end of train")]
    assert tensorflow.calls[2:] == [*marked, "wait", ("stop", True)]
    wait, (start, options) = tensorflow.calls[:2]
    levels = {"host_tracer_level": 3, "python_tracer_level": 0, "device_tracer_level": 1, "delay_ms": 0}
    assert (wait, start) == ("wait", "start")
    assert {name: index(option) for name, option in options.items()} == levels
    assert not any(
        hasattr(option, "__bool__") for option in options.values()
    )  # TensorFlow 2.21 would read it as a bool


def test_captured_variables_are_named_and_trained_ones_logged(tensorflow: Loaded, tmp_path: Path) -> None:
    run_in(tmp_path, tensorflow.step)
    nodes = {each.name: each for each in graph_in(tmp_path).node}
    assert list(nodes) == [
        "x",
        "net/dense/kernel",
        "count",
        "net/dense_1/ReadVariableOp",
        "net/dense_1/MatMul",
        "call",
        "AssignAddVariableOp",
    ]
    kernel = nodes["net/dense/kernel"]
    assert (kernel.op, kernel.attr["dtype"].type, kernel.attr["shared_name"].s) == (
        "VarHandleOp",
        1,
        b"net/dense/kernel",
    )
    assert [size.size for size in kernel.attr["shape"].shape.dim] == [784, 10]
    assert list(nodes["net/dense_1/ReadVariableOp"].input) == ["net/dense/kernel", "^count"]
    assert list(nodes["AssignAddVariableOp"].input) == ["count:0", "call"]
    log = message_class("tensorflow.tfprof.OpLogProto").FromString((tmp_path / "tfprof_log").read_bytes())
    lines = {each.name: [frame.lineno for frame in each.code_def.traces] for each in log.log_entries}
    # Not call/x, an argument that inlining replaces.
    assert lines == {**{name: [7] for name in nodes}, "call/add_0": [9]}
    assert [each.name for each in log.log_entries if "_trainable_variables" in each.types] == ["net/dense/kernel"]


def test_a_module_that_is_given_or_found_names_its_variables(tensorflow: Loaded, tmp_path: Path) -> None:
    model, trainer = Module(count=tensorflow.step.graph.variables[1], other=Module()), Module()
    trainer.model = model  # type: ignore[attr-defined]
    run_in(tmp_path, tensorflow.step, model=model)
    assert {each.name for each in graph_in(tmp_path).node} >= {"net/dense/kernel", "count"}
    run_in(tmp_path, tensorflow.step)
    assert {each.name for each in graph_in(tmp_path).node} >= {"net/dense/kernel", "model/count"}


def test_a_keras_model_names_its_variables_by_their_path(tensorflow: Loaded, tmp_path: Path) -> None:
    kernel, count = tensorflow.step.graph.variables
    of_model = SimpleNamespace(path="big net/layer:1/kernel", value=kernel)
    optimizer = SimpleNamespace(variables=lambda: [SimpleNamespace(path="x", value=count)])
    with tfprof_report.capture(tmp_path, model=Module(variables=[of_model], optimizer=optimizer)):
        tensorflow.step()
    # Inputs refer to names, so that some characters cannot be in them; x is taken.
    assert [each.name for each in graph_in(tmp_path).node][:3] == ["x", "big_net/layer_1/kernel", "x_1"]


def test_the_largest_function_gives_the_graph_unless_another_one_is_asked_for(
    tensorflow: Loaded, tmp_path: Path
) -> None:
    small = tensorflow.kind(FuncGraph("small", graph(node("a", "NoOp"))))
    ran = r"small, train_step ran; graph.pb is that of train_step, the largest\."
    with pytest.warns(UserWarning, match=ran) as warned:
        run_in(tmp_path, small, tensorflow.step)
    assert [each.filename for each in warned] == [__file__]
    assert len(graph_in(tmp_path).node) == 7
    asked = SimpleNamespace(__name__="small")
    run_in(tmp_path, small, tensorflow.step, function=asked)
    assert [each.name for each in graph_in(tmp_path).node] == ["a"]
    with pytest.raises(OptionError, match=r"^function: small did not run, but train_step; give one that runs$"):
        run_in(tmp_path, tensorflow.step, function=asked)
    assert [each.name for each in graph_in(tmp_path).node] == ["a"]


def test_without_a_function_there_is_no_graph(tensorflow: Loaded, tmp_path: Path) -> None:
    tensorflow.tensorflow.is_eager = False
    with pytest.raises(OptionError, match=r"^no tf.function ran, so there is no graph; decorate the step with"):
        run_in(tmp_path / "profile", tensorflow.step)  # traced into another function, which does not run either
    assert not (tmp_path / "profile").exists()


def test_a_body_that_raises_leaves_nothing_behind(tensorflow: Loaded, tmp_path: Path) -> None:
    call = tensorflow.kind._call_flat

    def fail() -> None:
        raise KeyError("mine")

    with pytest.raises(KeyError, match=r"mine"):
        run_in(tmp_path / "profile", tensorflow.step, fail)
    assert tensorflow.calls[-1] == ("stop", False)
    assert not (tmp_path / "profile").exists()
    assert tensorflow.kind._call_flat is call
    run_in(tmp_path / "profile", tensorflow.step)
    assert "graph.pb" in files_of(tmp_path / "profile")


def test_what_is_profiled_already_is_one_line(tensorflow: Loaded, tmp_path: Path) -> None:
    tensorflow.tensorflow.is_profiled = True
    with pytest.raises(OptionError, match=r"^TensorFlow is being profiled already; end that first"):
        run_in(tmp_path)


def test_an_earlier_capture_is_replaced_and_other_files_refused(tensorflow: Loaded, tmp_path: Path) -> None:
    run_in(tmp_path, tensorflow.step)
    (tmp_path / "plugins/profile/capture/old.xplane.pb").touch()
    run_in(tmp_path, tensorflow.step)
    assert files_of(tmp_path) == ["graph.pb", HOST, "tfprof_log"]
    (tmp_path / "notes.txt").touch()
    with pytest.raises(OutputError, match=r"the folder holds notes.txt, which no capture wrote; give a new folder"):
        run_in(tmp_path)


@pytest.mark.usefixtures("tensorflow")
def test_a_graph_that_no_capture_wrote_is_kept(tmp_path: Path) -> None:
    (tmp_path / "graph.pb").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"the folder holds graph.pb, which no capture wrote"):
        run_in(tmp_path)
    with pytest.raises(OutputError, match=r"graph.pb: is a file, not a folder"):
        run_in(tmp_path / "graph.pb")


def test_a_folder_that_cannot_be_made_is_refused_before_the_body(
    tensorflow: Loaded, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_bytes(b"mine")
    with pytest.raises(OutputError, match=r"file/a/b: is below a file; give another path$"):
        run_in(tmp_path / "file" / "a" / "b", tensorflow.step)
    monkeypatch.setattr("os.access", lambda path, _mode: path != tmp_path)  # tests may run as root
    with pytest.raises(OutputError, match=r"a/b: cannot be used \(Permission denied\); give a folder that can be"):
        run_in(tmp_path / "a" / "b", tensorflow.step)
    assert tensorflow.tensorflow.calls == []


@pytest.mark.parametrize("number", [-1, 2**63, True, "1"])
def test_a_step_has_a_number(tensorflow: Loaded, tmp_path: Path, number: Any) -> None:
    with tfprof_report.capture(tmp_path) as run:
        tensorflow.step()
        with pytest.raises(OptionError, match=r"^step: .* is not a whole number from 0 to"), run.step(number):
            pytest.fail("runs")


def test_a_step_is_within_the_capture_and_not_within_another_step(tensorflow: Loaded, tmp_path: Path) -> None:
    with tfprof_report.capture(tmp_path) as run:
        tensorflow.step()
        with run.step(), pytest.raises(OptionError, match=r"^step: is within another step$"), run.step():
            pytest.fail("runs")
    with pytest.raises(OptionError, match=r"^step: is outside of the capture$"), run.step():
        pytest.fail("runs")


def test_a_run_of_jax_is_a_trace(tmp_path: Path) -> None:
    calls: list[Any] = []
    with loaded(jax=FakeJax(calls)), tfprof_report.capture(tmp_path) as run, run.step():
        pass
    assert files_of(tmp_path) == ["plugins/profile/capture/host.trace.json.gz", HOST]
    options = {"host_tracer_level": 3, "python_tracer_level": 0}
    step = [("train", {"step_num": 0}), "wait", "end of train"]
    assert calls == ["wait", ("start", options), *step, "wait", "stop"]


def test_without_a_framework_there_is_one_clear_error(tmp_path: Path) -> None:
    with loaded(), pytest.raises(OptionError, match=r"^neither TensorFlow nor JAX is imported; import one of them"):
        tfprof_report.capture(tmp_path)


def test_with_both_frameworks_one_is_named_or_shown_by_the_model(tmp_path: Path) -> None:
    calls: list[Any] = []
    with loaded(tensorflow=FakeTensorFlow([]), jax=FakeJax(calls)):
        with pytest.raises(OptionError, match=r"^framework: TensorFlow and JAX are both in use; say framework="):
            tfprof_report.capture(tmp_path)
        with tfprof_report.capture(tmp_path, framework="jax"):
            pass
        assert calls[-1] == "stop"
        tfprof_report.capture(tmp_path, model=Module())
        with pytest.raises(OptionError, match=r"^model: is for TensorFlow"):
            tfprof_report.capture(tmp_path, model=Module(), framework="jax")
        with pytest.raises(OptionError, match=r"^framework: unknown framework: torch; choose from tensorflow, jax$"):
            tfprof_report.capture(tmp_path, framework="torch")
    with loaded(jax=FakeJax([])), pytest.raises(OptionError, match=r"^framework: tensorflow is not imported"):
        tfprof_report.capture(tmp_path, framework="tensorflow")


@pytest.mark.parametrize("has_computed", [False, True])
def test_a_jax_that_tensorflow_imported_does_not_count(
    tensorflow: Loaded, tmp_path: Path, *, has_computed: bool
) -> None:
    devices = SimpleNamespace(backends_are_initialized=lambda: has_computed)
    functions = SimpleNamespace(ConcreteFunction=tensorflow.kind)
    jax = FakeJax([])
    with loaded(tensorflow=tensorflow.tensorflow, functions=functions, jax=jax, devices_of_jax=devices):
        if has_computed:
            with pytest.raises(OptionError, match=r"^framework: TensorFlow and JAX are both in use; say framework="):
                tfprof_report.capture(tmp_path)
        else:
            run_in(tmp_path, tensorflow.step)
        run_in(tmp_path, framework="jax")
    assert jax.calls[-1] == "stop"
    with loaded(jax=jax, devices_of_jax=SimpleNamespace(backends_are_initialized=lambda: False)):
        run_in(tmp_path)


@pytest.mark.parametrize("model", [3, "net", [Module()]])
def test_a_model_that_is_none_of_tensorflow_is_refused_before_it_runs(
    tensorflow: Loaded, tmp_path: Path, model: Any
) -> None:
    with pytest.raises(OptionError, match=r"^model: (int|str|list) is neither a Keras model nor a tf.Module; leave it"):
        tfprof_report.capture(tmp_path, model=model)
    assert tensorflow.tensorflow.calls == []


def test_frameworks_are_never_imported() -> None:
    program = """
import sys, tfprof_report
assert "tfprof_report.capturing" not in sys.modules and "pyarrow" not in sys.modules
try:
    tfprof_report.capture("x")
except tfprof_report.capturing.capture.OptionError:
    print(sorted({"tensorflow", "keras", "jax"} & set(sys.modules)))
"""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n"


def test_variables_of_the_same_name_get_numbers(tensorflow: Loaded, tmp_path: Path) -> None:
    captured = {"1": Variable("a/kernel", [2]), "2": Variable("a/kernel", [3])}
    message = graph(*(node(each, "Placeholder", output_shapes=[[]]) for each in "12"), node("a", "AddN", "2", "1"))
    step = tensorflow.kind(FuncGraph("step", message, captured=captured))
    with tfprof_report.capture(tmp_path):
        step()
    nodes = graph_in(tmp_path).node
    assert [each.name for each in nodes] == ["a/kernel", "a/kernel_1", "a"]
    assert list(nodes[2].input) == ["a/kernel_1", "a/kernel"]
