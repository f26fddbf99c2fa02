"""Names of earlier releases of tfprof: each is looked up where it was written, and says what to write now."""

from __future__ import annotations

from pathlib import Path

import pytest

from tfprof_report import profiler
from tfprof_report.errors import OptionError
from tfprof_report.old_names import OLD_NAMES, Place, now
from tfprof_report.options import ORDER_BY, SELECT, Options, old_options
from tfprof_report.schema.metrics import VIEWS
from tfprof_report.semantics import CORRECTED, TFPROF


def test_each_answer_is_one_line_that_starts_with_a_verb() -> None:
    answers = [answer for names in OLD_NAMES.values() for answer in names.values()]
    assert {answer.split(maxsplit=1)[0] for answer in answers} == {"write", "leave"}
    assert [answer for answer in answers if not answer.isprintable() or answer.endswith(".")] == []


def test_no_name_that_is_taken_today_is_called_old() -> None:
    assert not OLD_NAMES[Place.OPTION].keys() & {*Options.__dataclass_fields__, "output", "dump_to_file"}
    assert not OLD_NAMES[Place.WORD].keys() & {*SELECT, *ORDER_BY}
    assert not OLD_NAMES[Place.COMMAND].keys() & {*VIEWS, "advise", "shell"}
    assert not OLD_NAMES[Place.PYTHON].keys() & {*profiler.__all__}
    assert not OLD_NAMES[Place.METHOD].keys() & {*dir(profiler.Profiler)}


def test_an_option_is_found_in_each_spelling_and_other_names_only_as_they_were() -> None:
    answer = OLD_NAMES[Place.OPTION]["device_regexes"]
    assert [now(Place.OPTION, name) for name in ("device_regexes", "--device-regexes", "-device_regexes")] == 3 * [
        answer
    ]
    assert (now(Place.WORD, "num-hidden-ops"), now(Place.WORD, "device_regexes"), now(Place.PYTHON, "profile")) == (
        None,
        None,
        None,
    )


def test_an_option_dict_of_an_earlier_release_is_warned_of_natively_and_refused_as_corrected() -> None:
    given = {"max_depth": 3, "viz": False, "device_regexes": [".*"], "mine": 1}
    said = [f'options "{name}": is not known; {OLD_NAMES[Place.OPTION][name]}' for name in ("viz", "device_regexes")]
    assert list(old_options(given, TFPROF)) == said
    with pytest.raises(OptionError) as caught:
        old_options(given, CORRECTED)
    assert str(caught.value) == said[0]
    assert old_options({"max_depth": 3, "mine": 1}, CORRECTED) == ()


def test_names_of_the_module_answer_to_both_ways_of_asking() -> None:
    for name, answer in OLD_NAMES[Place.PYTHON].items():
        said = f"tfprof_report.profiler has no {name}; {answer}"
        with pytest.raises(OptionError) as caught:
            getattr(profiler, name)
        assert str(caught.value) == said
        with pytest.raises(OptionError) as caught:
            exec(f"from tfprof_report.profiler import {name}")
        assert str(caught.value) == said
    assert not hasattr(profiler, "profil")
    with pytest.raises(ImportError, match="cannot import name 'profil'"):
        exec("from tfprof_report.profiler import profil")


def test_a_method_of_an_earlier_release_answers(tmp_path: Path) -> None:
    (tmp_path / "graph.pbtxt").write_text('node { name: "x" op: "Placeholder" }')
    watch = profiler.Profiler(tmp_path / "graph.pbtxt")
    with pytest.raises(OptionError) as caught:
        getattr(watch, "profile_python_codes")  # noqa: B009 (a type checker knows that it is not there)
    assert str(caught.value) == "Profiler has no profile_python_codes; write profile_python"
    assert not hasattr(watch, "profile_scopes")
