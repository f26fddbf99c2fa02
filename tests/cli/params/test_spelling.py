"""tfprof's spellings of options are those of the command line."""

from __future__ import annotations

import pytest

from tfprof_report.cli.params.spelling import TFPROF, spell


@pytest.mark.parametrize(
    ("given", "spelt"),
    [
        ("scope --max_depth=3", "scope --max-depth=3"),
        ("scope -max_depth 3 -select a_b", "scope --max-depth 3 --select a_b"),
        ("scope -max-depth=3 -step -1", "scope --max-depth=3 --step -1"),
        ("scope -account_displayed_op_only -step 1", "scope --account-displayed-op-only=true --step 1"),
        ("scope --account_displayed_op_only no", "scope --account-displayed-op-only no"),
        ("scope -h -x_y ---a_b max_depth xselect", "scope -h -x_y ---a-b max_depth xselect"),
        ("scope -viz -device_regexes=x ---viz", "scope --viz --device-regexes=x ---viz"),
        ("scope -- --max_depth -step", "scope -- --max_depth -step"),
    ],
)
def test_underscores_one_dash_and_bare_booleans(given: str, spelt: str) -> None:
    assert spell(given.split()) == spelt.split()


def test_the_options_of_tfprof_are_all_there() -> None:
    assert len(TFPROF) == 20 + 7
    assert {"--graph-path", "--hide-name-regexes", "--dump-to-file"} <= TFPROF
