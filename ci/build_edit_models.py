"""Build the pairs of graphs of ``tests/data/edits`` with TensorFlow, and write what changed between them.

    python ci/build_edit_models.py tests/data/edits [EDIT ...]

Each edit is a folder of ``base.pb.gz``, ``head.pb.gz`` (a GraphDef each) and ``truth.json``; the README.md there
says what is in it.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import random
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from truth import cnn_edits, graph_edits, record, text_edits
from truth.edit import Edit

EDITS = {**cnn_edits.edits(), **text_edits.edits(), **graph_edits.edits()}
SIDES = ("base", "head")


def build(name: str, side: str) -> tuple[bytes, dict[str, int | None], str]:
    """Return a side's GraphDef, its figures and its kind; run in a process of its own."""
    random.seed(0)
    built = getattr(EDITS[name], side)()
    return record.emptied(built.graph).SerializeToString(deterministic=True), asdict(built.figures), built.kind


def truth_of(name: str, edit: Edit, figures: list[dict[str, int | None]], kind: str) -> dict[str, Any]:
    """Return what is true of an edit."""
    both = {each: dict(zip(SIDES, (side[each] for side in figures), strict=True)) for each in figures[0]}
    if kind in {"infer", "frozen"}:
        del both["step_flops"]
    for each in both.values():
        base, head = each["base"], each["head"]
        each["change"] = None if base is None or head is None else head - base
    return {
        "name": name,
        "kind": kind,
        "sentence": edit.sentence,
        "causes": [each.facts() for each in edit.causes],
        "follows": edit.follows,
        "renamed": dict(edit.renamed),
        "figures": both,
    }


def main(folder: Path, names: list[str]) -> None:
    """Write the chosen edits, all by default."""
    with multiprocessing.get_context("fork").Pool(1, maxtasksperchild=1) as pool:
        for name in names or EDITS:
            built = [pool.apply(build, (name, side)) for side in SIDES]
            (folder / name).mkdir(parents=True, exist_ok=True)
            for side, (data, _, _) in zip(SIDES, built, strict=True):
                (folder / name / f"{side}.pb.gz").write_bytes(gzip.compress(data, mtime=0))
            truth = truth_of(name, EDITS[name], [figures for _, figures, _ in built], built[0][2])
            (folder / name / "truth.json").write_text(json.dumps(truth, indent=1) + "\n")


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
