"""The user's name map: the names that nodes and scopes of base have in head. It overrides all other matching."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from tfprof_report.arrays import Ints, to_bools, to_ints
from tfprof_report.compare.comparison import Comparison, MatchedBy, Rename
from tfprof_report.diagnostics import EXAMPLES, Diagnostic, Severity
from tfprof_report.errors import OptionError
from tfprof_report.options import hint_at
from tfprof_report.record import record
from tfprof_report.toml_file import content_error, read_toml

OPTION = "--name-map"
_NODES, _PREFIXES = "nodes", "prefixes"


@record
class NameMap:
    """The content of the file at `path`: names in base to names in head, None for a node or scope without a partner.

    prefixes : scopes, without a trailing slash; the longest one that is a prefix of a name applies to it
    """

    path: str
    nodes: dict[str, str | None]
    prefixes: dict[str, str | None]


@record
class Mapped:
    """A map applied to two sides: pairs of rows, rows of base without a partner (`apart`), and unused lines."""

    base: Ints
    head: Ints
    apart: Ints
    renames: tuple[Rename, ...] = ()
    unused: tuple[str, ...] = ()


def read_name_map(path: str) -> NameMap:
    """Return the map of a TOML file: tables ``[nodes]`` and ``[prefixes]`` of lines such as ``"model/" = "net/"``.

    Raises
    ------
    OptionError
        The file cannot be read, is not TOML, or has a value that is not a name.
    """
    content = read_toml(path, OPTION)
    for key in content:
        if key not in (_NODES, _PREFIXES):
            raise content_error(f'"{key}" is not known; {hint_at(key, (_NODES, _PREFIXES))}', path, OPTION)
    nodes, prefixes = (_lines(content.get(table, {}), table, path) for table in (_NODES, _PREFIXES))
    if not nodes and not prefixes:
        raise content_error("names nothing; add a line to [nodes] or [prefixes]", path, OPTION)
    seen: dict[str, str] = {}
    for old, new in nodes.items():
        if new is not None and seen.setdefault(new, old) != old:
            raise _duplicate(path, seen[new], old, new)
    scopes: dict[str, str | None] = {}
    for old, new in prefixes.items():
        scope = old.removesuffix("/")
        if scope in scopes:
            raise content_error(f'[{_PREFIXES}] "{scope}" appears twice, with and without a slash', path, OPTION)
        scopes[scope] = None if new is None else new.removesuffix("/")
    return NameMap(path=path, nodes=nodes, prefixes=scopes)


def _lines(table: Any, name: str, path: str) -> dict[str, str | None]:
    """Return the entries of a table, with None for `false`: no partner."""
    if not isinstance(table, dict):
        raise content_error(f'"{name}" is not a table; begin it with a line [{name}]', path, OPTION)
    for key, value in table.items():
        if isinstance(value, dict):
            problem = f'[{name}] "{key}" is a table; write names with dots in quotes'
            raise content_error(problem, path, OPTION)
        if not isinstance(value, str) and value is not False:
            raise content_error(
                f'[{name}] "{key}" is not a name in quotes; write false if it has no partner', path, OPTION
            )
    return {key: None if value is False else value for key, value in table.items()}


def apply_name_map(name_map: NameMap, base: pa.Array, head: pa.Array) -> Mapped:
    """Apply a map to the node names `base` and `head`. Where head lacks the mapped name, a node is matched as usual.

    Raises
    ------
    OptionError
        The map gives two nodes of base the same node of head.
    """
    claims = [*_node_claims(name_map, base), *_prefix_claims(name_map, base)]
    rows = np.concatenate([np.zeros(0, dtype=np.int64), *(claim.rows for claim in claims)])
    line = np.repeat(np.arange(len(claims)), [len(claim.rows) for claim in claims])
    targets = pa.concat_arrays([pa.array([], pa.string()), *(claim.targets for claim in claims)])
    head_row = to_ints(pc.fill_null(pc.index_in(targets, value_set=head), -1))
    is_apart = ~to_bools(targets.is_valid())
    is_pair = (head_row >= 0) & ~is_apart
    _check_one_to_one(name_map.path, base.take(pa.array(rows[is_pair])), targets.filter(pa.array(is_pair)))
    used = np.bincount(line[is_pair | is_apart], minlength=len(claims))
    return Mapped(
        base=rows[is_pair],
        head=head_row[is_pair],
        apart=rows[is_apart],
        renames=tuple(
            Rename(base=_slashed(claim.old), head=_slashed(claim.new), nodes=int(nodes), matched_by=MatchedBy.MAP)
            for claim, nodes in zip(claims, used, strict=True)
            if nodes and claim.is_prefix and claim.new is not None
        ),
        unused=tuple(claim.text for claim, nodes in zip(claims, used, strict=True) if not nodes),
    )


@record
class _Claim:
    """A line of the map, the rows of base that it applies to, and their names in head: NULL for no partner."""

    old: str
    new: str | None
    rows: Ints
    targets: pa.Array
    is_prefix: bool

    @property
    def text(self) -> str:
        """The line as it is found in the file."""
        return f'[{_PREFIXES}] "{_slashed(self.old)}"' if self.is_prefix else f'[{_NODES}] "{self.old}"'


def _node_claims(name_map: NameMap, names: pa.Array) -> Iterator[_Claim]:
    found = pc.index_in(pa.array(name_map.nodes, pa.string()), value_set=names).to_pylist()
    for (old, new), row in zip(name_map.nodes.items(), found, strict=True):
        rows = np.array([] if row is None else [row], dtype=np.int64)
        targets = pa.array([new] * len(rows), pa.string())
        yield _Claim(old=old, new=new, rows=rows, targets=targets, is_prefix=False)


def _prefix_claims(name_map: NameMap, names: pa.Array) -> Iterator[_Claim]:
    """Yield the lines of scopes, the longest first: each claims the nodes in its scope that are not yet claimed."""
    is_open = pc.invert(pc.is_in(names, value_set=pa.array(name_map.nodes, pa.string())))
    for old, new in sorted(name_map.prefixes.items(), key=lambda line: -len(line[0])):
        inside = pc.or_(pc.starts_with(names, f"{old}/"), pc.equal(names, old)) if old else pc.is_valid(names)
        inside = pc.and_(inside, is_open)
        is_open = pc.and_(is_open, pc.invert(inside))
        rows = np.flatnonzero(to_bools(inside))
        yield _Claim(old=old, new=new, rows=rows, targets=_moved(names.filter(inside), old, new), is_prefix=True)


def _moved(names: pa.Array, old: str, new: str | None) -> pa.Array:
    """Return names with the scope `old` replaced by `new`."""
    if new is None:
        return pa.nulls(len(names), pa.string())
    if not old:  # every name, so there is no leading slash to keep
        return pc.binary_join_element_wise(_slashed(new), names, "")
    tails = pc.utf8_slice_codeunits(names, start=len(old) if new else len(old) + 1)
    return pc.binary_join_element_wise(new, tails, "")


def _slashed(scope: str | None) -> str:
    return f"{scope}/" if scope else ""


def unused_lines(comparison: Comparison | None) -> tuple[Diagnostic, ...]:
    """Return the note on lines of the map that match no nodes, if any. Not an error: another model may need them."""
    unused = comparison.matching.unused if comparison else ()
    if not unused:
        return ()
    text = "lines of the name map match no nodes"
    found = Diagnostic(
        severity=Severity.NOTE, code="name_map", text=text, count=len(unused), examples=unused[:EXAMPLES]
    )
    return (found,)


def _check_one_to_one(path: str, old: pa.Array, new: pa.Array) -> None:
    codes = new.dictionary_encode()
    counts = np.bincount(to_ints(codes.indices), minlength=1)
    if (counts > 1).any():
        twice = int(counts.argmax())
        one, other = old.filter(pc.equal(codes.indices, twice))[:2].to_pylist()
        raise _duplicate(path, one, other, codes.dictionary[twice].as_py())


def _duplicate(path: str, one: str, other: str, name: str) -> OptionError:
    problem = f'maps both "{one}" and "{other}" of base to "{name}" in head; give each a different name'
    return content_error(problem, path, OPTION)
