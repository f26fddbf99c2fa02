"""Which trace is read: the run of a folder, the newest or the one that is named, with all of its hosts."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.files.trace_files import choose_traces, find_traces, host_names, is_trace_name
from tfprof_report.ingest.paths import find_in_folder, resolve_paths


def written(folder: Path, *names: str) -> str:
    for name in names:
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(b"")
    return str(folder)


OLD, NEW = "plugins/profile/2026_01_02_03_04_05", "plugins/profile/2026_01_10_03_04_05"


def chosen(folder: str, run: str | None = None) -> list[str]:
    found = find_traces(folder, run)
    return [] if found is None else [str(Path(file).relative_to(folder)) for file in found.files]


@pytest.mark.parametrize("place", ["", "train/"])
def test_the_newest_run_of_a_log_directory_is_read_with_all_its_hosts(tmp_path: Path, place: str) -> None:
    names = [f"{place}{run}/{host}.xplane.pb" for run in (NEW, OLD) for host in ("b", "a")]
    folder = written(tmp_path, *names, f"{place}{NEW}/ALL_HOSTS.op_stats_v2.pb", f"{place}{NEW}/a.trace.json.gz")
    assert chosen(folder) == [f"{place}{NEW}/a.xplane.pb", f"{place}{NEW}/b.xplane.pb"]
    assert chosen(folder, "2026_01_02_03_04_05") == [f"{place}{OLD}/a.xplane.pb", f"{place}{OLD}/b.xplane.pb"]
    assert find_in_folder(folder).notes == (
        f"{folder}: reading the trace of run 2026_01_10_03_04_05, not 2026_01_02_03_04_05",
    )


def test_a_folder_with_traces_is_a_run(tmp_path: Path) -> None:
    folder = written(tmp_path / "mine", "a.xplane.pb.gz", "b.xplane.pb", "b.xplane.pb.gz", "c.pb")
    assert chosen(folder) == ["a.xplane.pb.gz", "b.xplane.pb"]
    assert chosen(folder, "mine") == ["a.xplane.pb.gz", "b.xplane.pb"]


@pytest.mark.parametrize("within", ["plugins", "plugins/profile"])
def test_a_folder_within_the_log_directory_has_its_runs(tmp_path: Path, within: str) -> None:
    folder = tmp_path / within
    written(tmp_path, f"{OLD}/a.xplane.pb", f"{NEW}/a.xplane.pb")
    found = find_traces(str(folder))
    assert found is not None
    assert (found.run, found.others) == ("2026_01_10_03_04_05", ("2026_01_02_03_04_05",))
    assert found.files == (str(tmp_path / NEW / "a.xplane.pb"),)


def test_runs_of_one_name_are_told_apart_by_their_log_directory(tmp_path: Path) -> None:
    folder = written(tmp_path, f"eval/{OLD}/a.xplane.pb", f"train/{OLD}/a.xplane.pb")
    found = find_traces(folder)
    assert found is not None
    assert (found.run, found.others) == ("train/2026_01_02_03_04_05", ("eval/2026_01_02_03_04_05",))
    assert chosen(folder, "eval/2026_01_02_03_04_05") == [f"eval/{OLD}/a.xplane.pb"]


def test_a_run_that_is_not_there_is_an_error_with_those_that_are(tmp_path: Path) -> None:
    folder = written(tmp_path, f"{OLD}/a.xplane.pb", f"{NEW}/a.xplane.pb")
    with pytest.raises(InputError) as caught:
        resolve_paths(None, graph="g", xplanes=[folder], run="x", side="base-")
    assert str(caught.value) == (
        f'{folder} (--base-run): has no run "x"; name one of 2026_01_02_03_04_05, 2026_01_10_03_04_05'
    )


def test_a_folder_without_traces_is_an_error(tmp_path: Path) -> None:
    assert find_traces(str(tmp_path)) is None
    with pytest.raises(InputError, match=r"\(--xplane\): the folder has no XPlane trace; give a file"):
        choose_traces([str(tmp_path)], None, has_folder=False, side="")
    (tmp_path / "graph.pb").touch()
    with pytest.raises(InputError, match=r"\(--run\): has no runs; leave the option out"):
        find_in_folder(str(tmp_path), "x")


def test_a_run_needs_a_log_directory(tmp_path: Path) -> None:
    with pytest.raises(OptionError, match="no log directory is named"):
        choose_traces(["a.xplane.pb"], "x", has_folder=False, side="head-")
    folder = written(tmp_path, f"{OLD}/a.xplane.pb", "graph.pb")
    assert resolve_paths(folder, run="2026_01_02_03_04_05").xplanes == (f"{folder}/{OLD}/a.xplane.pb",)


def test_a_trace_is_named_once(tmp_path: Path) -> None:
    folder = written(tmp_path, f"{OLD}/a.xplane.pb", f"{OLD}/b.xplane.pb")
    file = f"{folder}/{OLD}/b.xplane.pb"
    link = tmp_path / "link"
    link.symlink_to(file)
    for other in (file, folder, str(link), f"{folder}/{OLD}/../{Path(OLD).name}/b.xplane.pb"):
        with pytest.raises(OptionError, match=r"^--head-xplane: .*b\.xplane\.pb is named twice; name each file once$"):
            choose_traces([file, other], None, has_folder=False, side="head-")
    assert len(choose_traces([folder], None, has_folder=False, side="")[0]) == 2


def test_run_metadata_comes_before_a_trace_that_nobody_names(tmp_path: Path) -> None:
    folder = written(tmp_path, "graph.pb", "run_meta_1", f"{OLD}/a.xplane.pb")
    found = resolve_paths(folder)
    assert (len(found.run_metas), found.xplanes) == (1, ())
    assert found.notes[-1] == f"{folder}: the trace of run 2026_01_02_03_04_05 is ignored in favour of run metadata"
    named = resolve_paths(folder, xplanes=[folder])
    assert (named.run_metas, named.xplanes) == ((), (f"{folder}/{OLD}/a.xplane.pb",))
    with pytest.raises(OptionError, match="run metadata and a trace are named, which both say what ran"):
        resolve_paths(folder, xplanes=[folder], run_metas=["x"])


def test_a_run_that_is_named_comes_before_run_metadata(tmp_path: Path) -> None:
    folder = written(tmp_path, "graph.pb", "run_meta_1", f"{OLD}/a.xplane.pb")
    found = resolve_paths(folder, run="2026_01_02_03_04_05", side="head-")
    assert (found.run_metas, found.xplanes) == ((), (f"{folder}/{OLD}/a.xplane.pb",))
    assert (
        found.notes[-1] == f"{folder}: run metadata is ignored in favour of the trace, since --head-run names its run"
    )
    with pytest.raises(InputError, match=r'\(--base-run\): has no run "x"; name one of 2026_01_02_03_04_05$'):
        resolve_paths(folder, run="x", side="base-")
    with pytest.raises(OptionError, match=r"^--run: run metadata and a trace are named"):
        resolve_paths(folder, run="2026_01_02_03_04_05", run_metas=["x"])


def test_a_trace_may_be_all_there_is(tmp_path: Path) -> None:
    folder = written(tmp_path, f"{OLD}/a.xplane.pb")
    assert resolve_paths(folder).graph is None
    assert resolve_paths("a.xplane.pb", xplanes=["b.xplane.pb"]).xplanes == ("a.xplane.pb", "b.xplane.pb")


def test_a_profile_holds_all_of_it() -> None:
    with pytest.raises(OptionError, match="a profile holds graph, run metadata and op log already"):
        resolve_paths(None, profile="p", xplanes=["a.xplane.pb"])


def test_hosts_have_the_names_of_their_files() -> None:
    assert host_names(["x/a.xplane.pb", "x/b.xplane.pb.gz"]) == ["a", "b"]
    assert host_names(["x/a.xplane.pb", "y/a.xplane.pb"]) == ["a-0", "a-1"]


@pytest.mark.parametrize(
    ("name", "is_one"),
    [
        ("a.xplane.pb", True),
        ("xplane.pb.gz", True),
        ("notxplane.pb", False),
        ("a.trace.json.gz", False),
        ("a.pb", False),
    ],
)
def test_names_of_traces(name: str, is_one: bool) -> None:  # noqa: FBT001 (a case)
    assert is_trace_name(name) is is_one
