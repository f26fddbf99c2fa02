"""The page of exit codes, from the docstrings of `ExitCode`."""

from __future__ import annotations

import ast
import inspect
from itertools import pairwise

from reference_pages.markdown import code, page, table
from tfprof_report.cli.call import INTERRUPTED
from tfprof_report.errors import ExitCode

_AFTER = """
Errors (2, 3 and 4) are one line on standard error: the file or option, what is wrong, what to do. With 1 and 5 the
report is written all the same. [Outcomes](../gates.md#the-outcome-of-a-report) says which gates and comparisons end
with 0, 1 and 5.
""".strip()


def exit_codes() -> str:
    """Return the page."""
    rows = [(code(str(ExitCode[name].value)), text) for name, text in meanings().items()]
    rows.append((code(str(INTERRUPTED)), "interrupted by Ctrl-C; for another signal 128 plus its number"))
    return page("Exit codes", inspect.getdoc(ExitCode) or "", table(("code", "meaning"), rows), _AFTER)


def meanings() -> dict[str, str]:
    """Return what each member of `ExitCode` says below itself, by its name.

    Raises
    ------
    KeyError
        A member says nothing.
    """
    (definition,) = ast.parse(inspect.getsource(ExitCode)).body
    found = {
        name.id: " ".join(text.split())
        for statement, below in pairwise(getattr(definition, "body", []))
        if isinstance(statement, ast.Assign)
        and isinstance(name := statement.targets[0], ast.Name)
        and isinstance(below, ast.Expr)
        and isinstance(below.value, ast.Constant)
        and isinstance(text := below.value.value, str)
    }
    return {member.name: found[member.name] for member in ExitCode}
