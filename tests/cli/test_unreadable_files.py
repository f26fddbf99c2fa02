"""What cannot be read is said in these words, with the exit code of an input, a baseline or an option."""

from __future__ import annotations

import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from command import call, small_model, write_report
from privileges import permissions_hold

MODEL, BASE, SEVERAL, STORE = "model", "base", "several", "store"
DENIED = "cannot be read (Permission denied)"
PICK = ["baseline", "pick", STORE, "--model", "m", "--ancestors", "commits"]
OUT = ("--out", "o")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("made")
    model = small_model(folder / MODEL)
    write_report(model, folder / BASE)
    assert call("report", "--model", f"a={model}", "--out", folder / SEVERAL).code == 0
    assert call("baseline", "save", folder / STORE, folder / BASE, "--model", "m", "--commit", "c").code == 0
    (folder / "commits").write_text("c\n")
    for name in ("rules.toml", "map.toml", "ckpt.index"):
        (folder / name).write_text("[nodes]\n")
    return folder


@pytest.fixture
def here(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    copy = tmp_path / "copy"
    shutil.copytree(made, copy)
    monkeypatch.chdir(copy)
    yield copy
    for folder, names, files in os.walk(copy):
        for name in (*names, *files):
            if not Path(folder, name).is_symlink():
                Path(folder, name).chmod(0o755)


CASES = [
    (MODEL, 0o000, 3, f"{MODEL}: {DENIED}", ["scope", MODEL]),
    (MODEL, 0o444, 3, f"{MODEL}: {DENIED}", ["report", MODEL, *OUT]),
    (MODEL, 0o000, 3, f"{MODEL}/graph.pb: {DENIED}", ["scope", f"{MODEL}/graph.pb"]),
    (MODEL, 0o000, 3, f"--model a: {MODEL}: {DENIED}", ["report", "--model", f"a={MODEL}", *OUT]),
    (f"{MODEL}/graph.pb", 0o000, 3, f"{MODEL}/graph.pb (--graph): {DENIED}", ["scope", MODEL]),
    (f"{MODEL}/run_meta_1", 0o000, 3, f"{MODEL}/run_meta_1 (--run-meta): {DENIED}", ["op", MODEL]),
    ("ckpt.index", 0o000, 3, f"ckpt.index (--checkpoint): {DENIED}", ["scope", MODEL, "--checkpoint", "ckpt"]),
    (BASE, 0o000, 4, f"{BASE}: {DENIED}", ["report", MODEL, *OUT, "--baseline", BASE]),
    (BASE, 0o000, 4, f"{BASE}: {DENIED}", ["report", MODEL, *OUT, "--baseline", BASE, "--baseline-missing", "ok"]),
    (BASE, 0o444, 4, f"{BASE}: {DENIED}", ["diff", BASE, MODEL, *OUT]),
    (BASE, 0o000, 3, f"{BASE}: {DENIED}", ["diff", MODEL, BASE, *OUT]),
    (f"{BASE}/nodes.parquet", 0o000, 4, f"{BASE}/nodes.parquet: {DENIED}", ["diff", BASE, MODEL, *OUT]),
    (f"{BASE}/summary.json", 0o000, 4, f"{BASE}/summary.json: {DENIED}", ["diff", BASE, MODEL, *OUT]),
    (
        f"{SEVERAL}/a",
        0o000,
        4,
        f"{SEVERAL}/a/summary.json (--baseline): {DENIED}",
        ["report", "--model", f"a={MODEL}", *OUT, "--baseline", SEVERAL],
    ),
    (BASE, 0o000, 3, f"{BASE}/verdict.json: {DENIED}", ["accept", BASE, "--reason", "x", "--expires", "2027-01-31"]),
    (BASE, 0o000, 3, f"{BASE}/summary.json: {DENIED}", ["baseline", "save", STORE, BASE, "--model", "m"]),
    (STORE, 0o000, 4, f"{STORE} (STORE): {DENIED}", ["baseline", "list", STORE]),
    (f"{STORE}/m", 0o000, 4, f"{STORE}/m (STORE): {DENIED}", ["baseline", "list", STORE]),
    (
        "commits",
        0o000,
        3,
        f"commits (--ancestors): {DENIED}",
        PICK,
    ),
    ("rules.toml", 0o000, 2, f"rules.toml (--config): {DENIED}", ["report", MODEL, *OUT, "--config", "rules.toml"]),
    ("map.toml", 0o000, 2, f"map.toml (--name-map): {DENIED}", ["diff", MODEL, MODEL, *OUT, "--name-map", "map.toml"]),
    (
        "map.toml",
        0o000,
        2,
        f"map.toml (--acknowledged): {DENIED}",
        ["report", MODEL, *OUT, "--acknowledged=map.toml"],
    ),
    ("map.toml", 0o000, 2, f"map.toml (--flops-rules): {DENIED}", ["scope", MODEL, "--flops-rules", "map.toml"]),
]


@pytest.mark.parametrize(("path", "mode", "code", "words", "arguments"), CASES)
@pytest.mark.usefixtures("here")
def test_permissions(path: str, mode: int, code: int, words: str, arguments: list[str]) -> None:
    Path(path).chmod(mode)
    with permissions_hold():
        outcome = call(*arguments)
    assert (outcome.code, outcome.out, outcome.error.partition(";")[0]) == (code, "", words)
    assert not Path("o").exists()


@pytest.fixture
def saved(here: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Save the report at three more commits; return the paths of the entries in the store, the oldest first."""
    for day, commit in enumerate(("d", "e", "f")):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(4 * 10**9 + 86400 * day))
        assert call("baseline", "save", STORE, BASE, "--model", "m", "--commit", commit).code == 0
    return sorted(str(path.relative_to(here)) for path in Path(here, STORE, "m").iterdir())


@pytest.mark.parametrize(
    ("locked", "mode", "gone", "words"),
    [
        ("1", 0o000, "", f"{{}} (STORE): {DENIED}"),
        ("1", 0o600, "", f"{{}}/FILE (STORE): {DENIED}"),
        ("1", 0o555, "02", "{}: cannot be removed (permission denied)"),
        ("12", 0o555, "0", "{}: cannot be removed (permission denied), nor can 1 other report"),
        ("m", 0o555, "", "{}: cannot be removed (permission denied), nor can 2 other reports"),
        ("m", 0o000, "", f"{STORE}/m (STORE): {DENIED}"),
    ],
)
def test_prune_names_what_it_may_not_remove_and_removes_the_rest(
    saved: list[str], locked: str, mode: int, gone: str, words: str
) -> None:
    folders = [f"{STORE}/m"] if locked == "m" else [saved[int(number)] for number in locked]
    for folder in folders:
        Path(folder).chmod(mode)
    with permissions_hold():
        outcome = call("baseline", "prune", STORE, "--keep", "1")
    for folder in folders:
        Path(folder).chmod(0o755)
    assert outcome.code == (4 if DENIED in words else 3)
    assert sorted(outcome.out.split()) == sorted(["Removed"] * len(gone) + [saved[int(number)] for number in gone])
    problem, _, advice = outcome.error.partition("; ")
    named = re.sub(r"[^/ ]+\.(parquet|json|html|md)", "FILE", problem)  # the first that the folder lists
    assert named in {words.format(path) for path in saved}
    assert advice == "check its permissions and those of its folder"
    left = set(saved) - {saved[int(number)] for number in gone}
    assert all(Path(path, "summary.json").exists() for path in left)  # what stays is whole
    assert call("baseline", "prune", STORE, "--keep", "1").code == 0


@pytest.mark.parametrize(
    ("target", "words"),
    [
        ("bad", "{} ({}): cannot be read (Too many levels of symbolic links)"),
        ("/dev/zero", "{} ({}): is a device, not a file; name a file"),
        (f"{MODEL}/graph.pb/deep", None),
    ],
    ids=["loop", "device", "below a file"],
)
@pytest.mark.usefixtures("here")
def test_a_loop_a_device_and_a_path_through_a_file(target: str, words: str | None) -> None:
    Path("bad").symlink_to(target)
    head, base = call("report", "bad", *OUT), call("diff", "bad", MODEL, *OUT)
    assert (head.code, base.code) == (3, 4)
    if words:
        assert (head.error, base.error) == (words.format("bad", "--graph"), words.format("bad", "--base-graph"))


@pytest.mark.parametrize("name", [f"{MODEL}/graph.pb", f"{MODEL}/run_meta_1", f"{BASE}/nodes.parquet"])
@pytest.mark.usefixtures("here")
def test_a_pipe_in_a_folder_is_not_waited_for(name: str) -> None:
    Path(name).unlink()
    os.mkfifo(name)
    outcome = call("diff", BASE, MODEL, *OUT)
    words = "is a pipe or device, not a file" if MODEL in name else "cannot be read (not a file)"
    assert (outcome.code, outcome.error.partition(";")[0]) == (4 if BASE in name else 3, f"{name}: {words}")


def test_the_null_device_is_an_empty_file(tmp_path: Path) -> None:
    outcome = call("scope", small_model(tmp_path), "--op-log", os.devnull)
    assert (outcome.code, "warning: /dev/null is empty" in outcome.err) == (0, True)
