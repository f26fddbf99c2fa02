"""A simulated year of a repository: its jobs are never red for another reason than a gate, and soon compare again."""

from __future__ import annotations

import hashlib
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from command import Outcome, call, write_model
from messages import graph, node

import tfprof_report.compare.side as side_module
from tfprof_report.model.flops import rule_sets
from tfprof_report.render import write
from tfprof_report.report import build_report
from tfprof_report.report import folder as folder_module
from tfprof_report.report.store import usable
from tfprof_report.schema import compatible
from tfprof_report.views import build_views

START = datetime(2024, 1, 1, tzinfo=UTC)


@dataclass
class Repository:
    """A repository whose jobs do what a recipe does: pick, report, save; a job is a commit and its history."""

    top: Path
    monkeypatch: pytest.MonkeyPatch
    now: datetime = START
    parents: dict[str, str | None] = field(default_factory=dict)
    widths: dict[str, int] = field(default_factory=dict)

    def commit(self, parent: str | None, width: int = 4) -> str:
        """Return a new commit on `parent`, whose model has a layer of this width."""
        name = hashlib.sha1(f"{len(self.parents)}".encode()).hexdigest()
        self.parents[name], self.widths[name] = parent, width
        return name

    def ancestors(self, commit: str) -> Iterator[str]:
        """Yield the ancestors of a commit, the nearest first."""
        parent = self.parents[commit]
        while parent is not None:
            yield parent
            parent = self.parents[parent]

    def rules(self, **options: str) -> None:
        """Write the rules file."""
        lines = "".join(f'{key} = "{value}"\n' for key, value in options.items())
        gates = 'gates = ["params <= +0"]'
        (self.top / "rules.toml").write_text(f'{gates}\n[baseline]\nmax_age = "14d"\n[options]\n{lines}')

    def job(self, commit: str, *, days: float = 1, saves: bool = True) -> Outcome:
        """Run the job of a commit some days later; return how its report ended."""
        self.now += timedelta(days=days)
        self.monkeypatch.setenv("SOURCE_DATE_EPOCH", str(int(self.now.timestamp())))
        listed = "".join(f"{name}\n" for name in self.ancestors(commit))
        (self.top / "ancestors").write_text(listed or f"{commit}\n")
        store, base, out, config = (self.top / name for name in ("store", "base", "out", "rules.toml"))
        warn = ("--baseline-missing", "warn", "--config", config)
        about = ("--model", "m", "--ancestors", self.top / "ancestors", "--out", base)
        picked = call("baseline", "pick", store, *about, *warn)
        assert picked.code == 0, picked
        model = self.top / f"w{self.widths[commit]}"
        outcome = call("report", model, "--baseline", base, *warn, "--commit", commit, "--out", out)
        assert outcome.code in (0, 1), (picked, outcome)  # 1: a gate failed; anything else is red for another reason
        if saves:
            assert call("baseline", "save", store, out, "--model", "m").code == 0
            assert call("baseline", "prune", store, "--keep", "50").code == 0
        return outcome


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repository:
    for width in (4, 5):
        write_model(tmp_path / f"w{width}", graph(node("fc/kernel", "VariableV2", shape=[3, width])))
    # One view and no pages: what a report looks like has no part in this.
    monkeypatch.setattr(build_views, "views_of", lambda _: ("scope",))
    for page in ("render_html", "render_markdown"):
        monkeypatch.setattr(write, page, lambda *_: "")
    repository = Repository(top=tmp_path, monkeypatch=monkeypatch)
    repository.rules()
    return repository


def word(outcome: Outcome) -> str:
    return outcome.out.splitlines()[-1].partition(":")[0]


def upgrade(monkeypatch: pytest.MonkeyPatch, *, schema: int = 0, counting: int = 0, rules: int = 0) -> None:
    """Raise versions of the tool."""
    for module in (build_report, compatible, folder_module):
        monkeypatch.setattr(module, "SCHEMA_VERSION", module.SCHEMA_VERSION + schema)
    monkeypatch.setattr(usable, "COUNTING_VERSION", usable.COUNTING_VERSION + counting)
    default = side_module.Side.__init__.__kwdefaults__
    monkeypatch.setitem(default, "counting_version", default["counting_version"] + counting)
    monkeypatch.setitem(rule_sets.VERSIONS, "extended", rule_sets.VERSIONS["extended"] + rules)


@pytest.mark.thorough
def test_a_year_is_red_for_gates_only_and_without_a_baseline_once_at_a_time(repository: Repository) -> None:
    main = repository.commit(None)
    assert word(repository.job(main)) == "NO BASELINE"  # the first run
    for step in (_gates, _options, _upgrades, _silence, _branches, _history, _store):
        main = step(repository, main)
    assert repository.now - START > timedelta(days=60)


def _gates(repository: Repository, main: str) -> str:
    main = _goes_on(repository, main, width=4)
    dropped = repository.commit(main, width=5)
    assert word(repository.job(dropped, saves=False)) == "FAILED"  # a pull request that is closed
    main = repository.commit(main, width=5)
    assert word(repository.job(main)) == "FAILED"
    return _goes_on(repository, main)  # later changes are not blamed for it


def _goes_on(repository: Repository, main: str, width: int = 5) -> str:
    """Run a commit on `main` that has a baseline; return it."""
    main = repository.commit(main, width=width)
    outcome = repository.job(main)
    assert (word(outcome), "NO BASELINE" in outcome.err) == ("OK", False)
    return main


def _starts_again(repository: Repository, main: str, days: int = 1) -> str:
    """Run a commit on `main` that has no usable baseline, and one after it, which has; return that."""
    main = repository.commit(main, width=5)
    outcome = repository.job(main, days=days)
    assert (word(outcome), outcome.err.count("NO BASELINE")) == ("NO BASELINE", 1)
    return _goes_on(repository, main)


def _options(repository: Repository, main: str) -> str:
    for options in ({"cond": "sum"}, {"cond": "sum", "batch": "8"}):
        repository.rules(**options)
        main = _starts_again(repository, main)
    return main


def _upgrades(repository: Repository, main: str) -> str:
    upgrade(repository.monkeypatch, schema=1)
    main = _goes_on(repository, main)  # the schema before is read
    for versions in ({"schema": 2}, {"schema": 1, "counting": 1}, {"rules": 1}):
        upgrade(repository.monkeypatch, **versions)
        main = _starts_again(repository, main)
    return main


def _silence(repository: Repository, main: str) -> str:
    return _starts_again(repository, main, days=30)  # older than a baseline may be


def _branches(repository: Repository, main: str) -> str:
    stable = _goes_on(repository, main)
    main = _goes_on(repository, main)
    stable = _goes_on(repository, stable, width=4)  # it shrank there
    stable = repository.commit(stable, width=5)
    assert word(repository.job(stable)) == "FAILED"
    return main


def _history(repository: Repository, main: str) -> str:
    before = repository.parents[main]
    assert before is not None
    main = _goes_on(repository, before)  # a push with force drops the last commit
    branch, unmeasured = repository.commit(main, width=5), repository.commit(main, width=5)
    assert word(repository.job(branch, saves=False)) == "OK"
    rebased = repository.commit(unmeasured, width=5)
    assert word(repository.job(rebased, saves=False)) == "OK"  # its parent has no report, the commit before has
    main = _goes_on(repository, unmeasured)  # the branch is squashed
    lost = repository.commit(None, width=5)  # a history without a commit in common
    assert word(repository.job(lost)) == "NO BASELINE"
    return main


def _store(repository: Repository, main: str) -> str:
    store = repository.top / "store"
    for file in store.glob("*/*/nodes.parquet"):
        file.unlink()  # a part of its contents is deleted
    main = _starts_again(repository, main)
    for folder in store.iterdir():
        shutil.rmtree(folder)  # or all
    main = _starts_again(repository, main)
    shutil.rmtree(store)  # or the store itself
    return _starts_again(repository, main)
