"""The Jinja2 environment that HTML and Markdown share, and the styles and scripts that are inlined into a page."""

from __future__ import annotations

from collections.abc import MutableMapping
from functools import cache
from importlib import import_module
from importlib.resources import files
from typing import Any

import jinja2
from jinja2 import Environment, PackageLoader, StrictUndefined, Template

from tfprof_report.report_templates.built import JINJA

_PACKAGE = "tfprof_report.report_templates"


class _Templates(PackageLoader):
    """The templates of this package; `make templates` has compiled them, which takes a tenth of a small report.

    Code of another release of Jinja2 is not used: then they are compiled here.
    """

    def load(
        self,
        environment: Environment,
        name: str,
        globals: MutableMapping[str, Any] | None = None,  # noqa: A002
    ) -> Template:
        if getattr(jinja2, "__version__", None) != JINJA:
            return super().load(environment, name, globals)
        module = import_module(f"{_PACKAGE}.built.{module_name(name)}")
        return environment.template_class.from_module_dict(environment, vars(module), globals or {})


def module_name(template: str) -> str:
    """Return the name of the module that a template is compiled to: ``html_report`` for ``html/report.html.j2``."""
    return template.partition(".")[0].replace("/", "_")


def make_environment(*, autoescape: bool) -> Environment:
    """Return an environment for the templates of this package; an undefined name in a template is an error."""
    return Environment(
        loader=_Templates(_PACKAGE, ""),
        autoescape=autoescape,  # noqa: S701 Markdown has its own escapes
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )


@cache
def read_asset(name: str) -> str:
    """Return the text of a file in ``assets/``."""
    return (files(_PACKAGE) / "assets" / name).read_text(encoding="utf-8").rstrip("\n")
