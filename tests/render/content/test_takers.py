"""The layers that take a figure: a table for each figure that any layer has, linked to their scopes."""

from __future__ import annotations

from layer_rows import layers_of
from report_builders import make_comparison_report, make_report, make_side, make_view, with_head

from tfprof_report.model.totals import Total
from tfprof_report.render.content.takers import takers_of
from tfprof_report.report.at_peak import AtPeak, LayerHeld
from tfprof_report.schema.metrics import Unit

LAYERS = layers_of(
    {
        "conv": {"float_ops": 90, "trainable_params": 10},
        "fc": {"float_ops": 10, "trainable_params": 30},
        "pool": {"float_ops": 5},
    }
)
SCOPES = make_view("scope", ["conv", "conv/Conv2D", "pool"], {"params": [1, 1, 0]})


def test_each_figure_that_a_layer_has_is_a_choice_and_ranks_anew() -> None:
    takers = takers_of(make_report(layers=LAYERS))
    assert [(each.stem, each.choice) for each in takers] == [
        ("float_ops", "FLOPs"),
        ("trainable_params", "Parameters"),
    ]
    assert [[row[0].text for row in each.table.rows] for each in takers] == [["conv", "fc", "pool"], ["fc", "conv"]]


def test_a_layer_links_to_its_scope_if_the_view_has_it() -> None:
    side = make_side(layers=LAYERS, views={"scope": SCOPES})
    links = [each.links for each in takers_of(make_report(head=side))]
    assert links == [{"conv": "#scope=conv", "pool": "#scope=pool"}, {"conv": "#scope=conv"}]
    without = make_side(layers=LAYERS, views={})
    assert takers_of(make_report(head=without))[0].links == {}


def test_what_a_row_opens_to_links_to_its_scope_too() -> None:
    layers = layers_of({f"fc_{place}": {"op": "MatMul", "float_ops": 5} for place in range(3)})
    side = make_side(layers=layers, views={"scope": make_view("scope", ["fc_0", "fc_2"], {"params": [1, 1]})})
    (takers,) = takers_of(make_report(head=side))
    assert [row[0].text for row in takers.table.rows] == ["fc_0 … fc_2 x 3"]
    assert takers.links == {"fc_0": "#scope=fc_0", "fc_2": "#scope=fc_2"}


def test_memory_is_what_is_held_at_the_peak_where_that_is_known() -> None:
    layers = layers_of({"conv": {"bytes": 900}, "fc": {"bytes": 1}, None: {"bytes": 9}})
    held = {"fc": 60, None: 10, "conv": 0}
    found = AtPeak(
        device="/device:GPU:0",
        step=1,
        micros=None,
        peak=100,
        base_peak=None,
        kinds=(),
        holders=(),
        holder_count=2,
        layers=tuple(LayerHeld(name=name, base=None, head=size) for name, size in held.items()),
    )
    (takers,) = takers_of(make_report(layers=layers, at_peak=found))
    assert (takers.choice, takers.label, takers.unit) == ("Peak memory", "Memory at the peak", Unit.BYTES)
    assert [tuple(cell.text for cell in row[:3]) for row in takers.table.rows] == [
        ("fc", "60 B", "60.00 %"),
        ("in no layer", "10 B", "10.00 %"),
    ]
    assert takers.note == "Shares are of the whole peak: 30 B of it was allocated before the step, mostly parameters."
    assert takers.tree is not None
    assert takers.tree.select(["name", "total_device_peak_bytes"]).to_pylist() == [
        {"name": "fc", "total_device_peak_bytes": 60},
        {"name": "allocated before the step", "total_device_peak_bytes": 30},
        {"name": "in no layer", "total_device_peak_bytes": 10},
    ]


def test_shares_of_a_lower_bound_say_so() -> None:
    totals = (
        Total(stem="float_ops", value=105, known=8, capable=9),
        Total(stem="trainable_params", value=40, known=2, capable=2),
    )
    notes = [each.note for each in takers_of(make_report(layers=LAYERS, totals=totals))]
    assert notes == ["Shares are of what is known: 1 node is not counted.", ""]


def test_there_are_eight_at_most() -> None:
    layers = layers_of({letter: {"float_ops": size} for size, letter in enumerate("abcdefghij", 1)})
    (takers,) = takers_of(make_report(layers=layers))
    assert [row[0].text for row in takers.table.rows] == list("jihgfedc")
    assert takers.table.left_out == "Shows 8 of 10 kinds of layers; 2 are left out (layers.parquet)."


def test_a_comparison_and_a_report_without_layers_have_none() -> None:
    assert takers_of(with_head(make_comparison_report(), layers=LAYERS)) == ()
    assert takers_of(make_report()) == ()
