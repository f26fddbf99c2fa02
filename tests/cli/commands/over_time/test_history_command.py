"""The command `history`: what it writes and prints, and its one-line errors."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest
from command import Outcome, call
from histories import Repository
from strict_schema import checked

from tfprof_report.history.build_history import EXPLAINED

NAMES = ["history.html", "history.json", "history.md", "history.parquet"]


@pytest.fixture(scope="module")
def repository(tmp_path_factory: pytest.TempPathFactory) -> Repository:
    """Return a repository of five commits with reports, the third of which widens the model; the second is v1."""
    made = Repository(tmp_path_factory.mktemp("five"))
    for number in range(5):
        made.commit(widths={"encoder": 16 if number < 2 else 20})
    made.tag("v1", made.commits[1])
    return made


@pytest.fixture(autouse=True)
def _fixed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1714638600")


def history(repository: Repository, *arguments: object) -> Outcome:
    return call("history", repository.store, "--out", "h", "--git", repository.folder, *arguments)


def model() -> Any:
    (found,) = checked("history", json.loads(Path("h/history.json").read_text()))["models"]
    return found


def listed(repository: Repository, *, dated: bool = False) -> Path:
    """Write the list of commits, the newest first."""
    Path("commits").write_text(repository.git("rev-list", *(["--timestamp"] if dated else []), "HEAD"))
    return Path("commits")


@pytest.mark.thorough
def test_it_writes_four_files_and_prints_the_page_and_a_line_for_each_model(repository: Repository) -> None:
    outcome = history(repository)
    newest = repository.commits[-1][:12]
    assert outcome == Outcome(
        0,
        f"net: 5 reports from 2024-01-01 to 2024-01-05, 1 change; the newest of {newest}.\nHistory   h/history.html\n",
        "",
    )
    assert sorted(path.name for path in Path("h").iterdir()) == NAMES
    assert checked("history", json.loads(Path("h/history.json").read_text()))["timestamp"] == "2024-05-02T08:30:00Z"


def test_other_files_of_the_folder_stay_and_earlier_ones_are_replaced(repository: Repository) -> None:
    Path("h").mkdir()
    for name in ("notes.txt", "history.md"):
        Path("h", name).write_text("old")
    assert history(repository).code == 0
    assert Path("h/notes.txt").read_text() == "old"
    assert Path("h/history.md").read_text() != "old"
    assert sorted(path.name for path in Path("h").iterdir()) == [*NAMES, "notes.txt"]


def test_a_list_of_commits_gives_the_same_as_the_repository(repository: Repository) -> None:
    assert history(repository).code == 0
    of_git = model()
    Path("tags").write_text(repository.git("show-ref", "--tags", "--dereference"))
    about = ("--ancestors", listed(repository, dated=True), "--tags", "tags")
    assert call("history", repository.store, "--out", "h", *about).code == 0
    assert model() == of_git


def test_without_dates_days_are_those_of_the_reports(repository: Repository) -> None:
    assert call("history", repository.store, "--out", "h", "--ancestors", listed(repository)).code == 0
    assert model()["newest"]["time"] == "2024-01-05T05:00:00Z"


@pytest.mark.parametrize(
    ("since", "reports"), [("v1", 4), ("2024-01-03", 4), ("1d", 2), ("30d", 5), ("COMMIT", 2)], ids=str
)
def test_a_history_begins_at_a_tag_a_commit_a_day_or_an_age(repository: Repository, since: str, reports: int) -> None:
    start = repository.commits[3][:10] if since == "COMMIT" else since
    assert history(repository, "--since", start).code == 0
    assert model()["reports"] == reports  # with the one that they are compared with


def test_the_last_commits_and_one_figure(repository: Repository) -> None:
    outcome = history(repository, "--last", 3, "--metric", "params", "--metric", "param_bytes", "--metric", "macs")
    assert (outcome.code, outcome.error) == (0, "warning: net: no report knows param_bytes")
    assert model()["reports"] == 4  # with the one that they are compared with
    assert [each["figure"] for each in model()["figures"]] == ["params", "macs"]
    assert "No report knows param\\_bytes." in Path("h/history.md").read_text()


def test_budgets_of_the_rules_file_are_in_the_table(repository: Repository) -> None:
    Path("rules.toml").write_text('gates = ["params <= 700", { gate = "bytes <= 1k", owner = "@team" }]\n')
    outcome = history(repository, "--config", "rules.toml")
    assert outcome.out.startswith("Rules     rules.toml\n")
    figures = {each["figure"]: each for each in model()["figures"]}
    assert figures["params"]["budget"] == {"gate": "params <= 700", "most": 700, "owner": "", "since_commit": 0}
    assert figures["params"]["distance"] == 60
    assert figures["bytes"]["budget"]["owner"] == "@team"
    assert "60 (8.57 %) left of 700" in Path("h/history.md").read_text()


def test_chat_text_and_badges_are_written_beside_the_folder(repository: Repository) -> None:
    Path("rules.toml").write_text('gates = ["params <= 650"]\n')
    badges = ("--badge", "params=h/params.json", "--badge", "net/param_bytes=bytes.json")
    outcome = history(repository, "--since", "v1", "--config", "rules.toml", "--chat", "chat.txt", *badges)
    assert outcome.out.endswith(
        "History   h/history.html\nChat      chat.txt\nBadge     h/params.json\nBadge     bytes.json\n"
    )
    assert outcome.error == "warning: net: no report knows param_bytes"
    text = Path("chat.txt").read_text().splitlines()
    assert text[0] == f"History of 1 model in {repository.store}, up to 2024-01-05"
    assert text[2:7] == [
        "Moved since v1:",
        "net: FLOPs +1.02 k (+25.00 %) to 5.12 k",
        "net: Parameters +128 (+25.00 %) to 640",
        "",
        "Largest commits:",
    ]
    assert text[7].endswith("; encoder got wider (16 to 20)")
    assert text[8:] == ["", "Budgets at risk:", "net: Parameters 10 (1.54 %) left of 650"]
    assert json.loads(Path("h/params.json").read_text())["color"] == "yellow"
    assert json.loads(Path("bytes.json").read_text())["isError"] is True


def test_of_several_models_a_badge_names_its_own(repository: Repository, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(repository.store, store)
    shutil.copytree(store / "net", store / "other")
    about = ("history", store, "--out", "h", "--git", repository.folder, "--badge")
    words = '--badge "params=b.json": does not say which of 2 models; write net/params=FILE'
    outcome = call(*about, "params=b.json")
    assert (outcome.code, outcome.error) == (2, words)
    assert not Path("h").exists()
    assert call(*about, "nat/params=b.json").error == '--badge: "nat" is not known; did you mean net?'
    assert call(*about, "other/params=b.json").code == 0
    assert json.loads(Path("b.json").read_text())["label"] == "other parameters"
    assert call(*about, "params=b.json", "--model", "net").code == 0
    assert json.loads(Path("b.json").read_text())["label"] == "parameters"


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (("--badge", "params"), 2, '--badge "params": is no badge; write METRIC=FILE or MODEL/METRIC=FILE'),
        (("--badge", "=x"), 2, '--badge "=x": is no badge; write METRIC=FILE or MODEL/METRIC=FILE'),
        (("--badge", "parms=x"), 2, '--badge: "parms" is not known; did you mean params?'),
        (("--badge", "params=x", "--chat", "x"), 2, "x (--chat, --badge): is named twice; give each a file of its own"),
        (
            ("--chat", "h/history.md"),
            2,
            "h/history.md (--chat): is a file of the history itself; give a file of another name",
        ),
        (("--chat", "-"), 2, "- (--chat): is not a file; /dev/stdout is standard output"),
        (
            ("--chat", "no/x"),
            3,
            "no/x (--chat): cannot be written (No such file or directory); give a file in a folder that can be written",
        ),
    ],
)
def test_a_file_that_cannot_be_written_is_known_before_anything_is(
    repository: Repository, arguments: tuple[str, ...], code: int, words: str
) -> None:
    outcome = history(repository, *arguments)
    assert (outcome.code, outcome.out, outcome.error) == (code, "", words)
    assert not Path("h").exists()


def test_no_change_is_explained_where_none_is_asked_for(repository: Repository) -> None:
    assert history(repository, "--compare", 0).code == 0
    assert [each["problem"] for each in model()["changes"]] == ["not compared"]
    assert "not compared: only the newest changes are" in Path("h/history.md").read_text()


def test_reports_and_commits_are_links(repository: Repository) -> None:
    url = "https://example.org/c/{commit}"
    assert history(repository, "--commit-url", url, "--store-url", "https://example.org/store/").code == 0
    page = Path("h/history.html").read_text()
    commit = repository.commits[2]
    assert f'href="https://example.org/c/{commit}"' in page
    assert f'href="https://example.org/store/net/{commit}_20240103T050000Z_' in page


def test_without_an_address_reports_are_those_of_the_store_seen_from_the_page(repository: Repository) -> None:
    assert history(repository).code == 0
    start = os.path.relpath(repository.store, "h")
    assert f'href="{start}/net/{repository.commits[2]}_' in Path("h/history.html").read_text()


def test_damaged_and_foreign_reports_are_named_and_left_out(repository: Repository, tmp_path: Path) -> None:
    store = tmp_path / "store"
    shutil.copytree(repository.store, store)
    (damaged,) = (store / "net").glob(f"{repository.commits[3]}_*")
    (damaged / "summary.json").write_text("{}")
    shutil.rmtree(store / "index", ignore_errors=True)
    outcome = call("history", store, "--out", "h", "--git", repository.folder)
    assert outcome.code == 0
    assert outcome.error.startswith(f"warning: net: 1 report passed over, damaged, such as {damaged}: ")
    assert model()["reports"] == 4
    assert [each["kind"] for each in model()["left_out"]] == ["damaged"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--ancestors, --git: the order of commits is not given; give one"),
        (
            ("--git", ".", "--ancestors", "x"),
            "--ancestors, --git: the order of commits is given twice; give one",
        ),
        (("--git", "REPO", "--tags", "x"), "--tags, --git: tags are given twice; give one of them"),
        (("--git", "REPO", "--since", "v1", "--last", "2"), "--since, --last: two starts are given; give one of them"),
        (("--git", "REPO", "--last", "0"), "--last: 0 is too few; give 1 or more"),
        (("--git", "REPO", "--compare", "-1"), "--compare: -1 is too few; give 0 or more"),
        (("--git", "REPO", "--max-chars", "5"), "--max-chars: 5 is too few; give 1000 or more"),
        (("--git", "REPO", "--metric", "parms"), '--metric: "parms" is not known; did you mean params?'),
        (
            ("--git", "REPO", "--since", "v3"),
            '--since "v3": is no tag and no commit of the list, no day and no age; give one, such as v1.2 or 30d',
        ),
        (
            ("--ancestors", "UNDATED", "--since", "30d"),
            '--since "30d": the commits of the list have no dates; write it with git rev-list --timestamp HEAD',
        ),
        (("--git", "REPO", "--store-url", "../store"), '--store-url "../store": is not an address of http or https'),
        (("--git", "REPO", "--commit-url", "https://example.org/"), "has no place, or several places, for the id"),
    ],
)
def test_a_usage_error_is_one_line(repository: Repository, arguments: tuple[str, ...], words: str) -> None:
    places = {"REPO": str(repository.folder), "UNDATED": str(listed(repository))}
    outcome = call("history", repository.store, "--out", "h", *(places.get(each, each) for each in arguments))
    assert (outcome.code, outcome.out) == (2, "")
    assert words in outcome.error
    assert not Path("h").exists()


def test_what_is_left_out_for_length_is_on_the_page(repository: Repository) -> None:
    assert history(repository, "--max-chars", "1000").code == 0
    text = Path("h/history.md").read_text()
    assert len(text) <= 1000
    assert "Changes of net, the newest first; history.html has them." in text


def test_the_folder_is_required(repository: Repository) -> None:
    outcome = call("history", repository.store, "--git", repository.folder)
    assert (outcome.code, outcome.error) == (2, "Missing option '--out'; name the folder to write")


@pytest.mark.parametrize(
    ("option", "text"),
    [("--out", "{}"), ("--out", "{}/index"), ("--chat", "{}/index/chat.txt"), ("--badge", "params={}/badge.json")],
)
def test_nothing_is_written_into_the_store(repository: Repository, option: str, text: str) -> None:
    before = sorted(repository.store.rglob("*"))
    given = {"--out": "h"} | {option: text.format(repository.store)}
    about = [word for pair in given.items() for word in pair]
    outcome = call("history", repository.store, "--git", repository.folder, *about)
    file = given[option].rpartition("=")[2]
    words = f"{file} ({option}): is in the store; write it to another folder"
    assert (outcome.code, outcome.error) == (2, words)
    assert sorted(repository.store.rglob("*")) == before
    assert not Path("h").exists()


def test_a_store_without_anything_to_show_is_no_history(repository: Repository, tmp_path: Path) -> None:
    outcome = call("history", tmp_path / "empty", "--out", "h", "--git", repository.folder)
    words = "holds no baselines; check the name of the store"
    assert (outcome.code, outcome.error) == (4, f"{tmp_path / 'empty'}: {words}")
    outcome = history(repository, "--model", "nat")
    words = "holds no baseline of the model nat; did you mean net?"
    assert (outcome.code, outcome.error) == (4, f"{repository.store}: {words}")
    Path("others").write_text("f" * 40 + "\n")
    outcome = call("history", repository.store, "--out", "h", "--ancestors", "others")
    words = "has 5 reports, none of the 1 commit to show; check the list of commits, and save under full ids"
    assert (outcome.code, outcome.error) == (4, f"{repository.store}: {words}")
    assert not Path("h").exists()


def test_a_start_after_every_commit_shows_nothing(repository: Repository) -> None:
    outcome = history(repository, "--since", "2030-01-01")
    assert (outcome.code, outcome.out) == (4, "")
    assert outcome.error == "--since: no commit of the list is since 2030-01-01; give an earlier day"


def test_a_store_of_reports_of_a_later_version_has_none_to_show(repository: Repository, tmp_path: Path) -> None:
    (report,) = (repository.store / "net").glob(f"{repository.commits[0]}_*")
    kept = tmp_path / "store" / "net" / report.name
    shutil.copytree(report, kept)
    (kept / "summary.json").write_text("{}")
    outcome = call("history", tmp_path / "store", "--out", "h", "--git", repository.folder)
    assert outcome.code == 4
    assert outcome.err.endswith(f"{tmp_path / 'store'}: has no report that can be shown; the warnings say why\n")


def test_a_drift_gate_since_a_tag_says_where_tags_are_read_from(repository: Repository) -> None:
    Path("rules.toml").write_text('gates = ["params <= +2% since v1"]')
    about = ("--ancestors", listed(repository, dated=True), "--config", "rules.toml")
    outcome = call("history", repository.store, "--out", "h", *about)
    assert outcome.code == 2
    assert outcome.error.endswith("v1 is no tag, no commit and no age; tags are read from --tags FILE")


def test_a_folder_that_cannot_be_written_is_one_line(repository: Repository) -> None:
    Path("h").write_text("a file")
    outcome = history(repository)
    words = "cannot be written (File exists); give a folder that can be written"
    assert (outcome.code, outcome.error) == (3, f"h (--out): {words}")


def test_ages_are_counted_from_the_newest_commit_and_not_from_today(repository: Repository) -> None:
    assert EXPLAINED == 30
    assert history(repository, "--since", "1d").code == 0
    assert model()["newest"]["time"] == "2024-01-05T03:00:00Z"


@pytest.mark.thorough
def test_the_page_of_a_report_shows_figures_over_time_where_a_store_is_given(repository: Repository) -> None:
    about = ("--store", repository.store, "--ancestors", listed(repository), "--store-model", "net", "--config", "none")
    commit = ("--commit", repository.commits[-1])
    assert call("report", repository.top / "model", "--out", "r", *commit, *about).code == 0
    page = Path("r/report.html").read_text()
    assert "Parameters in 4 earlier reports: 640 to 640; now 640" not in page
    assert "<title>Parameters in 4 earlier reports: 512 to 640; now 640</title>" in page
    assert page.count('class="spark"') == 4  # FLOPs, parameters, peak memory, time
    base = next((repository.store / "net").iterdir())
    assert call("diff", base, repository.top / "model", "--out", "d", *commit, *about).code == 0
    assert "<title>Parameters in 4 earlier reports: 512 to 640; now 640</title>" in Path("d/report.html").read_text()


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((), "--store: the commits that lead to this report are not known; give --ancestors FILE; "),
        (("--ancestors", "commits"), "--store: the model has no name by which to find it in the store; "),
    ],
)
def test_a_store_for_a_report_needs_commits_and_a_name(
    repository: Repository, arguments: tuple[str, ...], words: str
) -> None:
    listed(repository)
    about = ("--store", repository.store, *arguments, "--config", "none")
    outcome = call("report", repository.top / "model", "--out", "r", *about)
    assert outcome.code == 2
    assert outcome.error.startswith(words)
