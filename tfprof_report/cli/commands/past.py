"""The reports of earlier commits that the drift gates of a command need: the options --store to --store-model."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from tfprof_report.cli.params.report_options import DriftValues
from tfprof_report.compare.gates.policy import Gate, Policy
from tfprof_report.errors import BaselineError, OptionError
from tfprof_report.ingest.files.file_bytes import read_bytes
from tfprof_report.report.models import name_problem
from tfprof_report.report.starts import Past, start_of, written
from tfprof_report.report.store.commits import parse_commits
from tfprof_report.report.store.place import open_place, refused
from tfprof_report.report.tags import parse_tags

_LIST = "write it with git rev-list --timestamp HEAD"


def past_of_one(values: DriftValues, policy: Policy, label: str | None) -> Past | None:
    """Return where the reports of earlier commits of a model are; None if there is no store and no gate needs one.

    Raises
    ------
    OptionError
        An option that they need is missing, or what one of them names is not in the lists.
    InputError, BaselineError
        A list, or the store, cannot be read.
    """
    gates = _needing(policy)
    if not gates and values.store is None:
        return None
    name = label if values.store_model is None else values.store_model
    past = _past(values, gates)
    if name is None:
        raise OptionError(
            "the model has no name by which to find it in the store",
            option=_asks(gates),
            advice="give --store-model NAME or --label NAME",
        )
    if problem := name_problem(name):
        option = "--label" if values.store_model is None else "--store-model"
        raise OptionError(problem, option=f'{option} "{name}"', advice="give --store-model NAME, as in the store")
    return replace(past, model=name)


def past_of_several(values: DriftValues, policies: Mapping[str, Policy]) -> dict[str, Past]:
    """Return the same for each of several models; errors are those of `past_of_one`."""
    if values.store_model is not None:
        problem, advice = "names one model, --model names several", "leave it out: each has its own name there"
        raise OptionError(problem, option="--store-model", advice=advice)
    needing = {name: _needing(policy) for name, policy in policies.items()}
    if values.store is None:
        needing = {name: gates for name, gates in needing.items() if gates}
    if not needing:
        return {}
    past = _past(values, [gate for gates in needing.values() for gate in gates])
    return {name: replace(past, model=name) for name in needing}


def _needing(policy: Policy) -> list[Gate]:
    """Return the drift gates whose report is in a store."""
    return [gate for gate in policy.gates if gate.reference and not gate.reference.folder]


def _asks(gates: list[Gate]) -> str:
    """Return what asks for reports of earlier commits: a gate, else the store."""
    return written(gates[0]) if gates else "--store"


def _past(values: DriftValues, gates: list[Gate]) -> Past:
    """Return the store and the lists, with no model yet."""
    option = _asks(gates)
    if values.store is None:
        problem = "the report that it is relative to is in a store, and none is named"
        raise OptionError(problem, option=option, advice="give --store STORE and --ancestors FILE")
    if values.ancestors is None:
        problem = "the commits that lead to this report are not known"
        raise OptionError(problem, option=option, advice=f"give --ancestors FILE; {_LIST}")
    commits = parse_commits(read_bytes(values.ancestors, option="--ancestors"), values.ancestors)
    tags = None if values.tags is None else parse_tags(read_bytes(values.tags, option="--tags"), values.tags)
    for gate in gates:
        start_of(gate, commits, tags)
    with refused(values.store, BaselineError, "read"):
        place = open_place(values.store)
    return Past(place=place, model="", commits=commits, tags=tags)
