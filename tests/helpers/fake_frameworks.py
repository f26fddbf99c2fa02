"""TensorFlow, Keras and JAX as far as `capture` asks them, which write down in which order they were called."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from weakref import ref

import pytest
from messages import function, graph, node, shape_proto, with_library

TRACE = b"a trace"
DEVICES_OF_JAX = "jax._src.xla_bridge"
FUNCTIONS = "tensorflow.python.eager.polymorphic_function.concrete_function"


def write_trace(folder: str, *names: str) -> None:
    """Write what a profiler writes."""
    run = Path(folder) / "plugins" / "profile" / "2026_01_02_03_04_05"
    run.mkdir(parents=True)
    for name in names:
        (run / name).write_bytes(TRACE)


class AlreadyExistsError(Exception):
    """As in ``tf.errors``."""


class Variable:
    """A ``tf.Variable`` of float32."""

    def __init__(self, name: str, sizes: Sequence[int], *, trainable: bool = True) -> None:
        self.name, self.trainable, self.handle = f"{name}:0", trainable, object()
        self.shape = SimpleNamespace(as_proto=lambda: shape_proto(sizes))
        self.dtype = SimpleNamespace(as_datatype_enum=1)


class Module:
    """A ``tf.Module``, or a Keras model, with attributes."""

    def __init__(self, **attributes: Any) -> None:
        vars(self).update(attributes)


class TrackableView:
    """As in ``tf.train``: children by the names of attributes, for what can be referred to weakly."""

    def __init__(self, root: Any) -> None:
        self.root = ref(root)

    def children(self, owner: Any) -> dict[str, Any]:
        return dict(vars(owner)) if isinstance(owner, Module) else {}


class FuncGraph:
    """A graph of a function, with the ops of `message`, which captures variables as placeholders by name."""

    def __init__(
        self,
        name: str,
        message: Any,
        *,
        captured: dict[str, Variable] | None = None,
        inputs: Sequence[str] = (),
        functions: dict[str, FuncGraph] | None = None,
        line: int = 7,
    ) -> None:
        self.name, self._message, self._functions = name, message, functions or {}
        self._ops = [FakeOp(each, line) for each in message.node]
        by_name = {op.name: SimpleNamespace(op=op) for op in self._ops}
        captured = captured or {}
        self.variables = tuple(captured.values())
        self.captures = [(variable.handle, by_name[place]) for place, variable in captured.items()]
        self.inputs = [by_name[each] for each in inputs]

    def as_graph_def(self, *, add_shapes: bool = False) -> Any:  # noqa: ARG002 (TensorFlow's signature)
        made = type(self._message)()
        made.CopyFrom(self._message)
        return made

    def get_operations(self) -> list[FakeOp]:
        return self._ops

    def _get_function(self, name: str) -> Any:
        return SimpleNamespace(graph=self._functions[name]) if name in self._functions else None


class FakeOp:
    """An op of a `FuncGraph`; its function attributes have names."""

    def __init__(self, message: Any, line: int) -> None:
        self.name, self.type, self._attrs = message.name, message.op, message.attr
        self.traceback = [("/usr/lib/site-packages/keras/x.py", 1, "fit", ""), ("/home/me/model.py", line, "step", "y")]

    def get_attr(self, name: str) -> Any:
        attr = self._attrs[name]
        return list(attr.list.func) if attr.list.func else attr.func


def concrete_class() -> Any:
    """Return a new class of concrete functions, whose calls `capture` notes."""

    class ConcreteFunction:
        def __init__(self, graph: FuncGraph) -> None:
            self.graph = graph

        def __call__(self) -> str:
            return self._call_flat([], captured_inputs=[])

        def _call_flat(self, tensor_inputs: list[Any], captured_inputs: list[Any]) -> str:  # noqa: ARG002 (TensorFlow's)
            return f"result of {self.graph.name}"

    return ConcreteFunction


class FakeTensorFlow:
    """A module `tensorflow`; `calls` says what was called."""

    def __init__(self, calls: list[Any]) -> None:
        self.calls = calls
        self.is_eager, self.is_profiled = True, False
        self.folder = ""
        self.errors = SimpleNamespace(AlreadyExistsError=AlreadyExistsError)
        self.Module = Module
        self.train = SimpleNamespace(TrackableView=TrackableView)
        self.test = SimpleNamespace(experimental=SimpleNamespace(sync_devices=lambda: calls.append("wait")))
        self.profiler = SimpleNamespace(
            experimental=SimpleNamespace(ProfilerOptions=dict, start=self._start, stop=self._stop, Trace=self._trace)
        )

    def executing_eagerly(self) -> bool:
        return self.is_eager

    def _start(self, folder: str, options: dict[str, int]) -> None:
        if self.is_profiled:
            raise AlreadyExistsError("Another profiler is running.")
        self.folder = folder
        self.calls.append(("start", options))

    def _stop(self, *, save: bool) -> None:
        self.calls.append(("stop", save))
        if save:
            write_trace(self.folder, "host.xplane.pb")

    @contextmanager
    def _trace(self, name: str, **about: int) -> Iterator[None]:
        self.calls.append((name, about))
        yield
        self.calls.append(f"end of {name}")


class FakeJax:
    """A module `jax`; `calls` says what was called."""

    def __init__(self, calls: list[Any]) -> None:
        self.calls, self.folder = calls, ""
        self.profiler = SimpleNamespace(
            ProfileOptions=SimpleNamespace,
            start_trace=self._start,
            stop_trace=self._stop,
            StepTraceAnnotation=self._annotate,
        )

    def live_arrays(self) -> list[Any]:
        return []

    def block_until_ready(self, arrays: list[Any]) -> None:  # noqa: ARG002 (JAX's signature)
        self.calls.append("wait")

    def effects_barrier(self) -> None:
        pass

    def _start(self, folder: str, profiler_options: Any) -> None:
        self.folder = folder
        self.calls.append(("start", vars(profiler_options)))

    def _stop(self) -> None:
        self.calls.append("stop")
        write_trace(self.folder, "host.xplane.pb", "host.trace.json.gz")

    @contextmanager
    def _annotate(self, name: str, **about: int) -> Iterator[None]:
        self.calls.append((name, about))
        yield
        self.calls.append(f"end of {name}")


class Callback:
    """As in ``keras.callbacks``."""

    model: Any = None


def fake_keras(backend: str) -> Any:
    """Return a module `keras`."""
    return SimpleNamespace(
        callbacks=SimpleNamespace(Callback=Callback), backend=SimpleNamespace(backend=lambda: backend)
    )


def train_step(kind: Callable[[FuncGraph], Any], name: str = "train_step") -> Any:
    """Return a concrete function with a layer ``dense`` and a called function that adds.

    That returns ``add``, so that its node of this name has another one than in its graph.
    """
    body = FuncGraph("inner", graph(node("x", "Placeholder"), node("add", "AddV2", "x", "x")), inputs=["x"], line=9)
    called = node("call", "PartitionedCall", "net/dense_1/MatMul")
    called.attr["f"].func.name = "inner"
    message = with_library(
        graph(
            node("x", "Placeholder", output_shapes=[[32, 784]]),
            node("123", "Placeholder", output_shapes=[[]]),
            node("456", "Placeholder", output_shapes=[[]]),
            node("net/dense_1/ReadVariableOp", "ReadVariableOp", "123", "^456"),
            node("net/dense_1/MatMul", "MatMul", "x", "net/dense_1/ReadVariableOp"),
            called,
            node("AssignAddVariableOp", "AssignAddVariableOp", "456:0", "call"),
        ),
        function("inner", ["x"], {"add": "add_0:z:0"}, node("add_0", "AddV2", "x", "x")),
    )
    captured = {"123": Variable("net/dense/kernel", [784, 10]), "456": Variable("count", [], trainable=False)}
    return kind(FuncGraph(name, message, captured=captured, inputs=["x"], functions={"inner": body}))


@contextmanager
def loaded(**modules: Any) -> Iterator[None]:
    """Put modules into ``sys.modules``, and take other frameworks out of it."""
    with pytest.MonkeyPatch.context() as patch:
        hidden = {"functions": FUNCTIONS, "devices_of_jax": DEVICES_OF_JAX}
        for name in ("tensorflow", "jax", "keras", "tf_keras", *hidden.values()):
            patch.delitem(sys.modules, name, raising=False)
        for name, module in modules.items():
            patch.setitem(sys.modules, hidden.get(name, name), module)
        yield
