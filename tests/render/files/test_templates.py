"""The templates that are compiled ahead are those of the package, and reports do without them."""

from __future__ import annotations

import jinja2
import pytest
from build_templates import build
from repository import ROOT
from tfprof_report.report_templates import built

from tfprof_report.render.files.templates import make_environment

FOLDER = ROOT / "report_templates" / "built"
needs_release = pytest.mark.skipif(jinja2.__version__ != built.JINJA, reason="compiled by another release of Jinja2")


@needs_release
def test_the_modules_are_what_the_templates_compile_to() -> None:
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.glob("*.py")} == build()


@needs_release
def test_the_modules_are_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jinja2.Environment, "compile", None)
    assert make_environment(autoescape=True).get_template("html/_head.html.j2").name == "html/_head.html.j2"


@pytest.mark.parametrize("name", ["html/_head.html.j2", "html/_cells.html.j2"])
def test_another_release_compiles_the_templates_itself(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tfprof_report.render.files.templates.JINJA", "0.0")
    made = make_environment(autoescape=True).get_template(name)
    assert made.filename is not None
    assert made.filename.endswith(name)
