"""Count whole models in the forms that `flops_models.py` exports, and compare the counts, for `flops_table.py`."""

from __future__ import annotations

import io
import json
import shutil
import tarfile
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.paths import InputPaths, parse_input_shape
from tfprof_report.ingest.read import Inputs, read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.execution_counts import INLINED
from tfprof_report.model.flops.evaluate import capable_nodes
from tfprof_report.model.flops.node_flops import use_rules
from tfprof_report.model.flops.rule import OpClass
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.parts.leave_out import LeaveOut, split_table
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.semantics import CORRECTED, TFPROF
from tfprof_report.vocabulary import FlopsRules

SHIPPED = Path(__file__).resolve().parent.parent / "tests" / "data" / "whole_models"

MODELS = {
    "resnet50": "ResNet50",
    "mobilenet_v1": "MobileNet",
    "mobilenet_v2": "MobileNetV2",
    "efficientnet_b0": "EfficientNetB0",
    "lstm": "LSTM",
    "transformer": "Transformer",
    "stacked": "stacked LSTM and GRU",
    "conv_lstm": "ConvLSTM",
    "gathered": "tf.gather embedding",
    "tied": "tied weights",
    "encoder_decoder": "encoder and decoder",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a model was exported.

    reads_statistics : the mean and variance of Keras' Normalization are read from variables, otherwise constants
    is_rewritten : only the contractions are those of the model; constants differ, and there are fewer ops
    """

    label: str
    text: str
    reads_statistics: bool = False
    is_rewritten: bool = False


BASE = "function_shapes"
"""The form that others are compared with: it holds the model's call and little else."""

FORMS = {
    "tf1": Form(
        label="TF1 graph",
        text="`tf.Graph` of `tf.compat.v1` with `_output_shapes`; it holds the initializers too",
        reads_statistics=True,
    ),
    BASE: Form(label="TF2 function", text="`concrete.graph.as_graph_def(add_shapes=True)`; variables are placeholders"),
    "function": Form(
        label="TF2 function, no shapes",
        text="`concrete.graph.as_graph_def()`; the file does not have the shapes of its variables, so each is given: "
        "`--input-shape VARIABLE=3,3,3,32`",
    ),
    "called": Form(
        label="graph that calls a function",
        text="a `tf.function` called in a `tf.Graph`, no shapes; the graph holds the variables and their initializers",
        reads_statistics=True,
    ),
    "frozen": Form(
        label="frozen",
        text="`convert_variables_to_constants_v2`, no shapes; variables are constants, loops are V1 frames",
    ),
    "optimised": Form(
        label="optimised",
        text="the frozen graph after Grappler, TensorFlow's optimiser: constants are folded, ops merged, no shapes",
        is_rewritten=True,
    ),
    "saved": Form(
        label="saved SavedModel",
        text="`tf.saved_model.save(model, ..., signatures=...)`, with `_output_shapes`",
    ),
    "saved_model": Form(
        label="exported SavedModel",
        text="`model.export(...)`, with `_output_shapes`; it holds two signatures, a saver and copies of the variables",
    ),
}


# Counting ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """The counts of an export: `float_ops` by class and op type, `uncounted` nodes by op type."""

    macs: int
    params: int
    float_ops: Mapping[str, Counter[str]]
    uncounted: Counter[str]

    def total(self, kind: str) -> int:
        """Return the FLOPs of a class."""
        return self.float_ops[kind].total() if kind in self.float_ops else 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """A model and its exports: `folder` holds ``FORM.pb``, `facts` is the entry of the model in keras.json."""

    name: str
    folder: Path
    facts: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Display name."""
        return MODELS[self.name]

    @cache  # noqa: B019 - a few models live as long as the script
    def count(self, form: str, *, whole: bool = False) -> Counted:
        """Return what a report counts of the nodes that feed the output, or of the whole file."""
        table = self.table(form)
        outputs = () if whole else (self.facts["paths"][form]["output"],)
        kept, _ = split_table(table, LeaveOut(outputs=outputs))
        return _sum(kept)

    def count_as_tensorflow(self, form: str) -> Counter[str]:
        """Return FLOPs by op type as TensorFlow's profiler counts them: its rules, no functions."""
        rules = use_rules(FlopsRules.TFPROF, TFPROF)
        table = build_node_table(self._inputs(form), rules, TFPROF, None, shapes=ShapeUse.IMPORT)
        return +sum(_sum(table).float_ops.values(), start=Counter())

    @cache  # noqa: B019 - as above
    def table(self, form: str) -> NodeTable:
        """Return the node table of a file, with all functions inlined."""
        rules = use_rules(FlopsRules.EXTENDED, CORRECTED)
        return build_node_table(self._inputs(form), rules, CORRECTED, INLINED, shapes=ShapeUse.RULES)

    def _inputs(self, form: str) -> Inputs:
        shapes = tuple(parse_input_shape(text) for text in self.facts["paths"][form]["captured"])
        return read_inputs(InputPaths(graph=str(self.folder / f"{form}.pb"), input_shapes=shapes))


def _sum(table: NodeTable) -> Counted:
    nodes = pa.Table.from_batches([table.columns.to_batch()])
    is_open = pc.and_(capable_nodes(nodes, "float_ops"), pc.is_null(nodes["float_ops"]))
    return Counted(
        macs=pc.sum(nodes["macs"]).as_py() or 0,
        params=pc.sum(nodes["params"]).as_py() or 0,
        float_ops=_by_class(nodes),
        uncounted=Counter(nodes.filter(is_open)["op"].to_pylist()),
    )


def _by_class(nodes: pa.Table) -> dict[str, Counter[str]]:
    sums = nodes.select(["op_class", "op", "float_ops"]).group_by(["op_class", "op"]).aggregate([("float_ops", "sum")])
    found: dict[str, Counter[str]] = {}
    for row in sums.to_pylist():
        found.setdefault(row["op_class"], Counter())[row["op"]] = row["float_ops_sum"] or 0
    return found


def differences(counted: Counted, base: Counted) -> dict[str, Counter[str]]:
    """Return by class the op types whose FLOPs differ from the base's, and by how much."""
    found = {}
    for kind in sorted({*counted.float_ops, *base.float_ops}, key=str):
        difference = Counter(counted.float_ops.get(kind, Counter()))
        difference.subtract(base.float_ops.get(kind, Counter()))
        if any(difference.values()):
            found[kind] = Counter({op: more for op, more in difference.items() if more})
    return found


# Exports ----------------------------------------------------------------------------------------------------------


def open_models(folder: Path) -> tuple[list[Model], dict[str, str]]:
    """Return the models of a folder that `flops_models.py` wrote, and the versions of Keras and TensorFlow."""
    facts = json.loads((folder / "keras.json").read_text())
    models = [Model(name=name, folder=folder / name, facts=facts["models"][name]) for name in MODELS]
    return models, {name: facts[name] for name in ("keras", "tensorflow")}


def unpack(target: Path) -> None:
    """Unpack the shipped exports into a folder, laid out as by `flops_models.py`."""
    shutil.copy(SHIPPED / "keras.json", target)
    for archive in SHIPPED.glob("*.tar.xz"):
        with tarfile.open(archive) as members:
            members.extractall(target, filter="data")


def ship(folder: Path) -> None:
    """Pack exports into tests/data, one archive per model, without dates and owners."""
    SHIPPED.mkdir(exist_ok=True)
    shutil.copy(folder / "keras.json", SHIPPED)
    for name in MODELS:
        with tarfile.open(SHIPPED / f"{name}.tar.xz", "w:xz", preset=9) as archive:
            for form in FORMS:
                data = (folder / name / f"{form}.pb").read_bytes()
                member = tarfile.TarInfo(f"{name}/{form}.pb")
                member.size = len(data)
                archive.addfile(member, io.BytesIO(data))


# Comparing --------------------------------------------------------------------------------------------------------


def expected(model: Model, form: str) -> tuple[int, int]:
    """Return the multiply-adds and parameters expected from the layers of the model."""
    layers, what = model.facts["layers"], FORMS[form]
    return layers["macs"], layers["params"] + (layers["statistics"] if what.reads_statistics else 0)


def compare(models: list[Model]) -> Iterator[str]:
    """Yield a line for each count that is not as expected."""
    for model in models:
        base = model.count(BASE)
        for form, what in FORMS.items():
            counted = model.count(form)
            macs, params = expected(model, form)
            for words, found, wanted in (
                ("multiply-adds", counted.macs, macs),
                ("FLOPs of contractions", counted.total(OpClass.CONTRACTION), 2 * macs),
                ("parameters", counted.params, counted.params if what.is_rewritten else params),
            ):
                if found != wanted:
                    yield f"{model.name}, {what.label}: {found:,} {words}, not {wanted:,}"
            if counted.uncounted:
                yield f"{model.name}, {what.label}: not counted: {dict(counted.uncounted)}"
            for kind, ops in differences(counted, base).items():
                if not what.is_rewritten:
                    yield f"{model.name}, {what.label}: {kind} differs: {dict(ops)}"
            registry = model.facts["paths"][form]["registry"]
            if registry and (ours := model.count_as_tensorflow(form)) != registry:
                ours.subtract(registry)
                yield f"{model.name}, {what.label}: TensorFlow counts otherwise: {dict(+ours)} more, {dict(-ours)} less"
