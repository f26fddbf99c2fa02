"""A wrong rules file: one line with the file, the key and what to do, whatever the file contains."""

from __future__ import annotations

import json
import os
import re
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from command import call
from hypothesis import given
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from repository import ROOT

from tfprof_report.cli.config.acknowledged import read_acknowledged
from tfprof_report.cli.config.file import read_rules_file
from tfprof_report.cli.config.keys import MODELS, TOP, tables
from tfprof_report.cli.config.schema import problem, schema, schema_text
from tfprof_report.compare.gates.grammar import DEFAULT_GATES
from tfprof_report.errors import OptionError


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acknowleged = 'a'", "acknowleged is not known; did you mean acknowledged?"),
        ("[option]\na = 1", "option is not known; did you mean options?"),
        ("[options]\nmax-dept = 1", "options.max-dept is not known; did you mean max_depth?"),
        ("out = 'o'", "out is not known here; write it below [output]"),
        ("[output]\ngates = []", "output.gates is not known here; write it above all tables"),
        ("[output]\nonly-if-changed = true", "output.only-if-changed is not known here; write it above all tables"),
        ("[options]\nmax-depth = 1\nmax_depth = 2", "options.max-depth is given twice, also as max_depth"),
        ("max-unmatched = '1%'\nmax_unmatched = '2%'", "max-unmatched is given twice, also as max_unmatched"),
        ("[options]\nmax_depth = 'ten'", 'options.max_depth is "ten", not a whole number'),
        ("[options]\nmax_depth = true", "options.max_depth is true, not a whole number"),
        ("[options]\nmax_depth = 9223372036854775808", "options.max_depth: 9223372036854775808 is outside the 64-bit "),
        ("[options]\nselect = 3", "options.select is 3, not text in quotes or a list"),
        ("[inputs]\ngraph = ['a', []]", "inputs.graph item 2 is a list, not text in quotes"),
        ("[options]\nrules = 'extendd'", 'options.rules: "extendd" is not known; did you mean extended?'),
        ("[options]\nrules = 2024-01-01", "options.rules: 2024-01-01 is not known; choose from extended, none, tfprof"),
        ("fail_on_unknown = 'yes'", 'fail_on_unknown is "yes", not true or false'),
        ("max_unmatched = '50'", 'max_unmatched is "50", not a percentage such as "50%"'),
        ("threshold = 0.5", "threshold is 0.5, not text in quotes"),
        ("threshold = '101%'", '--threshold: "101%" is not a percentage; write a number from 0% to 100%'),
        ("options = 1", "options is 1, not a table"),
        ("gates = 'params <= 3'", 'gates is "params <= 3", not a list'),
        ("gates = ['params <= 3', 3]", "gate 2 is 3, not text in quotes or a table"),
        ("gates = [{ node = 'a' }]", 'gate 1 has no gate; write gate = "params <= +0"'),
        ("gates = [{ gate = 'params <= 3', nod = 'a' }]", "gate 1.nod is not known; did you mean node?"),
        ("gates = [{ gate = 'params <= 3', node = '' }]", "gate 1.node is empty"),
        ("gates = [{ gate = 'a', op = 'a', node = 'b' }]", "gate 1 chooses rows twice; give one of node, scope, op"),
        ("gates = [{ gate = 'a', op = 'a', scope = 'b' }]", "gate 1 chooses rows twice; give one of node, scope, op"),
        ("gates = [{ gate = 'a', level = 'w' }]", 'gate 1.level: "w" is not known; choose from fail, inform'),
        ("[models]\na = ['b']", "models.a is a list, not text in quotes"),
        ("[models]\n'a=b' = 'c'", 'models: "a=b" cannot be the name of a model'),
    ],
)
def test_what_is_wrong_is_said_in_a_line_that_names_the_key(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tfprof-report.toml").write_text(text)
    outcome = call("report", "missing", "--out", "o")
    assert outcome.code == 2, outcome
    assert outcome.error.startswith(f"tfprof-report.toml: {said}")
    assert not Path("o").exists()


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("acknowleged = 'a'", "acknowleged is not known; did you mean acknowledged?"),
        ("options.max-dept = 1", "options.max-dept is not known; did you mean max_depth?"),
        ("options.max-depth = 1\noptions.max_depth = 2", "options.max-depth is given twice, also as max_depth"),
        ("gates = [3]", "gate 1 is 3, not text in quotes or a table"),
    ],
)
def test_in_a_pyproject_toml_the_whole_key_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(f"[tool.tfprof_report]\n{text}\n")
    assert call("report", "missing", "--out", "o").error == f"pyproject.toml: tool.tfprof_report.{said}"


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (b"gates = ", "is not a TOML file ("),
        (b"gates = []\ngates = []", "is not a TOML file (Cannot overwrite"),
        (b"gates = '\xff'", "is not UTF-8 (byte 0xff in line 1)"),
        (b"#" * 10_000_000, "is larger than 256 KiB"),
        (b"[options]\nmax_depth = 0x" + b"f" * 9000, "has a number of more than 1000 digits"),
        (b"[options]\n" + b"k" * 10_000 + b" = 1", "options.kkk"),
        (b'"\\u001b[31m\\n" = 1', "\\x1b[31m\\n is not known"),
        (b"gates = [" + b"'params <= 1'," * 1001 + b"]", "gates has more than 1,000 items"),
        (b'label = "x"', "label is not known here; write it below [output]"),
    ],
)
def test_hostile_content_is_one_short_line(tmp_path: Path, content: bytes, said: str) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(content)
    outcome = call("report", "missing", "--out", tmp_path / "o", "--config", file)
    assert outcome.code == 2
    assert outcome.error.startswith(f"{file} (--config): {said}")
    assert len(outcome.error) < len(str(file)) + 450


def test_a_byte_order_mark_does_not_matter(tmp_path: Path) -> None:
    file = tmp_path / "rules.toml"
    file.write_bytes(b"\xef\xbb\xbf[options]\nmax_depth = 3.0\n")
    values = read_rules_file(str(file), "--config").values
    assert values == {"job.options.max_depth": 3}
    assert type(values["job.options.max_depth"]) is int


@pytest.mark.parametrize("name", ["", "missing.toml", "a\0b", "pyproject.toml"])
def test_a_file_that_is_named_has_to_be_one(tmp_path: Path, name: str) -> None:
    (tmp_path / "pyproject.toml").write_text("[tool.other]\n")
    said = {
        "": "cannot be read (Is a directory)",
        "missing.toml": "cannot be read (No such file or directory)",
        "a\0b": "cannot be read (bad name)",
        "pyproject.toml": "has no table [tool.tfprof_report]; add one",
    }
    with pytest.raises(OptionError) as error:
        read_rules_file(str(tmp_path / name), "--config")
    assert str(error.value).endswith(f"(--config): {said[name]}")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[tool]\ntfprof_report = 1\n", "tool.tfprof_report is not a table; begin it with a line [tool.tfprof_report]"),
        ("[tool.tfprof_report]\n[tool.tfprof-report]\n", "tool.tfprof-report is given twice, also as tfprof_report"),
        (
            "[tool.tfprof_report\n",
            "is not a TOML file (Expected ']' at the end of a table declaration (at line 1, column 20))",
        ),
    ],
)
def test_a_pyproject_toml_that_means_the_tool_and_is_wrong_is_not_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("pyproject.toml").write_text(text)
    assert call("report", "m", "--out", "o").error == f"pyproject.toml: {said}"


@pytest.mark.skipif(os.getuid() == 0, reason="root may read everything")
def test_a_file_that_must_not_be_read_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tfprof-report.toml").touch(mode=0)
    assert call("report", "m", "--out", "o").error == "tfprof-report.toml: cannot be read (Permission denied)"


def test_a_folder_or_a_broken_link_in_the_place_of_the_file_is_no_silent_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("tfprof-report.toml").mkdir()
    assert call("report", "m", "--out", "o").error == "tfprof-report.toml: cannot be read (Is a directory)"
    Path("tfprof-report.toml").rmdir()
    Path("tfprof-report.toml").symlink_to("nowhere")
    assert call("report", "m", "--out", "o").error == "tfprof-report.toml: cannot be read (No such file or directory)"


def test_the_schema_is_one_and_the_committed_copy_is_what_the_command_prints() -> None:
    Draft202012Validator.check_schema(schema())
    assert call("schema").out == schema_text()
    assert (ROOT / "docs" / "rules-file.schema.json").read_text() == schema_text(), (
        "write it again: tfprof-report schema > docs/rules-file.schema.json"
    )


def test_the_schema_knows_every_table_and_key() -> None:
    properties = json.loads(schema_text())["properties"]
    assert set(properties) == {*tables(), *tables()[TOP], *MODELS, "devices", "gates", "owner"} - {TOP}
    assert all(set(properties[table]["properties"]) == set(keys) for table, keys in tables().items() if table != TOP)


PAGE = (ROOT / "docs" / "rules-file.md").read_text()


def test_every_file_of_the_documentation_is_right(tmp_path: Path) -> None:
    blocks = [block.split("```")[0] for block in PAGE.split("```toml\n")[1:]]
    accepted = [block for block in blocks if "[[acknowledged]]" in block]
    assert (len(blocks), len(accepted)) == (3, 1)
    file = tmp_path / "some.toml"
    for block in blocks:
        file.write_text(block)
        assert (read_acknowledged if block in accepted else partial(read_rules_file, option=None))(str(file))


def test_the_documentation_names_every_key_in_its_table() -> None:
    section = PAGE.split("## What it says")[1]
    rows = dict(re.findall(r"^\| (\(above all tables\)|`\[\w+\]`) \| (.*) \|$", section, flags=re.MULTILINE))
    named = {place: set(re.findall(r"`([a-z_]+)`", words)) - {"base_"} for place, words in rows.items()}
    assert set(named) == {"(above all tables)", *(f"`[{name}]`" for name in {*tables(), *MODELS} - {TOP})}
    assert named["(above all tables)"] == {*tables()[TOP], "gates", "owner"}
    for name, keys in tables().items():
        if name != TOP:
            assert named[f"`[{name}]`"] == {key for key in keys if not (name == "inputs" and key.startswith("base_"))}


def test_the_documentation_names_the_default_gates_and_the_keys_of_a_gate() -> None:
    section = PAGE.split("## Gates")[1].split("## ")[0]
    rows = re.findall(r"^\| (`.*) \| (?:`(.*?)`)?.* \|$", section, flags=re.MULTILINE)
    listed = {word: limit for names, limit in rows for word in re.findall(r"`(\w+)`", names)}
    keys = set(schema()["properties"]["gates"]["items"]["properties"])
    assert {word: limit for word, limit in listed.items() if word not in keys} == {
        gate.metric: gate.text.removeprefix(f"{gate.metric} ") for gate in DEFAULT_GATES
    }
    assert keys <= set(listed)


KNOWN = [*tables(), *MODELS, "gates", *(key for keys in tables().values() for key in keys), "gate", "node", "level"]
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=9) | st.dates(),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(KNOWN) | st.text(max_size=9), inner, max_size=3)
    ),
    max_leaves=12,
)


@given(st.dictionaries(st.sampled_from(KNOWN) | st.text(max_size=9), VALUES, max_size=4))
def test_whatever_it_holds_the_answer_is_a_line_or_that_nothing_is_wrong(document: dict[str, Any]) -> None:
    found = problem(document, "")
    assert found is None or found.strip()
    assert (found is None) == Draft202012Validator(schema()).is_valid(document) or "is given twice" in str(found)
