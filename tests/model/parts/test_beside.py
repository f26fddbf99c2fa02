"""Of many scopes, those that are independent of the first; checked against the definition, one scope at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tfprof_report.arrays import Bools, Ints, marks
from tfprof_report.model.graph.reach import Flow
from tfprof_report.model.parts.beside import beside_first


def is_beside(copy: Ints, first: Ints, data: Flow, works: Bools) -> bool:
    """The definition, with searches of its own for each scope."""
    is_result = works & marks(data.target, len(works))
    here, there = (marks(rows, len(works)) for rows in (copy, first))
    after_here, after_there = (data.after(scope & is_result) for scope in (here, there))
    if (after_here & there).any() or (after_there & here).any():
        return False
    begins = [data.before(scope) & ~marks(data.target, len(works)) & ~scope for scope in (here, there)]
    return not (after_here & after_there & works).any() or bool((begins[0] != begins[1]).any())


@st.composite
def scoped_graphs(draw: st.DrawFn) -> tuple[list[Ints], Flow, Bools]:
    """A few scopes among other nodes, with edges that mostly lead onwards and some that lead back."""
    count = draw(st.integers(4, 24))
    scope = np.array(draw(st.lists(st.integers(-1, 4), min_size=count, max_size=count)))
    ends = st.tuples(st.integers(0, count - 1), st.integers(0, count - 1))
    pairs = draw(
        st.lists(ends.map(lambda pair: pair if draw(st.integers(0, 9)) == 0 else tuple(sorted(pair))), max_size=40)
    )
    source, target = np.array(pairs, dtype=np.int64).reshape(-1, 2).T
    works = np.array(draw(st.lists(st.sampled_from([True, True, True, False]), min_size=count, max_size=count)))
    scopes = [rows for number in range(5) if len(rows := np.flatnonzero(scope == number))]
    return scopes, Flow(source=source, target=target), works


@given(scoped_graphs())
def test_all_scopes_at_once_are_judged_as_each_by_itself(case: Any) -> None:
    scopes, data, works = case
    if scopes:
        first, *others = scopes
        assert beside_first(scopes, data, works)[1:].tolist() == [
            is_beside(copy, first, data, works) for copy in others
        ]
