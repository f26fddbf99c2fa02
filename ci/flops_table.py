"""Write docs/flops.md: the counts of whole models in every form of export.

    python ci/flops_table.py                       compare the shipped exports, write the page
    python ci/flops_table.py --tf-python PYTHON    export again, and compare
    ... --write-tests                              and ship the exports: tests/data/whole_models

PYTHON is an interpreter that has tensorflow-cpu; it runs `flops_models.py`. The exit code is 1 if the multiply-adds or
parameters of a form are not those of the Keras layers, if anything could not be counted, or if TensorFlow's profiler
counts other FLOPs for the op types that it knows.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from tfprof_report.model.flops.rule import OpClass
from tfprof_report.model.flops.rule_sets import rule_set
from tfprof_report.vocabulary import FlopsRules

sys.path[:0] = [str(Path(__file__).resolve().parent)]
from flops_counts import BASE, FORMS, Counted, Model, compare, differences, open_models, ship, unpack  # noqa: E402 - by the path

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "flops.md"

INTRO = """\
# FLOPs of whole models

Written by `ci/flops_table.py` from the exports in `tests/data/whole_models`; do not edit. `make flops-table` exports
the models again, which needs TensorFlow, and compares them.

In whatever form a model was exported, its file gives the same multiply-adds and parameters, and they are those of the
model. The tables below show this for models of Keras {keras}, exported by TensorFlow {tensorflow} with a batch of 1:
images of 224 x 224 for the first four, a video of 6 images of 16 x 16 for the ConvLSTM, 20 words for the others (20
pairs of words for encoder and decoder).

* **FLOPs** count each multiplication and each addition as one, as TensorFlow's profiler does. They are per execution of
  the graph: the body of a loop counts as often as the loop iterates.
* **MACs**, multiply-adds, are those of contractions (convolutions, matrix products), whose FLOPs are twice as many.
  Papers mostly give MACs, and call them FLOPs: 3.86 G for ResNet50, 0.569 G for MobileNet, 0.301 G for MobileNetV2 and
  0.386 G for EfficientNetB0. [comparison.md](comparison.md) has what other tools count.
* **Keras layers** is a count without a graph, from the shapes of each layer's output and weights.

## Forms

| form | what it is |
| --- | --- |
"""

COUNTS = """
## Counts

Counts are of the nodes that feed the model's output (`--outputs NAME`), by the rules `{rules}`. Every node that may
take FLOPs has a figure.

"""

DIFFERENCES = """
## Where forms differ

Parameters, and FLOPs by class, minus those of the TF2 function, with the op types that cause the difference.

* Optimised: Grappler folds constant expressions, such as the scale of a batch normalisation into the weights before it:
  there are fewer parameters and fewer elementwise FLOPs. Contractions stay. The weights of a layer normalisation,
  folded with their Reshape, can no longer be distinguished from other constants. Where an LSTM's weights are copied
  into the loop, the file also keeps the ones that nothing uses; they are in `unused_params`.
* Keras' Normalization, the first layer of EfficientNetB0, has the mean and variance of its data, six parameters: graphs
  of TensorFlow 1 read them from variables, in the other forms they are constants. (Keras counts a seventh, the number
  of examples seen, which no output needs.)

| model | form | class | difference | op types |
| --- | --- | --- | ---: | --- |
"""

FURTHER = """
## What else the files hold

Parameters, and FLOPs by class, of the whole file, minus those of the nodes that feed the output: initializers in graphs
of TensorFlow 1 (`--leave-out initializers`), the second signature of a SavedModel, and what only its saver needs.

| model | form | class | more | op types |
| --- | --- | --- | ---: | --- |
"""

CONVENTIONS = """
## Conventions

`tfprof-report rules` prints the formula of every op type. inK is an input, out the first output, N(x) the number of
elements of x, x[i] one of its dimensions.

| class | what is counted | for example |
| --- | --- | --- |
"""

CLASSES: dict[OpClass, tuple[str, tuple[str, ...]]] = {
    OpClass.CONTRACTION: (
        "two for each multiply-add, including those with padding and zeros; a fused bias is added",
        ("Conv2D", "DepthwiseConv2dNative", "MatMul"),
    ),
    OpClass.ELEMENTWISE: (
        "the operations on each element; a function such as exp or tanh is one, rsqrt two, as in TensorFlow",
        ("AddV2", "Tanh", "Rsqrt", "SquaredDifference"),
    ),
    OpClass.REDUCTION: ("one for each input element, minus the output elements", ("Sum", "Mean", "Max")),
    OpClass.POOLING: ("one for each element of the window, at each output position", ("MaxPool", "AvgPool")),
    OpClass.NORMALISATION: (
        "fused ops: scale, offset and, in training, statistics; what Keras writes as Mul, Sub and Rsqrt is elementwise",
        ("FusedBatchNormV3",),
    ),
    OpClass.SOFTMAX: ("maximum, difference, exponential, sum and quotient", ("Softmax",)),
    OpClass.TRANSFORM: ("Fourier transforms, by FFTW's convention, whatever the algorithm", ("FFT",)),
    OpClass.LINEAR_ALGEBRA: ("the leading term of the textbook algorithm, for each matrix", ("Cholesky", "Qr")),
    OpClass.SORTING: ("comparisons of a heap or of a binary search", ("TopKV2",)),
    OpClass.OPTIMIZER: ("the update of a variable, for each element of the gradient", ("ApplyAdam",)),
    OpClass.NO_ARITHMETIC: ("nothing: data is created, moved or described", ("Reshape",)),
}


def render(models: list[Model], versions: Mapping[str, str]) -> str:
    """Return the page."""
    rules = rule_set(FlopsRules.EXTENDED)
    return "".join(
        [
            INTRO.format(**versions),
            *(f"| {form.label} | {form.text} |\n" for form in FORMS.values()),
            COUNTS.format(rules=rules.name),
            *_counts(models),
            DIFFERENCES,
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
    """Yield a row for each class whose FLOPs differ between `counted` and `base`."""
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
    for kind in OpClass:
        words, ops = CLASSES[kind]
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
