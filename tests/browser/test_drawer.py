"""The drawer of a chosen row, and the address, which has what a view shows."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pyarrow.parquet as pq
import pytest
from axe_playwright_python.sync_playwright import Axe
from browsing import PHONE, SCREENS, LiveView, Opened, Screen, box
from command import write_model
from messages import graph, node
from pages import write_comparison
from playwright.sync_api import Locator, expect

pytestmark = pytest.mark.browser

Open = Callable[..., Opened]

CONV = "unit_1_0/sub1/conv1/Conv2D"


def drawer_of(view: LiveView) -> Locator:
    return view.section.get_by_role("group", name="The chosen row")


def facts(view: LiveView) -> dict[str, str]:
    """Return the facts of the chosen node by their labels."""
    drawer = drawer_of(view)
    drawer.locator("dl").wait_for()
    labels, texts = (drawer.locator(tag).all_inner_texts() for tag in ("dt", "dd"))
    return dict(zip(labels, texts, strict=True))


@pytest.mark.parametrize("view", ["scope", "graph"])
def test_a_chosen_node_shows_what_the_node_table_has(open_page: Open, resnet: Path, view: str) -> None:
    live = LiveView(open_page(resnet, f"#{view}={CONV}"), view)
    found = facts(live)
    (row,) = (row for row in pq.read_table(resnet / "nodes.parquet").to_pylist() if row["name"] == CONV)
    inputs, (out,) = row["input_shapes"], row["output_shapes"]
    assert found["Op"] == row["op"] == "Conv2D"
    assert found["Device"] == row["run_devices"][0]
    assert found["Shapes in"] == " ".join(str(shape).replace(" ", "") for shape in inputs)
    assert found["Shapes out"] == f"{out} from the graph".replace(", ", ",")
    assert found["FLOPs"] == f"{row['float_ops']:,} from the op log"
    assert found["Rule"] == "2 N(out) in1[0] in1[1] in1[2]"
    sizes = [2, out[0] * out[1] * out[2] * out[3], *inputs[1][:3]]
    assert found["In numbers"] == " \N{MULTIPLICATION SIGN} ".join(f"{size:,}" for size in sizes)
    assert (found["Layer"], found["Phase"], found["Code"]) == (row["layer"], row["phase"], row["code_line"])
    assert found["Executions"] == "1 in each step of the run"
    assert found["Inputs"].split() == [name.partition(":")[0] for name in row["inputs"]]


def test_a_removed_node_shows_what_the_node_table_of_base_has(open_page: Open, resnet: Path) -> None:
    name = CONV.replace("unit_1_0", "unit_1_4")
    live = LiveView(open_page(resnet, f"#graph={name}"), "graph")
    found = facts(live)
    (row,) = (row for row in pq.read_table(resnet.parent / "base" / "nodes.parquet").to_pylist() if row["name"] == name)
    assert (found["Op"], found["Device"]) == ("Conv2D", row["run_devices"][0])
    assert found["Shapes in"] == " ".join(str(shape).replace(" ", "") for shape in row["input_shapes"])
    assert found["FLOPs"] == f"{row['float_ops']:,} from the op log"
    assert found["In numbers"].startswith("2 \N{MULTIPLICATION SIGN} ")
    assert (found["Layer"], found["Code"]) == (row["layer"], row["code_line"])
    assert found["Inputs"].split() == [name.partition(":")[0] for name in row["inputs"]]
    assert "unit_1_4/sub2" in found["Consumers"] or "unit_1_4/sub1" in found["Consumers"]
    assert "Base does not say" not in found
    consumer = drawer_of(live).locator("dd button").last
    leads_to = consumer.inner_text()
    consumer.click()
    expect(drawer_of(live).locator("> .name")).to_have_text(leads_to)


def test_what_the_tables_of_base_lack_is_said(open_page: Open, tmp_path: Path) -> None:
    nodes = [node("x", "Placeholder", output_shapes=[[2, 3]]), node("gone", "Relu", "x", output_shapes=[[2, 3]])]
    models = (write_model(tmp_path / f"model-{len(made)}", graph(*made)) for made in (nodes, nodes[:1]))
    found = facts(LiveView(open_page(write_comparison(*models, tmp_path), "#scope=gone"), "scope"))
    assert (found["Op"], found["Shapes in"], found["FLOPs"]) == ("Relu", "[2,3]", "6 by a rule of this tool")
    assert found["Inputs"] == "x"
    assert found["Base does not say"] == "device, layer, code"


def test_a_neighbour_is_chosen_by_a_press_and_leads_back(open_page: Open, resnet: Path) -> None:
    live = LiveView(open_page(resnet, f"#graph={CONV}"), "graph")
    facts(live)
    drawer = drawer_of(live)
    name = drawer.locator("dd button").first.inner_text()
    drawer.get_by_role("button", name=name, exact=True).press("Enter")
    expect(drawer.locator("> .name")).to_have_text(name)
    expect(live.table.locator("[aria-selected=true] [role=rowheader]")).to_have_attribute("title", name)
    assert CONV in facts(live)["Consumers"].splitlines()
    live.page.go_back()
    expect(drawer.locator("> .name")).to_have_text(CONV)


def test_a_scope_has_figures_alone_and_the_drawer_closes(open_page: Open, resnet: Path) -> None:
    live = LiveView(open_page(resnet, "#scope=unit_1_0"), "scope")
    drawer = drawer_of(live)
    expect(drawer.locator("li").first).to_be_visible()
    expect(drawer.locator("dl")).to_have_count(0)
    drawer.get_by_role("button", name="Close").click()
    expect(drawer).to_have_text("Choose a row to read its exact figures.")
    expect(live.table).to_be_focused()
    expect(live.table.locator("[aria-selected=true]")).to_have_count(0)
    live.page.wait_for_url("**#view-scope")


@pytest.mark.parametrize("screen", SCREENS, ids=str)
def test_axe_finds_nothing_in_the_drawer_and_it_fits(open_page: Open, resnet: Path, screen: Screen) -> None:
    opened = open_page(resnet, f"#graph={CONV}", screen=screen)
    facts(LiveView(opened, "graph"))
    results = Axe().run(opened.page, context="#view-graph")
    assert results.violations_count == 0, results.generate_report()
    assert opened.page.evaluate("document.documentElement.scrollWidth") == screen.width


def test_a_deep_row_beside_the_drawer_has_its_name_below_the_header(open_page: Open, resnet: Path) -> None:
    live = LiveView(open_page(resnet, f"#graph={CONV}"), "graph")
    facts(live)
    row = live.table.locator("[aria-selected=true]")
    assert int(row.get_attribute("aria-level") or 0) > 12
    assert box(row.locator(".leaf"))[0] > 40
    assert box(row.get_by_role("rowheader"))[0] == box(live.table.get_by_role("columnheader").first)[0]


def test_the_address_has_search_order_columns_and_row(open_page: Open, resnet: Path) -> None:
    opened = open_page(resnet, "#view-scope")
    view = LiveView(opened, "scope")
    view.search.fill("sub1")
    view.header("Parameters head").get_by_role("button").click()
    view.header("Parameters head").get_by_role("button").click()
    view.section.get_by_text("Columns", exact=True).click()
    view.section.get_by_role("checkbox", name="FLOPs, delta").uncheck()
    view.section.get_by_role("checkbox", name="Output memory, head").check()
    view.rows().filter(has_text="sub1").first.click()
    opened.page.wait_for_url("**&columns=*")
    labels, count, name = view.labels(), view.count(), drawer_of(view).locator("> .name").inner_text()
    assert "&find=sub1&sort=-params:total&columns=" in opened.page.url
    assert "FLOPs delta" not in labels
    opened.page.reload()
    again = LiveView(opened, "scope")
    expect(again.search).to_have_value("sub1")
    expect(again.header("Parameters head")).to_have_attribute("aria-sort", "ascending")
    assert (again.labels(), again.count()) == (labels, count)
    expect(drawer_of(again).locator("> .name")).to_have_text(name)
    again.section.get_by_text("Columns", exact=True).click()
    expect(again.section.get_by_role("checkbox", name="FLOPs, delta")).not_to_be_checked()


def test_an_address_without_a_row_has_a_search(open_page: Open, resnet: Path) -> None:
    view = LiveView(open_page(resnet, "#op=&find=conv&sort=none", screen=PHONE), "op")
    expect(view.search).to_have_value("conv")
    expect(view.table.locator("[aria-sort=descending]")).to_have_count(0)
    expect(drawer_of(view)).to_have_text("Choose a row to read its exact figures.")
    view.search.fill("")
    view.header("FLOPs delta").get_by_role("button").click()
    view.page.wait_for_url("**#view-op")
