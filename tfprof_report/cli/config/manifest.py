"""Reads a manifest of a batch: entries in TOML, with defaults, and tables of parameters that multiply."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import field, replace
from functools import cache
from itertools import product
from math import prod
from typing import Any

from tfprof_report.cli.config.file import NO_FILE
from tfprof_report.cli.config.keys import as_given, key_of, placed, spelt
from tfprof_report.cli.config.mismatch import first_mismatch, twice_spelt
from tfprof_report.cli.config.schema import table_schema, value_schema
from tfprof_report.cli.params.declare import PATHS, Param, params_of
from tfprof_report.cli.params.model_options import FILES
from tfprof_report.cli.params.report_options import ReportValues
from tfprof_report.errors import OptionError
from tfprof_report.ingest.files.file_bytes import STDIN
from tfprof_report.options import hint_at
from tfprof_report.record import record
from tfprof_report.toml_file import content_error, read_toml

MOST_ENTRIES = 100_000
_MOST_BYTES = 2**24
"""Most bytes of a manifest, which programs write too."""

_ENTRIES, _DEFAULTS = "entry", "defaults"
_TEXTS = ("commit", "branch", "base", "rules")
"""Keys of an entry with a text; parameters of a matrix with these names set them, not options of the same name."""

_MEANINGS = {
    _DEFAULTS: "What every entry has unless it says otherwise; tables are completed key by key.",
    _ENTRIES: "The reports to make: a table [[entry]] each.",
    "model": "Name of the model: of its folder, and in a store. Without it that of the inputs; a glob with several "
    "matches adds each match to it.",
    "inputs": "What to report on, as report takes it; or a glob. Without it, options name the files. Relative to the "
    "manifest.",
    "commit": "The measured commit.",
    "branch": "Its branch.",
    "base": "What to compare with, as --baseline.",
    "rules": 'The rules file of the entry, "none" for no file; without it --config, or the one that report finds.',
    "labels": "The user's own words, for the outcome.",
    "options": "Options of report by name; lists for those that are repeatable.",
    "matrix": "Parameters with lists of values; each combination is an entry.",
}
"""What each key means, for the reference."""

_UNNAMED = ("commit", "branch")
"""Parameters of a matrix that do not go into the name of the model: a store keeps a report of each."""

_SET_BY_BATCH = (
    *("inputs", "baseline", "model", "base_model", "out", "jobs", "commit", "branch", "config", "explain"),
    *("summary", "comment", "junit", "openmetrics", "annotations", "only_if_changed", "no_account_displayed_op_only"),
)
"""Options of `report` that no entry has: the batch sets them, or all entries would write one file."""

_PLACEHOLDER = re.compile(r"\{(\w+)\}")
_NOT_IN_NAMES = re.compile(r"[^\w.-]+")


@record
class Draft:
    """An entry as the user wrote it; `source` may be a glob.

    where : what it is called in errors
    file : the manifest, None for an entry of the command line
    suffix : what the parameters of its matrix add to the name of the model
    options : options of `report` by name, with the values that the command line would have
    """

    where: str
    source: str | None
    file: str | None = None
    model: str | None = None
    suffix: str = ""
    commit: str | None = None
    branch: str | None = None
    base: str | None = None
    rules: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)

    def wrong(self, problem: str, advice: str | None = None) -> OptionError:
        """Return the error that says what is wrong with the entry."""
        if self.file is None:
            return OptionError(f"{self.where}: {problem}", advice=advice)
        return OptionError(f"{self.where}: {problem}", file=self.file, advice=advice)


@cache
def report_params() -> dict[str, Param]:
    """Return the options of `report` that an entry may have, by name."""
    return {param.name: param for param in params_of(ReportValues) if param.name not in _SET_BY_BATCH}


def read_manifest(path: str) -> list[Draft]:
    """Return the entries of a manifest, completed by its defaults, multiplied by their matrix, with paths as from here.

    Raises
    ------
    OptionError
        The file cannot be read, is not TOML, has unknown keys or wrong values, or its entries are too many.
    """
    document = read_toml(path, None, _MOST_BYTES)
    _check(document, path)
    folder = os.path.dirname(path)  # noqa: PTH120 (a Path of "" is ".")
    defaults = document.get(_DEFAULTS, {})
    drafts: list[Draft] = []
    for number, entry in enumerate(document[_ENTRIES], 1):
        table = _completed(entry, defaults)
        where = f"entry {number}"
        matrix = {spelt(name): values for name, values in table.get("matrix", {}).items()}
        count = prod(len(values) for values in matrix.values())
        if len(drafts) + count > MOST_ENTRIES:
            words = f"{where}: its matrix makes {count:,} entries, which are more than {MOST_ENTRIES:,} in all"
            raise OptionError(words, file=path, advice="split the manifest")
        combinations = (dict(zip(matrix, chosen, strict=True)) for chosen in product(*matrix.values()))
        drafts += [_draft(table, chosen, where, path, folder) for chosen in combinations]
    return drafts


def _check(document: Mapping[str, Any], path: str) -> None:
    wrong = first_mismatch(manifest_schema(), document, "", {})
    if not wrong and not document.get(_ENTRIES):
        wrong = "has no entries; write [[entry]] and below it inputs = FOLDER"
    for number, entry in enumerate([] if wrong else document[_ENTRIES], 1):
        wrong = wrong or twice_spelt(entry.get("options", {}), f"entry {number}.options.")
    if wrong:
        raise content_error(wrong, path, None)


@cache
def manifest_schema() -> dict[str, Any]:
    """Return the JSON Schema of a manifest."""
    options = {name: value_schema(key_of(param)) for name, param in report_params().items()}
    scalar = {"type": ["string", "integer", "number", "boolean"]}
    shared = {
        **{name: _text(name) for name in _TEXTS},
        "labels": {
            "description": _MEANINGS["labels"],
            "type": "object",
            "additionalProperties": {"type": "string"},
        },
        "options": _options(options),
    }
    entry = {
        "model": _text("model"),
        "inputs": _text("inputs"),
        **shared,
        "matrix": {
            "description": _MEANINGS["matrix"],
            "type": "object",
            "additionalProperties": {"type": "array", "items": scalar},
        },
    }
    tables = {
        _DEFAULTS: {
            "description": _MEANINGS[_DEFAULTS],
            "type": "object",
            "properties": shared,
            "additionalProperties": False,
        },
        _ENTRIES: {
            "description": _MEANINGS[_ENTRIES],
            "type": "array",
            "items": {"type": "object", "properties": entry, "additionalProperties": False},
        },
    }
    return {"type": "object", "properties": tables, "additionalProperties": False}


def _text(name: str) -> dict[str, Any]:
    return {"description": _MEANINGS[name], "type": "string", "minLength": 1}


def _options(options: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of a table of options, which may be spelt with dashes."""
    table = table_schema(_MEANINGS["options"], options, "")
    dashes = {f"^{name.replace('_', '-')}$": value for name, value in options.items() if "_" in name}
    return {**table, "patternProperties": dashes}


def _completed(entry: Mapping[str, Any], defaults: Mapping[str, Any]) -> dict[str, Any]:
    """Return an entry with the defaults for what it does not set; tables are completed key by key."""
    found = {**defaults, **entry}
    for name in ("labels", "options"):
        spell = spelt if name == "options" else str  # labels are the user's own words
        found[name] = {spell(key): value for table in (defaults, entry) for key, value in table.get(name, {}).items()}
    return found


def _draft(table: Mapping[str, Any], chosen: Mapping[str, Any], where: str, path: str, folder: str) -> Draft:
    """Return the entry with the values of its matrix that were chosen."""
    params = report_params()
    words = {name: _word(value) for name, value in chosen.items()}
    used: set[str] = set()

    def filled(text: str | None, *, is_path: bool = False) -> str | None:
        if text is None:
            return None
        used.update(name for name in _PLACEHOLDER.findall(text) if name in words)
        text = _PLACEHOLDER.sub(lambda found: words.get(found[1], found[0]), text)
        if is_path and text == STDIN:
            raise OptionError(f"{where}: standard input (-) has no place in a batch", file=path, advice="name a file")
        return placed(text, folder) if is_path else text

    _check_values(chosen, where, path)
    named = {name: words.get(name, table.get(name)) for name in _TEXTS}
    given = {**table["options"], **{name: value for name, value in chosen.items() if name in params.keys() - _TEXTS}}
    options = {name: as_given(_each(filled, value), key_of(params[name]), folder) for name, value in given.items()}
    draft = Draft(
        where=where,
        file=path,
        source=filled(table.get("inputs"), is_path=True),
        model=filled(table.get("model")),
        commit=filled(named["commit"]),
        branch=filled(named["branch"]),
        base=filled(named["base"], is_path=True),
        rules=filled(named["rules"], is_path=named["rules"] != NO_FILE),
        labels={name: filled(text) or "" for name, text in table["labels"].items()},
        options=options,
    )
    _check_used(draft, chosen, used)
    in_model = set(_PLACEHOLDER.findall(table.get("model", "")))
    parts = [f"-{name}-{_in_name(words[name])}" for name in words if name not in _UNNAMED and name not in in_model]
    return replace(draft, suffix="".join(parts))


def _check_values(chosen: Mapping[str, Any], where: str, path: str) -> None:
    """Refuse values of a matrix that the option of that name cannot have."""
    for name in (chosen.keys() & report_params().keys()) - set(_TEXTS):
        schema = {"properties": {name: value_schema(key_of(report_params()[name]))}}
        if wrong := first_mismatch(schema, {name: chosen[name]}, f"{where}.matrix.", {}):
            raise content_error(wrong, path, None)


def _check_used(draft: Draft, chosen: Mapping[str, Any], used: set[str]) -> None:
    """Refuse parameters that change nothing, and an entry without inputs."""
    known = (*report_params(), *_TEXTS)
    for name in chosen:
        if name not in used and name not in known:
            hint = hint_at(name, known)
            advice = hint if hint.endswith("?") else f"write {{{name}}} in inputs or model"
            raise draft.wrong(f"matrix.{name} is no option of report, and nothing has {{{name}}}", advice)
    if draft.source is None and draft.options.keys().isdisjoint(FILES):
        raise draft.wrong("has no inputs", "write inputs = FOLDER")


def _each(change: Callable[[str], str | None], value: Any) -> Any:
    """Return a value with its texts changed."""
    if isinstance(value, list):
        return [_each(change, each) for each in value]
    return change(value) if isinstance(value, str) else value


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _in_name(word: str) -> str:
    return _NOT_IN_NAMES.sub("-", word).strip("-.")


def option_words(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the words of a command line that set options of `report`, by name, to the values that it has for them."""
    for name, value in options.items():
        positive, _, negative = report_params()[name].spelling.partition("/")
        if isinstance(value, bool):
            if value or negative:
                yield positive if value else negative
            continue
        for each in value if isinstance(value, list) else [value]:
            yield f"{positive}={each}"


def named_paths(options: Mapping[str, Any]) -> Iterator[str]:
    """Yield the files that options name, other than those of the inputs."""
    for name, value in options.items():
        param = report_params()[name]
        if param.words.metavar in PATHS and not param.path.startswith(("head.", "base.")):
            yield from value if isinstance(value, list) else [value]
