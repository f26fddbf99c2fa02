from __future__ import annotations

from typing import Any

import reference
import reference_trees
from examples import examples
from hypothesis import given, settings
from hypothesis import strategies as st
from messages import inputs_of, models
from option_draws import options

from tfprof_report.model.build_table import build_node_table
from tfprof_report.render.tfprof.write_view import view_text
from tfprof_report.semantics import TFPROF


@settings(max_examples=examples(100), deadline=None)
@given(st.data())
def test_any_query_of_any_model_prints_what_the_reference_prints(data: st.DataObject) -> None:
    model: tuple[Any, list[tuple[int, Any]], Any] = data.draw(models())
    table = reference.build(*model)
    query = data.draw(options(steps=tuple(sorted(table.steps))))
    ours = build_node_table(inputs_of(*model))
    assert ours.step_numbers == tuple(sorted(table.steps))
    for view in ("scope", "op"):
        assert "".join(view_text(ours, view, query, TFPROF)) == reference.text_of(table, view, query)
    for view in ("graph", "code"):
        assert "".join(view_text(ours, view, query, TFPROF)) == reference_trees.text_of(table, view, query)
