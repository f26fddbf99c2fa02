"""Write docs/comparison.md: the same models counted by keras-flops, fvcore, torchinfo and this tool.

    python ci/compare_tools.py                                                  write the page from the recorded counts
    python ci/compare_tools.py --tf-python PYTHON --torch-python PYTHON         count again, and record

The first PYTHON has tensorflow-cpu and keras-flops, the second torch, torchvision, fvcore and torchinfo; they run
`keras_counts.py` and `torch_counts.py`. Counts are recorded in tests/data/comparison.json. Our own are made each time,
from the exports in tests/data/whole_models. It is an error if a difference is not what the page explains.
"""

from __future__ import annotations

import argparse
import datetime as dt
import json
import subprocess
import tempfile
import textwrap
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from flops_counts import BASE, Counted, Model, open_models, unpack

ROOT = Path(__file__).resolve().parent.parent
TARGET = ROOT / "docs" / "comparison.md"
RECORDED = ROOT / "tests" / "data" / "comparison.json"

Parts = Sequence[tuple[int, str]]
"""What a difference is made of: amounts, with what each is."""

CONTRACTIONS = {
    "keras_flops": ("Conv2D", "DepthwiseConv2dNative", "MatMul", "BatchMatMulV2"),
    "fvcore": ("conv", "linear", "matmul"),
}
"""The names that a tool gives to what has multiply-adds."""

NOT_COUNTED: Mapping[str, Mapping[str, str]] = {
    "keras_flops": {
        "lstm": "matrix products of the LSTM: of its loop one iteration counts, and what has unknown shapes in it is 0",
        "transformer": "`Einsum`, the two products of attention, for which TensorFlow has no formula",
    },
    "fvcore": {"lstm": "`aten::lstm`, which has no handle; fvcore lists it among its unsupported ops"},
}
"""Which multiply-adds of a model a tool leaves out."""

TORCHINFO: Mapping[str, Parts] = {
    "resnet50": (
        (10_587_136, "one bias at each output of a convolution"),
        (53_120, "the weights of batch normalisations, once"),
        (1_000, "biases of the dense layer"),
    ),
    "mobilenet_v2": (
        (34_112, "the weights of batch normalisations, once"),
        (1_000, "biases of the dense layer"),
    ),
    "efficientnet_b0": (
        (42_016, "the weights of batch normalisations, once"),
        (9_340, "biases of the convolutions that have one"),
        (1_000, "biases of the dense layer"),
    ),
    "lstm": (
        (32_000, "the whole table of the embedding"),
        (10_240, "biases of the LSTM, at each step"),
        (2, "biases of the dense layer"),
    ),
    "transformer": (
        (-466_944, "dense layers, counted for one word of 20"),
        (-51_200, "the two products of attention, which are no modules"),
        (32_000, "the whole table of the embedding"),
        (578, "biases of dense layers"),
        (256, "the weights of layer normalisations, once"),
    ),
}
"""What torchinfo's multiply-adds have beyond those of the model, worked out from the shapes of its layers."""

PARAMS: Mapping[str, Parts] = {
    "resnet50": ((-53_120, "moving statistics of batch normalisations, which are buffers in PyTorch"),),
    "mobilenet_v2": ((-34_112, "moving statistics of batch normalisations, which are buffers in PyTorch"),),
    "efficientnet_b0": ((-42_016, "moving statistics of batch normalisations, which are buffers in PyTorch"),),
    "lstm": ((256, "PyTorch's LSTM has two biases where Keras has one"),),
    "transformer": (),
}
"""What PyTorch's models have beyond the parameters of Keras'."""

INTRO = """\
# Side by side with other counters

Written by `ci/compare_tools.py`; do not edit. `make comparison-table` counts again. Ours are the counts of today's
code, those of the others were made on {date}, with these versions:

{versions}

Five models, at batch 1, each built in Keras and in PyTorch with the same layers: ResNet50, MobileNetV2 and
EfficientNetB0 for an image of 224 x 224, an LSTM and a small Transformer for 20 words. The first three come from Keras'
applications and from torchvision, whose ResNet50 was given Keras' strides (in the first convolution of a block) and
biases. Keras' EfficientNetB0 also normalises the image, which costs a few elementwise FLOPs.

All are in inference: no gradients, no dropout, batch normalisation by its moving statistics. keras-flops, fvcore and
torchinfo count the forward pass only. A graph of a training step has gradients and an optimizer too, which this tool
counts, or leaves out by `--leave-out training`.

A multiply and an add are two FLOPs, or one MAC (multiply-add). Papers, fvcore and torchinfo give MACs, and fvcore calls
them FLOPs; TensorFlow's profiler, keras-flops and we count both halves. Compare like with like: twice the MACs with
FLOPs.

{tools}
Each has its place: keras-flops is one call in a program that has the model; fvcore and torchinfo are at home in
PyTorch, one with a count that you can extend by handles, the other with a table of layers and their shapes; XProf shows
what a device did. This tool is for TensorFlow's and JAX's files, and for what changed between two of them.

## FLOPs and multiply-adds

| model | MACs, ours | fvcore | torchinfo | twice the MACs | FLOPs, ours | keras-flops |
| --- | ---: | ---: | ---: | ---: | ---: | ---: |
"""

TOOLS = (
    ("tool", "reads", "its figure", "what it can't give"),
    ("---", "---", "---", "---"),
    (
        "tfprof-report",
        "a file: graph, SavedModel, trace",
        "FLOPs of all ops, and MACs",
        "PyTorch models; FLOPs that depend on the data, which it calls unknown",
    ),
    (
        "keras-flops",
        "a Keras model in the program",
        "FLOPs, by TensorFlow's formulas",
        "MACs, parameters; ops without a formula count 0",
    ),
    (
        "fvcore",
        "a PyTorch model and an input",
        "MACs of what has a handle, by operator and by module; two per element of a batch normalisation",
        "most elementwise ops; it lists what it did not count",
    ),
    (
        "torchinfo",
        "a PyTorch model and an input",
        "multiply-adds by module, biases included; parameters, sizes",
        "what is done outside of modules",
    ),
    (
        "XProf",
        "a trace of a run",
        "time, and on accelerators FLOPs of XLA's cost model",
        "FLOPs of a model that did not run, or ran on a CPU ([xprof.md](xprof.md))",
    ),
)

KERAS_FLOPS = """
keras-flops does not run with these versions:

* `import keras_flops` ends with `{first}`: TensorFlow has a formula for that op by now;
* without this rule, `get_flops` ends with `{second}`: the shape of an input is a tuple in Keras 3.

Its figures above are those of its method: the model is frozen at batch 1 and counted by `tf.compat.v1.profiler`, with
its other two rules (`FusedBatchNormV3`, `Max`) registered. `--rules tfprof` gives the same figure of the frozen graph.

## Why they differ

Each difference, and what it is made of. With keras-flops it is to twice the MACs, with the others to the MACs.

| model | tool | difference | made of |
| --- | --- | ---: | --- |
"""

OURS = """
Our FLOPs beyond twice the MACs, by class ([flops.md](flops.md) has what each class counts):

| model | beyond | made of |
| --- | ---: | --- |
"""

PARAMETERS = """
## Parameters

| model | ours | fvcore | torchinfo | difference |
| --- | ---: | ---: | ---: | --- |
"""

END = """
Ours have kinds: those of batch normalisations that PyTorch calls buffers are `not_trainable`. keras-flops counts no
parameters, and XProf has none.
"""


def render(recorded: Mapping[str, Any], models: Sequence[Model]) -> str:
    """Return the page.

    Raises
    ------
    ValueError
        A difference is not the sum of what explains it.
    """
    versions, ours = recorded["versions"], [(model, model.count(BASE)) for model in models]
    words = textwrap.fill(", ".join(f"{name} {version}" for name, version in versions.items()), 120)
    first, second = recorded["errors"]
    return "".join(
        [
            INTRO.format(date=recorded["date"], versions=words, tools="".join(_row(*cells) for cells in TOOLS)),
            *(_figures(model, count, recorded["models"][model.name]) for model, count in ours),
            KERAS_FLOPS.format(first=first, second=second),
            *(row for model, count in ours for row in _differences(model, count, recorded["models"][model.name])),
            OURS,
            *(
                _row(model.label, f"{_float_ops(count) - 2 * count.macs:+,}", _words(_beyond(count)))
                for model, count in ours
            ),
            PARAMETERS,
            *(_params(model, count, recorded["models"][model.name]) for model, count in ours),
            END,
        ]
    )


def _figures(model: Model, ours: Counted, others: Mapping[str, Any]) -> str:
    return _row(
        model.label,
        ours.macs,
        others["fvcore"]["flops"],
        others["torchinfo"]["mult_adds"],
        2 * ours.macs,
        _float_ops(ours),
        others["keras_flops"]["flops"],
    )


def _differences(model: Model, ours: Counted, others: Mapping[str, Any]) -> Iterator[str]:
    fvcore, keras_flops = others["fvcore"], others["keras_flops"]
    for tool, found, wanted, parts in (
        ("fvcore", fvcore["flops"], ours.macs, _parts("fvcore", model.name, fvcore["by_operator"], ours.macs)),
        ("torchinfo", others["torchinfo"]["mult_adds"], ours.macs, TORCHINFO[model.name]),
        (
            "keras-flops",
            keras_flops["flops"],
            2 * ours.macs,
            _parts("keras_flops", model.name, keras_flops["by_op"], 2 * ours.macs),
        ),
    ):
        _check(f"{model.label} by {tool}", found - wanted, parts)
        yield _row(model.label, tool, f"{found - wanted:+,}", _words(parts))


def _parts(tool: str, model: str, counts: Mapping[str, int], wanted: int) -> Parts:
    """Return what a tool counts beyond the multiply-adds of a model, by its own names, and what of these it lacks."""
    lacks = sum(counts.get(name, 0) for name in CONTRACTIONS[tool]) - wanted
    if bool(lacks) != (model in NOT_COUNTED[tool]):
        raise ValueError(f"{model} by {tool}: contractions differ by {lacks:,}, which the page does not explain")
    rest = sorted(
        ((found, f"`{name}`") for name, found in counts.items() if name not in CONTRACTIONS[tool]), reverse=True
    )
    return [*([(lacks, NOT_COUNTED[tool][model])] if lacks else []), *rest]


def _beyond(ours: Counted) -> Parts:
    totals = ((ours.total(kind), str(kind)) for kind in ours.float_ops)
    return [(more, kind) for more, kind in sorted(totals, reverse=True) if more and kind != "contraction"]


def _params(model: Model, ours: Counted, others: Mapping[str, Any]) -> str:
    fvcore, torchinfo = (others[tool]["params"] for tool in ("fvcore", "torchinfo"))
    for tool, found in (("fvcore", fvcore), ("torchinfo", torchinfo)):
        _check(f"parameters of {model.label} by {tool}", found - ours.params, PARAMS[model.name])
    return _row(model.label, ours.params, fvcore, torchinfo, _words(PARAMS[model.name]))


def _check(what: str, difference: int, parts: Parts) -> None:
    explained = sum(amount for amount, _ in parts)
    if difference != explained:
        raise ValueError(f"{what}: the difference is {difference:,}, and the page explains {explained:,}")


def _float_ops(counted: Counted) -> int:
    return sum(found.total() for found in counted.float_ops.values())


def _words(parts: Parts) -> str:
    return "; ".join(f"{amount:+,} {what}" for amount, what in parts) or "none"


def _row(*cells: str | int) -> str:
    return f"| {' | '.join(f'{cell:,}' if isinstance(cell, int) else cell for cell in cells)} |\n"


def record(tf_python: str, torch_python: str) -> None:
    """Count with the other tools, and record what they count."""
    scripts = ((tf_python, "keras_counts.py"), (torch_python, "torch_counts.py"))
    keras, torch = (
        json.loads(subprocess.run([python, str(ROOT / "ci" / name)], check=True, capture_output=True).stdout)
        for python, name in scripts
    )
    found = {
        "date": dt.datetime.now(tz=dt.UTC).date().isoformat(),
        "versions": keras["versions"] | torch["versions"],
        "errors": keras["errors"],
        "models": {name: counts | keras["models"][name] for name, counts in torch["models"].items()},
    }
    RECORDED.write_text(json.dumps(found, indent=1, sort_keys=True) + "\n")


def compared(folder: Path, recorded: Mapping[str, Any]) -> list[Model]:
    """Return the models of the comparison, in the order of docs/flops.md, with their exports unpacked into a folder."""
    unpack(folder)
    models, _ = open_models(folder)
    return [model for model in models if model.name in recorded["models"]]


def main() -> None:
    """Count if interpreters are given, and write the page."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tf-python", metavar="PYTHON", help="an interpreter that has tensorflow-cpu and keras-flops")
    parser.add_argument(
        "--torch-python", metavar="PYTHON", help="one that has torch, torchvision, fvcore and torchinfo"
    )
    arguments = parser.parse_args()
    if bool(arguments.tf_python) != bool(arguments.torch_python):
        parser.error("give both interpreters, or neither")
    if arguments.tf_python:
        record(arguments.tf_python, arguments.torch_python)
    recorded = json.loads(RECORDED.read_text())
    with tempfile.TemporaryDirectory() as name:
        TARGET.write_text(render(recorded, compared(Path(name), recorded)), encoding="utf-8")


if __name__ == "__main__":
    main()
