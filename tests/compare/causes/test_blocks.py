"""Layers that one side alone has, as units."""

from __future__ import annotations

import re

from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.compare.causes.blocks import Blocks, Unit, _all_counted

LAYERS = st.lists(st.text("ab0/1_\n", min_size=1, max_size=6), unique=True, max_size=8)


@given(LAYERS, st.data())
def test_a_unit_is_counted_by_the_first_number_that_others_differ_in(names: list[str], data: st.DataObject) -> None:
    """A walk over all layers that both sides have, for each number in the name."""
    forms = {name: data.draw(st.sampled_from("xy")) for name in names}
    kept = [name for name in names if data.draw(st.booleans())]
    counted = _all_counted(kept, forms)
    blocks = Blocks(alone=({}, {}), order=((), ()), partner={}, counted=(counted, counted), forms=(forms, forms))
    for name in names:
        assert blocks.unit(name, is_new=True) == _unit(name, kept, forms)


def _unit(name: str, kept: list[str], forms: dict[str, str]) -> Unit | None:
    for number in re.finditer(r"[0-9]+", name):
        start, end = number.span()
        pattern = f"{re.escape(name[:start])}[0-9]+{re.escape(name[end:])}"
        if any(re.fullmatch(pattern, other) and forms[other] == forms[name] for other in kept):
            return Unit(stem=f"{name[:start]}#", name=name[:end])
    return None
