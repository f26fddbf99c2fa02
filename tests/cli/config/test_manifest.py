"""Manifests of batches: defaults, matrices, placeholders, paths, and what is wrong with one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report.cli.config.manifest import Draft, named_paths, option_words, read_manifest
from tfprof_report.errors import OptionError


def read(folder: Path, text: str) -> list[Draft]:
    """Return the entries of a manifest with this text."""
    (folder / "m.toml").write_text(text)
    return read_manifest(str(folder / "m.toml"))


def problem(folder: Path, text: str) -> str:
    """Return what is wrong with a manifest, without its path."""
    with pytest.raises(OptionError) as caught:
        read(folder, text)
    return str(caught.value).removeprefix(f"{folder / 'm.toml'}: ")


def test_an_entry_has_paths_from_the_folder_of_the_manifest(tmp_path: Path) -> None:
    [draft] = read(
        tmp_path,
        """
        [[entry]]
        model = "net"
        inputs = "runs/net"
        base = "old/net"
        rules = "net.toml"
        commit = "abc"
        branch = "main"
        labels = { team = "vision" }
        options = { max-depth = 3, flops_rules = "my.toml", gate = ["params <= 25M"], run_meta = ["7=a", "b"] }
        """,
    )
    top = str(tmp_path)
    assert (draft.where, draft.model, draft.commit, draft.branch, draft.suffix) == ("entry 1", "net", "abc", "main", "")
    assert (draft.source, draft.base, draft.rules) == (f"{top}/runs/net", f"{top}/old/net", f"{top}/net.toml")
    assert draft.labels == {"team": "vision"}
    assert list(option_words(draft.options)) == [
        "--max-depth=3",
        f"--flops-rules={top}/my.toml",
        "--gate=params <= 25M",
        f"--run-meta=7={top}/a",
        f"--run-meta={top}/b",
    ]
    assert list(named_paths(draft.options)) == [f"{top}/my.toml"]


def test_urls_stay_as_they_are(tmp_path: Path) -> None:
    [draft] = read(tmp_path, '[[entry]]\ninputs = "s3://bucket/runs/net"')
    assert draft.source == "s3://bucket/runs/net"


def test_defaults_complete_what_an_entry_does_not_say_key_by_key(tmp_path: Path) -> None:
    first, second = read(
        tmp_path,
        """
        [defaults]
        branch = "main"
        labels = { team = "vision", site = "a" }
        options = { batch = 8, max_depth = 2 }
        [[entry]]
        inputs = "one"
        [[entry]]
        inputs = "two"
        branch = "dev"
        labels = { site = "b" }
        options = { max-depth = 5 }
        """,
    )
    assert (first.branch, first.labels, first.options) == (
        "main",
        {"team": "vision", "site": "a"},
        {"batch": "8", "max_depth": 2},
    )
    assert (second.branch, second.labels, second.options) == (
        "dev",
        {"team": "vision", "site": "b"},
        {"batch": "8", "max_depth": 5},
    )


def test_parameters_multiply_as_options_names_and_placeholders(tmp_path: Path) -> None:
    drafts = read(
        tmp_path,
        """
        [[entry]]
        model = "net"
        inputs = "runs/{size}/{commit}"
        labels = { size = "{size}" }
        [entry.matrix]
        batch = [1, 8]
        size = ["b0", "b7"]
        commit = ["c1", "c2"]
        """,
    )
    assert len(drafts) == 8
    last = drafts[-1]
    assert (last.source, last.commit, last.suffix) == (f"{tmp_path}/runs/b7/c2", "c2", "-batch-8-size-b7")
    assert (last.labels, last.options) == ({"size": "b7"}, {"batch": "8"})
    assert [draft.suffix for draft in drafts[:3]] == ["-batch-1-size-b0", "-batch-1-size-b0", "-batch-1-size-b7"]


def test_a_parameter_that_the_model_names_is_not_added_again(tmp_path: Path) -> None:
    first, _ = read(tmp_path, '[[entry]]\nmodel = "net-{size}"\ninputs = "{size}.pb"\nmatrix = { size = ["s", "m"] }')
    assert (first.model, first.suffix) == ("net-s", "")


def test_words_for_options_that_are_on_off_or_lists(tmp_path: Path) -> None:
    [draft] = read(
        tmp_path,
        """
        [[entry]]
        inputs = "one"
        [entry.options]
        fail_on_unknown = true
        account_displayed_op_only = true
        leave_out = ["gradients", "a,b"]
        """,
    )
    assert list(option_words(draft.options)) == [
        "--fail-on-unknown",
        "--account-displayed-op-only=true",
        "--leave-out=gradients",
        r"--leave-out=a\,b",
    ]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ('[[entry]]\ninpts = "a"', "entry 1.inpts is not known; did you mean inputs?"),
        ('[default]\nbranch = "a"', "default is not known; did you mean defaults?"),
        ("", "has no entries; write [[entry]] and below it inputs = FOLDER"),
        ('[entry]\ninputs = "a"', "entry is a table, not a list"),
        ('[[entry]]\nmodel = "a"', "entry 1: has no inputs; write inputs = FOLDER"),
        ("[[entry]]\ninputs = 3", "entry 1.inputs is 3, not text in quotes"),
        ('[[entry]]\ninputs = "a"\noptions = { batc = 1 }', "entry 1.options.batc is not known; did you mean batch?"),
        (
            '[[entry]]\ninputs = "a"\noptions = { max-depth = 1, max_depth = 2 }',
            "entry 1.options.max-depth is given twice, also as max_depth",
        ),
        ('[[entry]]\ninputs = "a"\noptions = { cond = "most" }', 'entry 1.options.cond: "most" is not known; '),
        ('[[entry]]\ninputs = "a"\nlabels = { a = 1 }', "entry 1.labels.a is 1, not text in quotes"),
        ('[[entry]]\ninputs = "-"', "entry 1: standard input (-) has no place in a batch; name a file"),
        ('[[entry]]\ninputs = "a"\nmatrix = { bach = [1] }', "did you mean batch?"),
        (
            '[[entry]]\ninputs = "a"\nmatrix = { zzz = [1] }',
            "entry 1: matrix.zzz is no option of report, and nothing has {zzz}; write {zzz} in inputs or model",
        ),
        (
            '[[entry]]\ninputs = "a"\nmatrix = { max_depth = [1, "deep"] }',
            'entry 1.matrix.max_depth is "deep", not a whole number',
        ),
        ("[[entry]\n", "is not a TOML file"),
    ],
)
def test_what_is_wrong_is_said_in_one_line(tmp_path: Path, text: str, words: str) -> None:
    assert words in problem(tmp_path, text)


def test_a_matrix_that_makes_too_many_entries_is_refused_before_they_are_made(tmp_path: Path) -> None:
    many = list(range(1000))
    text = f'[[entry]]\ninputs = "{{a}}{{b}}{{c}}"\nmatrix = {{ a = {many}, b = {many}, c = {many} }}'
    words = "entry 1: its matrix makes 1,000,000,000 entries, which are more than 100,000 in all; split the manifest"
    assert problem(tmp_path, text) == words
