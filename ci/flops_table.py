"""Write docs/flops.md: what this tool counts of whole models, in whatever form they were exported.

    python ci/flops_table.py                       compare the shipped exports, write the page
    python ci/flops_table.py --tf-python PYTHON    make the exports anew, and compare them
    ... --write-tests                              and ship them: tests/data/whole_models

PYTHON is an interpreter that has tensorflow-cpu; it runs `flops_models.py`. Exit code 1 where the multiply-adds or
parameters of a form are not those of the Keras layers, where anything could not be counted, or where TensorFlow's
profiler counts other FLOPs of the op types that it knows.
"""

from __future__ import annotations

import argparse
import io
import json
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.ingest.files import InputPaths
from tfprof_report.ingest.input_shapes import parse_input_shape
from tfprof_report.ingest.read import Inputs, read_inputs
from tfprof_report.model.extended_rules import EXTENDED, TFPROF_RULES, rule_set
from tfprof_report.model.float_ops import capable_nodes
from tfprof_report.model.function_use import INLINED
from tfprof_report.model.known_shapes import ShapeUse
from tfprof_report.model.leave_out import LeaveOut, split_table
from tfprof_report.model.node_table import NodeTable, build_node_table
from tfprof_report.model.rule_use import use_rules
from tfprof_report.model.rules import OpClass
from tfprof_report.semantics import CORRECTED, TFPROF

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "flops.md"
SHIPPED = ROOT / "tests" / "data" / "whole_models"

MODELS = {
    "resnet50": "ResNet50",
    "mobilenet_v1": "MobileNet",
    "mobilenet_v2": "MobileNetV2",
    "efficientnet_b0": "EfficientNetB0",
    "lstm": "LSTM",
    "transformer": "Transformer",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Form:
    """How a model was exported.

    reads_statistics : what Keras' Normalization knows of its data is read from variables; else it is constants
    has_body : the model stands in a function of the library
    is_rewritten : only its contractions are those of the model; it has other constants, and fewer ops
    """

    label: str
    text: str
    reads_statistics: bool = False
    has_body: bool = False
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
        text="`concrete.graph.as_graph_def()`; the file does not say how large its variables are, so each is named: "
        "`--input-shape VARIABLE=3,3,3,32`",
    ),
    "called": Form(
        label="graph that calls a function",
        text="a `tf.function` called in a `tf.Graph`, no shapes; the graph holds the variables and their initializers",
        reads_statistics=True,
        has_body=True,
    ),
    "frozen": Form(
        label="frozen",
        text="`convert_variables_to_constants_v2`, no shapes; variables are constants, loops are frames",
    ),
    "optimised": Form(
        label="optimised",
        text="the frozen graph after Grappler, TensorFlow's optimiser: constants are folded, ops merged, no shapes",
        is_rewritten=True,
    ),
    "saved_model": Form(
        label="SavedModel",
        text="`model.export(...)`, no shapes; it holds two signatures, the saver and more copies of the variables",
        has_body=True,
    ),
}


# Counting ---------------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """What was counted of an export: `float_ops` by class and op type, `uncounted` nodes by op type."""

    macs: int
    params: int
    float_ops: Mapping[str, Counter[str]]
    uncounted: Counter[str]

    def total(self, kind: str) -> int:
        """Return the FLOPs of a class."""
        return self.float_ops[kind].total() if kind in self.float_ops else 0


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Model:
    """What is known of a model and of its exports: `folder` holds ``FORM.pb``, `facts` is of keras.json."""

    name: str
    folder: Path
    facts: Mapping[str, Any]

    @property
    def label(self) -> str:
        """Name for readers."""
        return MODELS[self.name]

    @cache  # noqa: B019 - a few models live as long as the script
    def count(self, form: str, *, whole: bool = False) -> Counted:
        """Return what a report counts of the nodes that feed the output, or of the whole file."""
        table = self._table(form)
        outputs = () if whole else (self.facts["paths"][form]["output"],)
        kept, _ = split_table(table, LeaveOut(outputs=outputs))
        return _sum(kept)

    def count_as_tensorflow(self, form: str) -> Counter[str]:
        """Return FLOPs by op type as TensorFlow's profiler counts them: its rules, no functions."""
        rules = use_rules(TFPROF_RULES, TFPROF)
        table = build_node_table(self._inputs(form), rules, TFPROF, None, shapes=ShapeUse.RULES)
        return +sum(_sum(table).float_ops.values(), start=Counter())

    @cache  # noqa: B019
    def _table(self, form: str) -> NodeTable:
        rules = use_rules(EXTENDED, CORRECTED)
        return build_node_table(self._inputs(form), rules, CORRECTED, INLINED, shapes=ShapeUse.RULES)

    def _inputs(self, form: str) -> Inputs:
        shapes = tuple(parse_input_shape(text) for text in self.facts["paths"][form]["captured"])
        return read_inputs(InputPaths(graph=str(self.folder / f"{form}.pb"), input_shapes=shapes))


def _sum(table: NodeTable) -> Counted:
    nodes = pa.Table.from_pandas(table.nodes, columns=["op", "op_class", "float_ops", "macs", "params"])
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
    """Return the models of a folder that `flops_models.py` wrote, and the versions of what made them."""
    facts = json.loads((folder / "keras.json").read_text())
    models = [Model(name=name, folder=folder / name, facts=facts["models"][name]) for name in MODELS]
    return models, {name: facts[name] for name in ("keras", "tensorflow")}


def unpack(target: Path) -> None:
    """Put the shipped exports into a folder, as `flops_models.py` writes them."""
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
    """Return the multiply-adds and parameters that the layers say."""
    layers, what = model.facts["layers"], FORMS[form]
    macs = layers["macs"] + (layers["probe"] if what.has_body else 0)
    return macs, layers["params"] + (layers["statistics"] if what.reads_statistics else 0)


def compare(models: list[Model]) -> Iterator[str]:
    """Yield what is not equal though it should be."""
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
                if not (what.is_rewritten or (what.has_body and model.facts["layers"]["probe"])):
                    yield f"{model.name}, {what.label}: {kind} differs: {dict(ops)}"
            registry = model.facts["paths"][form]["registry"]
            if registry and (ours := model.count_as_tensorflow(form)) != registry:
                ours.subtract(registry)
                yield f"{model.name}, {what.label}: TensorFlow counts otherwise: {dict(+ours)} more, {dict(-ours)} less"


# The page ---------------------------------------------------------------------------------------------------------

INTRO = """\
# FLOPs of whole models

Written by `ci/flops_table.py` from the exports in `tests/data/whole_models`; do not edit. `make flops-table` makes the
exports anew, which needs TensorFlow, and compares them.

A file of a model, in whatever form it was exported, gives the same multiply-adds and parameters, and they are those of
the model. The tables below show it for models of Keras {keras}, exported by TensorFlow {tensorflow} with a batch of 1:
pictures of 224 x 224 for the first four, 20 words for the others.

* **FLOPs** count each multiplication and each addition as one, as TensorFlow's profiler does. Per execution of the
  graph: what stands in the body of a loop counts as often as the loop iterates.
* **MACs**, multiply-adds, are those of contractions (convolutions, matrix products), whose FLOPs are twice as many.
  Papers mostly give MACs, and call them FLOPs: 3.86 G for ResNet50, 0.569 G for MobileNet, 0.301 G for MobileNetV2 and
  0.386 G for EfficientNetB0.
* **Keras layers** is a count that does not look at a graph: from the shapes of each layer's output and weights.

## Forms

| form | what it is |
| --- | --- |
"""

COUNTS = """
## Counts

Of the nodes that feed the model's output (`--outputs NAME`), by the rules `{rules}`; each of them that may take FLOPs
has a figure.

"""

DIFFERENCES = """
## Where forms differ

Parameters, and FLOPs by class, less those of the TF2 function, with the op types that make the difference.

* Optimised: Grappler folds what is made of constants alone, such as the scale of a batch normalisation into the weights
  before it: fewer parameters, and less that is elementwise. Contractions stay. Where an LSTM's weights are copied into
  the loop, the file also keeps those that nothing uses any more; their `param_kind` is `unused`.
* Keras' Normalization, the first layer of EfficientNetB0, knows mean and variance of its data, six parameters: a graph
  of TensorFlow 1 reads them from variables, to the others they are constants. (Keras counts a seventh, the number of
  examples seen, which no output needs.)
* Keras writes the first step of an LSTM once more, to learn the shape of its output. Nothing uses it; but in the body
  of a function nothing is left out, so it counts where the model is called: {probe} MACs.

| model | form | class | difference | op types |
| --- | --- | --- | ---: | --- |
"""

FURTHER = """
## What else the files hold

Parameters, and FLOPs by class, of the whole file, less those of what feeds the output: initializers in graphs of
TensorFlow 1 (`--leave-out initializers`), the second signature of a SavedModel, and what only its saver needs.

| model | form | class | more | op types |
| --- | --- | --- | ---: | --- |
"""

CONVENTIONS = """
## Conventions

`tfprof-report rules` prints the formula of every op type. inK is an input, out the first output, N(x) the number of
elements of x, x[i] one of its sizes.

| class | what is counted | for example |
| --- | --- | --- |
"""

CLASSES: dict[OpClass, tuple[str, tuple[str, ...]]] = {
    OpClass.CONTRACTION: (
        "two for each multiply-add; padding counts as if it were there, zeros as any number; a fused bias on top",
        ("Conv2D", "DepthwiseConv2dNative", "MatMul"),
    ),
    OpClass.ELEMENTWISE: (
        "what is done to each element; a function such as exp or tanh is one operation, rsqrt two, as in TensorFlow",
        ("AddV2", "Tanh", "Rsqrt", "SquaredDifference"),
    ),
    OpClass.REDUCTION: ("one for each element that goes in, less those that come out", ("Sum", "Mean", "Max")),
    OpClass.POOLING: ("one for each element of the window, at each place", ("MaxPool", "AvgPool")),
    OpClass.NORMALISATION: (
        "fused ops: scale, offset and, in training, statistics; what Keras writes as Mul, Sub and Rsqrt is elementwise",
        ("FusedBatchNormV3",),
    ),
    OpClass.SOFTMAX: ("maximum, difference, exponential, sum and quotient", ("Softmax",)),
    OpClass.OPTIMIZER: ("the update of a variable, for each element of the gradient", ("ApplyAdam",)),
    OpClass.NO_ARITHMETIC: ("nothing: data is made, moved or described", ("Reshape",)),
}


def render(models: list[Model], versions: Mapping[str, str]) -> str:
    """Return the page."""
    rules = rule_set(EXTENDED)
    probes = [f"{probe:,}" for model in models if (probe := model.facts["layers"]["probe"])]
    return "".join(
        [
            INTRO.format(**versions),
            *(f"| {form.label} | {form.text} |\n" for form in FORMS.values()),
            COUNTS.format(rules=rules.name),
            *_counts(models),
            DIFFERENCES.format(probe=", ".join(probes)),
            *_rows(models, lambda model, form: (model.count(BASE), model.count(form))),
            FURTHER,
            *_rows(models, lambda model, form: (model.count(form), model.count(form, whole=True))),
            CONVENTIONS,
            *_conventions({op: rule.text for rule in rules.rules for op in rule.ops}),
        ]
    )


def _counts(models: list[Model]) -> Iterator[str]:
    others = [kind for kind in OpClass if any(model.count(form).total(kind) for model in models for form in FORMS)]
    others.remove(OpClass.CONTRACTION)
    header = ("model", "form", "MACs", "parameters", "FLOPs: contraction", *others)
    yield f"| {' | '.join(header)} |\n| --- | --- |{' ---: |' * (len(header) - 2)}\n"
    for model in models:
        layers = model.facts["layers"]
        yield _row(model.label, "*Keras layers*", layers["macs"], layers["params"], *[""] * (len(others) + 1))
        for form, what in FORMS.items():
            counted = model.count(form)
            totals = [counted.total(kind) for kind in (OpClass.CONTRACTION, *others)]
            yield _row(model.label, what.label, counted.macs, counted.params, *totals)


def _rows(models: list[Model], pair: Callable[[Model, str], tuple[Counted, Counted]]) -> Iterator[str]:
    for model in models:
        for form in FORMS:
            yield from _differ(model, form, *pair(model, form))


def _differ(model: Model, form: str, base: Counted, counted: Counted) -> Iterator[str]:
    """Yield a row for each class of which there is more or less in `counted` than in `base`."""
    names = (model.label, FORMS[form].label)
    if params := counted.params - base.params:
        yield _row(*names, "*parameters*", f"{params:+,}", "")
    for kind, ops in differences(counted, base).items():
        words = ", ".join(f"{op} {more:+,}" for op, more in sorted(ops.items(), key=lambda item: -abs(item[1])))
        yield _row(*names, kind, f"{ops.total():+,}", words)
    if unknown := counted.uncounted - base.uncounted:
        words = ", ".join(f"{op} ({count})" for op, count in sorted(unknown.items()))
        yield _row(*names, "*not counted*", "", words)


def _conventions(texts: Mapping[str, str]) -> Iterator[str]:
    for kind, (words, ops) in CLASSES.items():
        yield _row(kind, words, "; ".join(f"{op}: {texts[op]}" for op in ops))


def _row(*cells: str | int) -> str:
    return f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else str(cell) for cell in cells)} |\n"


def main() -> int:
    """Compare and write; return 1 on a difference."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tf-python", metavar="PYTHON", help="an interpreter that has tensorflow-cpu")
    parser.add_argument("--write-tests", action="store_true", help="ship the exports")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        if arguments.tf_python:
            subprocess.run([arguments.tf_python, str(ROOT / "ci" / "flops_models.py"), name], check=True)
        else:
            unpack(folder)
        if arguments.write_tests:
            ship(folder)
        models, versions = open_models(folder)
        found = list(compare(models))
        for line in found:
            print(line)
        if arguments.write_tests or not arguments.tf_python:
            TARGET.write_text(render(models, versions), encoding="utf-8")
    print(f"{len(found)} differences")
    return int(bool(found))


if __name__ == "__main__":
    sys.exit(main())
