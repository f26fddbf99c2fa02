"""Compile the templates of reports to Python modules, which start faster than Jinja2 compiles.

    python ci/build_templates.py report_templates/built

The modules are committed. They are of one release of Jinja2, whose version is in their ``__init__.py``: with any other,
reports compile the templates themselves. The same templates and release give the same modules.
"""

from __future__ import annotations

import sys
from pathlib import Path

import jinja2

from tfprof_report.render.files.templates import module_name
from tfprof_report.render.html.page import page_environment
from tfprof_report.render.markdown.document import document_environment

HEADING = '"""Compiled from {} by `make templates`."""\n\n'
VERSION = '"""The templates, compiled by `make templates` with this Jinja2."""\n\n'
ENVIRONMENTS = {"html": page_environment, "markdown": document_environment}
"""By the folder of the templates."""


def build() -> dict[str, str]:
    """Return the text of each module by its file name."""
    built = {"__init__.py": f'{VERSION}JINJA = "{jinja2.__version__}"\n'}
    for name in page_environment().list_templates(extensions=["j2"]):
        environment = ENVIRONMENTS[name.partition("/")[0]]()
        assert environment.loader is not None  # noqa: S101 for mypy
        source, _, _ = environment.loader.get_source(environment, name)
        code = environment.compile(source, name, name, raw=True, defer_init=True)
        built[f"{module_name(name)}.py"] = f"{HEADING.format(name)}{code}\n"
    return built


def main(folder: Path) -> None:
    """Write the modules, and remove those of templates that are gone."""
    built = build()
    folder.mkdir(exist_ok=True)
    for path in folder.glob("*.py"):
        if path.name not in built:
            path.unlink()
    for name, text in built.items():
        (folder / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
