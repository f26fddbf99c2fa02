"""The parameters about the bodies of functions, which reports and text share."""

from __future__ import annotations

from typing import Any

from tfprof_report.cli.params.common import option
from tfprof_report.vocabulary import Cond, Functions, Loops


def function_params(panel: str, default: Functions) -> dict[str, tuple[Any, Any]]:
    """Return the parameters that say whether and how often the bodies of functions count."""
    return {
        "functions": option(
            Functions,
            "--functions",
            panel=panel,
            text="on: the nodes of functions stand below each node that calls them; off: only the graph's own nodes, "
            f"as in tfprof. [default: {default}]",
            default=default,
            metavar="|".join(Functions),
        ),
        "cond": option(
            Cond,
            "--cond",
            panel=panel,
            text="Branches of If and Case that count: the one with most FLOPs, all, or none. [default: max]",
            default=Cond.MAX,
            metavar="|".join(Cond),
        ),
        "loops": option(
            Loops,
            "--loops",
            panel=panel,
            text="Iterations of loops that count: as many as constants prove, as run metadata has executions (else "
            "unknown), or one. [default: trip-count]",
            default=Loops.TRIP_COUNT,
            metavar="|".join(Loops),
        ),
    }
