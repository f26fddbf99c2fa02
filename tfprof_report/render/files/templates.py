"""The Jinja2 environment that HTML and Markdown share, and the styles and scripts that are inlined into a page."""

from __future__ import annotations

from functools import cache
from importlib.resources import files

from jinja2 import Environment, PackageLoader, StrictUndefined

_PACKAGE = "tfprof_report.report_templates"


def make_environment(*, autoescape: bool) -> Environment:
    """Return an environment for the templates of this package; an undefined name in a template is an error."""
    return Environment(
        loader=PackageLoader(_PACKAGE, ""),
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
