"""From what the user wrote, a manifest or globs, to the entries of a batch: command lines with all that they read."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, replace
from functools import cache
from typing import Any

from tfprof_report.batch.entry import Entry
from tfprof_report.batch.need import Rate, Sized, estimate_need
from tfprof_report.batch.outcome import BATCH_JSON, BATCH_PAGE
from tfprof_report.cli.config.file import NO_FILE, OPTION, find_rules_file, read_rules_file
from tfprof_report.cli.config.make_policy import gate_of_model
from tfprof_report.cli.config.manifest import Draft, named_paths, option_words, read_manifest, report_params
from tfprof_report.cli.config.path_globs import GlobError, name_of
from tfprof_report.cli.config.url_globs import matches_of, names_many
from tfprof_report.cli.inputs import paths_from
from tfprof_report.cli.params.batch_options import BatchValues
from tfprof_report.cli.params.declare import PATHS
from tfprof_report.cli.params.model_options import InputValues
from tfprof_report.compare.gates.grammar import parse_gate
from tfprof_report.compare.gates.policy import ANY_NAME
from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.checkpoint import INDEX
from tfprof_report.ingest.files.file_bytes import STDIN
from tfprof_report.ingest.files.folders import join, with_end
from tfprof_report.ingest.paths import InputPaths
from tfprof_report.options import flag
from tfprof_report.record import record
from tfprof_report.report.models import folded, name_problem
from tfprof_report.report.unfinished import is_report_folder
from tfprof_report.schema.files import SUMMARY

_HOST_FILES = ("summary", "comment", "junit", "openmetrics")
_GATE, _STORE = "gate", "store"
_STORE_OF_RULES = "job.drift.store"


def entries_from(values: BatchValues) -> list[Entry]:
    """Return the entries of a batch, in the order in which the user named them.

    Raises
    ------
    OptionError
        The manifest is wrong, a glob cannot be used, a name cannot be that of a folder or is given twice, or a rules
        file is wrong.
    """
    drafts = [concrete for draft in _drafts(values) for concrete in _matches(draft, values.out)]
    gates = _gates(values, {draft.model or "" for draft in drafts})
    drafts = [_completed(draft, values, gates) for draft in drafts]
    names = _names(drafts)
    rules_of = cache(_read_rules)
    found = find_rules_file()
    named = zip(drafts, names, strict=True)
    return [_entry(number, draft, name, rules_of(*_rules(draft, found))) for number, (draft, name) in enumerate(named)]


def _drafts(values: BatchValues) -> list[Draft]:
    sources = values.sources or ()
    manifests = [source for source in sources if source.endswith(".toml")]
    if not manifests:
        return [Draft(where=source, source=source) for source in sources]
    if len(sources) > 1:
        advice = "give one manifest, or inputs without one"
        raise OptionError("a manifest stands alone", option=manifests[0], advice=advice)
    return read_manifest(manifests[0])


def _matches(draft: Draft, out: str | None) -> Iterator[Draft]:
    """Yield the draft with a model and inputs; of a glob one for each match."""
    source = draft.source
    if source == STDIN:
        raise draft.wrong("standard input (-) has no place in a batch", "name a file or folder")
    if source is None or not names_many(source):
        model = draft.model or (name_of(source) if source else None)
        if model is None:
            raise draft.wrong("has no name, since its files are named by options", "write model = NAME")
        yield replace(draft, model=f"{model}{draft.suffix}")
        return
    try:
        found = matches_of(source, out)
    except GlobError as error:
        problem, advice = error.args
        place = "" if draft.file is None else f"inputs = {source} "
        raise draft.wrong(f"{place}{problem}", advice) from error
    for match in found:
        model = match.name if draft.model is None else draft.model
        model += f"-{match.name}" if draft.model is not None and len(found) > 1 else ""
        yield replace(draft, model=f"{model}{draft.suffix}", source=match.path)


def _gates(values: BatchValues, models: Collection[str]) -> list[tuple[str | None, str]]:
    """Return the gates of the command line, each with the model that it is for; None for all."""
    return [gate_of_model(text, sorted(models)) for text in values.gate or ()]


def _completed(draft: Draft, values: BatchValues, of_all: Sequence[tuple[str | None, str]]) -> Draft:
    """Return the draft with what the command line says of its model and of all entries."""
    gates = [*draft.options.get(_GATE, ()), *(gate for model, gate in of_all if model in (None, draft.model))]
    _check_gates(tuple(gates), draft.file)
    options = {**draft.options, **({_GATE: gates} if gates else {})}
    return replace(
        draft,
        commit=draft.commit or values.commit,
        branch=draft.branch or values.branch,
        rules=draft.rules or values.config,
        options=options,
    )


@cache
def _check_gates(gates: tuple[str, ...], file: str | None) -> None:
    """Raise OptionError if one is no gate, before any report is begun."""
    try:
        for gate in gates:
            parse_gate(gate)
    except OptionError as error:
        if file is None:
            raise
        raise OptionError(str(error), file=file) from error


def _names(drafts: Sequence[Draft]) -> list[str]:
    """Return the name of each entry's folder: its model, or where several have that model, with its commit."""
    models: dict[str, set[str]] = {}
    for draft in drafts:
        models.setdefault(folded(draft.model or ""), set()).add(draft.commit or "")
    found: dict[str, Draft] = {}
    names = []
    for draft in drafts:
        name = draft.model or ""
        if len(models[folded(name)]) > 1 and draft.commit:
            name = f"{name}-{draft.commit}"
        problem = name_problem(name)
        if folded(name) in (BATCH_JSON, BATCH_PAGE):
            problem = "a file of the batch has this name"
        if problem:
            raise draft.wrong(f'"{name}" cannot be a name: {problem}', "write model = NAME")
        if (other := found.setdefault(folded(name), draft)) is not draft:
            advice = "give each a model or a commit of its own"
            raise draft.wrong(f"has the name {name}, as {other.where} has ({other.source})", advice)
        names.append(name)
    return names


def _entry(number: int, draft: Draft, name: str, rules: _Rules) -> Entry:
    command = [
        "report",
        *([_as_argument(draft.source)] if draft.source is not None else []),
        *(f"--commit={text}" for text in [draft.commit] if text),
        *(f"--branch={text}" for text in [draft.branch] if text),
        *(f"--baseline={path}" for path in [draft.base] if path),
        f"{OPTION}={rules.path or NO_FILE}",
        *([f"--label={draft.model}"] if _needs_name(draft, rules) else []),
        *option_words(draft.options),
    ]
    inputs, need = _inputs(draft, rules)
    return Entry(
        number=number,
        model=draft.model or "",
        name=name,
        command=tuple(command),
        commit=draft.commit,
        branch=draft.branch,
        labels=draft.labels,
        inputs=inputs,
        need_bytes=need,
    )


def _needs_name(draft: Draft, rules: _Rules) -> bool:
    """Return whether gates of named models, or reports of earlier commits, ask for a name that nothing gives."""
    has_name = any(f"job.{name}" in rules.values for name in ("names.label", "drift.store_model"))
    if has_name or not draft.options.keys().isdisjoint(("label", "store_model")):
        return False
    return rules.is_for_models or _STORE in draft.options or _STORE_OF_RULES in rules.values


def _as_argument(path: str) -> str:
    """Return a path that is no option."""
    return os.path.join(os.curdir, path) if path.startswith("-") else path  # noqa: PTH118 (a Path drops the dot)


@record
class _Rules:
    """A rules file: its path, the values that it sets by the path of the field, and the files that it names.

    is_for_models : whether a gate in it is for some models only
    """

    path: str | None
    values: Mapping[str, Any]
    files: tuple[str, ...]
    is_for_models: bool = False


def _rules(draft: Draft, found: str | None) -> tuple[str | None, str | None]:
    """Return the rules file of an entry, the one that it names or else the one that `report` finds, and the option."""
    if draft.rules is None:
        return found, None
    return (None if draft.rules == NO_FILE else draft.rules), OPTION


def _read_rules(path: str | None, option: str | None) -> _Rules:
    if path is None:
        return _Rules(path=None, values={}, files=())
    found = read_rules_file(path, option)
    if files := [flag(name) for name in _HOST_FILES if found.values.get(f"job.hosts.{name}") is not None]:
        raise OptionError(
            f"sets {files[0]}, one file that all reports of a batch would write",
            file=path,
            option=option,
            advice=f"take it out, or name another rules file with {OPTION}",
        )
    by_path = {param.path: param for param in report_params().values()}
    named = [value for at, value in found.values.items() if at in by_path and by_path[at].words.metavar in PATHS]
    is_for_models = any(gate.glob != ANY_NAME for gate in found.gates)
    return _Rules(path=path, values=found.values, files=(path, *_flat(named)), is_for_models=is_for_models)


def _flat(values: Iterable[Any]) -> Iterator[str]:
    for value in values:
        yield from value if isinstance(value, list) else [value]


def _inputs(draft: Draft, rules: _Rules) -> tuple[tuple[str, ...] | None, int | None]:
    """Return the files that the report depends on, and the memory that it needs; None for what is not known.

    With a store of earlier reports it also depends on what is in that.
    """
    try:
        head = _side(draft.options, "", draft.source, {})
        base = _side(draft.options, "base-", draft.base, rules.values)
        read = [*head.read, *base.read]
        need = estimate_need([*head.taken, *base.taken])
        others = [path for path in (*named_paths(draft.options), *rules.files) if os.path.isfile(path)]  # noqa: PTH113
    except (InputError, OSError):  # the report says what is wrong
        return None, None
    has_past = draft.options.get(_STORE) is not None or rules.values.get(_STORE_OF_RULES) is not None
    return None if has_past else tuple(dict.fromkeys([*read, *others])), need


@record
class _Side:
    """The files of a side: those whose bytes decide, and those whose size does."""

    read: tuple[str, ...] = ()
    taken: tuple[Sized, ...] = ()


def _side(options: Mapping[str, Any], side: str, source: str | None, of_rules: Mapping[str, Any]) -> _Side:
    """Return the files of a side; no files if nothing names it.

    Raises
    ------
    InputError, OSError
        They cannot be found.
    """
    group, prefix = ("base", "base_") if side else ("head", "")
    words = [each.name for each in fields(InputValues) if each.name not in ("side", "source")]
    given = {word: options[f"{prefix}{word}"] for word in words if f"{prefix}{word}" in options}
    if side and source is None and not given:
        source = of_rules.get(f"{group}.source")
        given = {word: of_rules[f"{group}.{word}"] for word in words if f"{group}.{word}" in of_rules}
    inputs = InputValues(side=side, source=source, **given)
    if source is None and not inputs.files:
        return _Side()
    if source is not None and not inputs.files and is_report_folder(source):
        return _Side(read=(join(source, SUMMARY),), taken=((Rate.REPORT, source),))
    files = tuple(_files(paths_from(inputs)))
    return _Side(read=tuple(path for _, path in files), taken=files)


def _files(paths: InputPaths) -> Iterator[Sized]:
    """Yield the files of a model; of a checkpoint the list of its variables, since values are read on demand."""
    graphs = (paths.graph, paths.profile, *(path for _, path in paths.later_graphs), paths.op_log)
    yield from ((Rate.GRAPH, path) for path in graphs if path is not None)
    yield from ((Rate.RUN_META, path) for _, path in paths.run_metas)
    yield from ((Rate.TRACE, path) for path in paths.xplanes)
    if paths.checkpoint is not None:
        yield Rate.GRAPH, with_end(paths.checkpoint, INDEX)
