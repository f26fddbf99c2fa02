"""The layers of a graph of TensorFlow 1, as the code that makes them says."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import tensorflow as tf

from truth import record

tf1 = tf.compat.v1
Recorded = tuple[dict[str, Any], dict[str, Any]]


class Layers:
    """The layers of a graph of TensorFlow 1, noted while code makes it."""

    def __init__(self) -> None:
        self.watch = record.Watch({})
        self.found: list[dict[str, Any]] = []
        self.variables: dict[str, int] = {}

    @contextlib.contextmanager
    def layer(self, name: str, kind: str, within: str = "") -> Iterator[Callable[[Any], Any]]:
        """Note nodes and new variables as those of one layer; give a function that notes the layer's output."""
        known = {each.op.name for each in tf1.global_variables()}
        containers = within.split("/") if within else []
        places = [(each["within"], each["name"]) for each in self.found]
        if (containers, name) not in places:
            places.append((containers, name))
            self.found.append({"name": name, "within": containers, "class": kind, "calls": 0})
        number = places.index((containers, name))
        self.found[number]["calls"] += 1

        def out(tensor: Any) -> Any:
            self.found[number].setdefault("output_shape", tensor.shape.as_list())
            return tensor

        with self.watch.note(number, "forward"):
            yield out
        for each in tf1.global_variables():
            if each.op.name not in known:
                self.variables[each.op.name] = number

    def made_for(self, name: str, optimizer: str) -> tuple[int | None, str]:
        """Return the layer whose gradient or update a node is, and which of them."""
        if name.startswith("gradients/"):
            return self.watch.node_owner.get(name.removeprefix("gradients/").split("_grad/")[0]), "gradient"
        name = name.removeprefix(f"{optimizer}/update_") + "/"
        return next((owner for each, owner in self.variables.items() if name.startswith(f"{each}/")), None), "update"

    def row(self, number: int, variables: list[Any]) -> dict[str, Any]:
        """Return what is true of a layer."""
        trainable = {each.op.name for each in tf1.trainable_variables()}
        own = [each for each in variables if self.variables.get(each.op.name) == number]
        found = self.found[number]
        row = {name: found[name] for name in ("name", "within", "class")}
        for kind, is_trainable in (("trainable", True), ("non_trainable", False)):
            row[kind] = sum(each.shape.num_elements() for each in own if (each.op.name in trainable) == is_trainable)
        row |= {name: found.get(name) for name in ("output_shape", "calls")}
        row["weights"] = [
            {"name": each.op.name.rpartition("/")[2], "path": each.op.name, "shape": each.shape.as_list()}
            | {"trainable": each.op.name in trainable}
            for each in own
        ]
        row["shares"] = found.get("shares", [])
        row["tf1_nodes"] = self.watch.owned[number].facts() if number in self.watch.owned else {}
        return {name: value for name, value in row.items() if value not in ([], {})}

    def finish(self, optimizer: Any, loss: Any, batch: int) -> Recorded:
        """Minimize the loss, and return the graph with its truth."""
        names = {each.op.name for each in tf1.global_variables()}
        count = len(tf1.get_default_graph().get_operations())
        optimizer.minimize(loss, global_step=tf1.train.get_or_create_global_step())
        message = tf1.get_default_graph().as_graph_def(add_shapes=True)
        for place, node in enumerate(message.node[count:], count):
            owner, kind = self.made_for(node.name, optimizer.get_name())
            if owner is not None:
                getattr(self.watch.owned.setdefault(owner, record.Owned()), kind).append((place, place + 1))
        variables = [each for each in tf1.global_variables() if each.op.name in names]
        rows = [self.row(number, variables) for number in range(len(self.found))]
        inputs = [each for each in message.node if each.op == "Placeholder"]
        shapes = {each.name: [size.size for size in each.attr["shape"].shape.dim] for each in inputs}
        return {"tf1": message}, {
            "kind": "tf1",
            "model": None,
            "class": None,
            "batch": batch,
            "inputs": [{"name": name, "shape": shape} for name, shape in shapes.items()],
            "optimizer": type(optimizer).__name__,
            "trainable": sum(each["trainable"] for each in rows),
            "non_trainable": sum(each["non_trainable"] for each in rows),
            "layers": rows,
        }
