"""Change the files of a report folder or of a store of them; at times so that the digests fit again."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from fuzz.mutate import break_bytes, break_json
from fuzz.values import FLOATS, INTS, NAMES

_ENTRIES = (
    "x",
    "abc_20240101T000000Z_0123456789abcdef",
    "abc_99991231T235959Z_0123456789abcdef",
    "abc_99999999T999999Z_0123456789abcdef",
    "_" * 50,
)
"""Names of entries of a store, right and wrong."""


def tamper(random: Random, folder: Path) -> None:
    """Change what `folder`, a report or a store, holds: a file, an entry, or tables and JSON with digests that fit."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    if not files:
        return
    if random.random() < 0.5:
        for _ in range(random.choice([1, 2])):
            _change_file(random, folder, random.choice(files))
        return
    for summary in (path for path in files if path.name == "summary.json"):
        _change_report(random, summary)
        if summary.parent != folder:  # an entry of a store, whose name ends with the digest of its summary
            digest = hashlib.sha256(summary.read_bytes()).hexdigest()[:16]
            summary.parent.rename(summary.parent.with_name(summary.parent.name[:-16] + digest))


def _change_file(random: Random, folder: Path, file: Path) -> None:
    if not file.is_file():  # changed before
        return
    kind = random.random()
    if kind < 0.3:
        file.unlink()
        if kind < 0.1:
            file.mkdir()
        elif kind < 0.2:
            file.symlink_to(random.choice(["nowhere", "/etc/hostname", ".."]))
    elif kind < 0.45 and file.parent != folder:
        target = file.parent.with_name(random.choice(_ENTRIES))
        if not target.exists():
            file.parent.rename(target)
    else:
        file.write_bytes(break_bytes(random, file.read_bytes()))


def _change_report(random: Random, summary: Path) -> None:
    """Change a table, the verdict or the summary of a report, and write digests that fit."""
    content = json.loads(summary.read_bytes())
    verdict = summary.with_name("verdict.json")
    tables = sorted(path for path in summary.parent.glob("*.parquet") if path.is_file())
    kind = random.random()
    if kind < 0.5 and tables:
        table = random.choice(tables)
        pq.write_table(_changed(random, pq.read_table(table, use_threads=False)), table)
    elif kind < 0.75 and verdict.is_file():
        verdict.write_bytes(_json(break_json(random, json.loads(verdict.read_bytes()))))
    else:
        content = break_json(random, content)
    if isinstance(content, dict) and isinstance(content.get("files"), dict):
        for name in content["files"]:
            file = summary.parent / name
            if file.is_file():
                data = file.read_bytes()
                content["files"][name] = {"sha256": hashlib.sha256(data).hexdigest(), "bytes": len(data)}
    summary.write_bytes(_json(content))


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _changed(random: Random, table: pa.Table) -> pa.Table:
    """Return a table without a column, with other rows, or with a column of other values or of another type."""
    place = random.randrange(table.num_columns)
    field, rows, kind = table.schema.field(place), table.num_rows, random.random()
    if kind < 0.15:
        return table.drop_columns([field.name])
    if kind < 0.3:
        return table.slice(0, random.choice([0, 1]))
    if kind < 0.4:
        return pa.concat_tables([table, table])
    if kind < 0.5:
        return table.set_column(place, field, pa.nulls(rows, field.type))
    if kind < 0.6:
        return table.set_column(place, field.name, pa.array([random.choice(["x", "", None])] * rows, pa.string()))
    return _with_odd_values(random, table, place)


def _with_odd_values(random: Random, table: pa.Table, place: int) -> pa.Table:
    field, rows = table.schema.field(place), table.num_rows
    if pa.types.is_integer(field.type):
        bits = field.type.bit_width
        numbers = [number for number in INTS if -(2 ** (bits - 1)) <= number < 2 ** (bits - 1)]
        return table.set_column(place, field, pa.array(random.choices(numbers, k=rows), pa.int64()).cast(field.type))
    if pa.types.is_floating(field.type):
        return table.set_column(place, field, pa.array(random.choices(FLOATS, k=rows), field.type))
    if pa.types.is_string(field.type):
        return table.set_column(place, field, pa.array(random.choices(NAMES, k=rows), field.type))
    return table.set_column(place, field.name, pa.array(random.choices(INTS, k=rows), pa.int64()))
