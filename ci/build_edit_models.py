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
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from truth import cnn_edits, graph_edits, record, text_edits
from truth.edit import Edit
from truth.net import Side

EDITS = {**cnn_edits.edits(), **text_edits.edits(), **graph_edits.edits()}
SIDES = ("base", "head")


def build(edit: Edit, side: str, results: Any) -> None:
    """Send a side's GraphDef, and the side without it."""
    random.seed(0)
    built = getattr(edit, side)()
    data = record.emptied(built.graph).SerializeToString(deterministic=True)
    results.send((data, replace(built, graph=None)))


def built_alone(edit: Edit, side: str) -> tuple[bytes, Side]:
    """Return what `build` sends from a process of its own, where the numbers in names start anew."""
    processes = multiprocessing.get_context("fork")
    results, sender = processes.Pipe(duplex=False)
    process = processes.Process(target=build, args=(edit, side, sender))
    process.start()
    sender.close()
    try:
        found: tuple[bytes, Side] = results.recv()
    except EOFError:
        raise SystemExit(f"{edit.sentence} ({side}): the graph could not be built") from None
    process.join()
    return found


def truth_of(name: str, edit: Edit, sides: list[Side]) -> dict[str, Any]:
    """Return what is true of an edit."""
    figures: dict[str, dict[str, int | None]] = {}
    for each in asdict(sides[0].figures):
        base, head = (getattr(side.figures, each) for side in sides)
        figures[each] = {"base": base, "head": head, "change": None if None in {base, head} else head - base}
    if sides[0].kind in {"infer", "frozen"}:
        del figures["step_flops"]
    return {
        "name": name,
        "kind": sides[0].kind,
        "sentence": edit.sentence,
        "causes": [each.facts() for each in edit.causes],
        "follows": edit.follows,
        "renamed": dict(edit.renamed),
        "figures": figures,
        "scopes": {name: side.scopes for name, side in zip(SIDES, sides, strict=True)},
    }


def text_of(truth: dict[str, Any]) -> str:
    """Return the truth as JSON with a line for each fact and for each cause."""
    parts = []
    for name, value in truth.items():
        text = json.dumps(value)
        if isinstance(value, list) and value and isinstance(value[0], dict):
            text = "[\n" + ",\n".join(f"  {json.dumps(each)}" for each in value) + "\n ]"
        parts.append(f" {json.dumps(name)}: {text}")
    return "{\n" + ",\n".join(parts) + "\n}\n"


def main(folder: Path, names: list[str], edits: dict[str, Edit] = EDITS) -> None:
    """Write the chosen edits, all by default."""
    for name in names or edits:
        (folder / name).mkdir(parents=True, exist_ok=True)
        sides = []
        for side in SIDES:
            data, built = built_alone(edits[name], side)
            (folder / name / f"{side}.pb.gz").write_bytes(gzip.compress(data, mtime=0))
            sides.append(built)
        (folder / name / "truth.json").write_text(text_of(truth_of(name, edits[name], sides)))


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2:])
