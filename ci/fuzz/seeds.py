"""The valid inputs that are broken: files of tests/data, and rules files of every kind."""

from __future__ import annotations

import gzip
from dataclasses import dataclass
from pathlib import Path

_LARGEST = 600_000
"""Bytes of the largest graph that is taken: a fuzzer needs many small cases."""


@dataclass(frozen=True, slots=True)
class Model:
    """The serialized messages of a model."""

    graph: bytes
    run_meta: tuple[bytes, ...] = ()
    op_log: bytes | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seeds:
    """Valid inputs by kind. A checkpoint is its files, by the end of their names; `texts` are in text format."""

    models: tuple[Model, ...]
    profiles: tuple[bytes, ...]
    saved_models: tuple[bytes, ...]
    meta_graphs: tuple[bytes, ...]
    texts: tuple[bytes, ...]
    checkpoints: tuple[dict[str, bytes], ...]
    op_shapes: bytes
    traces: tuple[bytes, ...]


def load_seeds(data: Path) -> Seeds:
    """Return the seeds from the data of the tests."""
    kinds = data / "kinds"
    with_runs = [
        Model(
            _unpacked(kinds / "graph.pb.gz"),
            (_unpacked(kinds / "run_meta.gz"),),
            _unpacked(kinds / "op_log_with_traces.gz"),
        ),
        Model(_unpacked(kinds / "graph_gpu.pb.gz"), (_unpacked(kinds / "run_meta_gpu.gz"),) * 2),
        *(
            Model(_unpacked(run.with_name(run.name.replace(".run.", "."))), (_unpacked(run),))
            for run in sorted((*data.glob("functions/*.run.pb.gz"), *data.glob("flops/*.run.pb.gz")))
        ),
    ]
    graphs = ["kinds/graph_with_library", "functions/nested", "functions/saved_bare"]
    graphs += sorted(f"params/{path.name.removesuffix('.pb.gz')}" for path in data.glob("params/*[!l].pb.gz"))
    models = [*with_runs, *(Model(_unpacked(data / f"{name}.pb.gz")) for name in graphs)]
    saved = ("kinds/saved_model", "functions/saved", "params/v2_saved_model")
    return Seeds(
        models=tuple(model for model in models if len(model.graph) < _LARGEST),
        profiles=(_unpacked(kinds / "profile.gz"), _unpacked(data / "functions/gradients_v1.profile.gz")),
        saved_models=tuple(_unpacked(data / f"{name}.pb.gz") for name in saved),
        meta_graphs=(_unpacked(kinds / "checkpoint.meta.gz"),),
        texts=(_unpacked(kinds / "graph.pbtxt.gz"), _unpacked(kinds / "run_meta.pbtxt.gz")),
        traces=tuple(
            _unpacked(data / f"xplane/{name}/xplane.pb.gz")
            for name in ("train_memory", "made_gpu", "jax_scan", "loops", "xla", "keras_predict")
        ),
        checkpoints=tuple(_checkpoint(data / "checkpoints", name) for name in ("dtypes", "sharded")),
        op_shapes=_unpacked(data / "op_shapes/graph.pb.gz"),
    )


def _unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def _checkpoint(folder: Path, name: str) -> dict[str, bytes]:
    files = (path for path in sorted(folder.glob(f"{name}.*")) if path.suffix != ".json")
    return {path.name.removeprefix(f"{name}."): path.read_bytes() for path in files}


RULES = b"""#:schema ./rules-file.schema.json
max_unmatched = "20%"
threshold = "0.1%"
gates = [
  "params <= 25M",
  { gate = "float_ops <= +1%", scope = "**" },
  { gate = "params == +0", node = "*/**", optional = true },
  { gate = "micros <= +5%", op = "Conv2D", level = "inform" },
]
[options]
leave_out = ["savers", "summaries"]
select = ["params", "float_ops", "bytes"]
max_depth = 5
[output]
label = "encoder"
[baseline]
missing = "warn"
max_age = "30d"
"""
MODELS_RULES = b"""[models.encoder]
inputs = "M"
gates = ["params <= +1%"]
[models."a b"]
inputs = "B"
[options]
order_by = "params"
"""
ACKNOWLEDGED = b"""[[acknowledged]]
node = "**"
metric = "params"
value = "1.2M"
reason = "conv4 is 80 channels wide now"
expires = 2099-01-31
"""
FLOPS_RULES = b"""[MatMul]
class = "contraction"
float_ops = "2 * batch * k * units"
on_top = "size(out)"
shapes = { in0 = ["batch", "k"], in1 = ["k", "units"] }
[Const]
class = "elementwise"
float_ops = "size(out) // 2 + max(1, rank(out)) ** 2"
"""
NAME_MAP = b"""[nodes]
"a" = "b"
"gone" = ""
[prefixes]
"model/" = "net/"
"x/" = "y/"
"""
