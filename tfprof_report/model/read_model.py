"""From the files of a model to its node table, as a measurement says: what every command begins with."""

from __future__ import annotations

from collections.abc import Callable

from tfprof_report.ingest.origin import InputFile
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.ingest.read import Inputs, read_inputs
from tfprof_report.model.build_table import build_node_table
from tfprof_report.model.flops.node_flops import RuleUse
from tfprof_report.model.measurement import AS_TFPROF, Measurement
from tfprof_report.model.node_table import NodeTable
from tfprof_report.model.shapes.resolve import ShapeUse
from tfprof_report.vocabulary import FlopsRules

Progress = Callable[[str], None]


def read_model(
    paths: InputPaths, progress: Progress, measurement: Measurement = AS_TFPROF
) -> tuple[NodeTable, tuple[InputFile, ...]]:
    """Read the inputs of one model; return its node table, with nothing left out, and the files read.

    FLOPs are counted with shapes completed from run metadata. Attributes have no digests, which only reports use.
    """
    inputs = read_inputs(paths, progress=lambda path: progress(f"reading {path}"), digests=False)
    progress("joining nodes")
    counting, semantics = measurement.counting, measurement.semantics
    use = counting.use(semantics, fill_shapes=not counting.infers_shapes)
    as_tensorflow = ShapeUse.IMPORT if counting.rules == FlopsRules.TFPROF else ShapeUse.NOTHING
    shapes = ShapeUse.RULES if counting.infers_shapes else as_tensorflow
    table = build_measured(inputs, use, measurement, shapes)
    return table, inputs.files


def reading_steps(paths: InputPaths) -> int:
    """Return how many steps `read_model` has: each file, and joining them."""
    return paths.count + 1


def build_measured(inputs: Inputs, use: RuleUse | None, measurement: Measurement, shapes: ShapeUse) -> NodeTable:
    """Return the node table of inputs, with nothing left out, counted by `use` and otherwise as `measurement` says."""
    return build_node_table(
        inputs,
        use,
        measurement.semantics,
        measurement.functions,
        shapes=shapes,
        batch=measurement.batch,
        outputs=measurement.leave_out.outputs,
    )
