"""The words that users choose from, each closed set declared once: the command line and what it asks for share them.

Imports nothing heavy, so that ``--help`` can list them at once.
"""

from __future__ import annotations

from enum import StrEnum


class Preset(StrEnum):
    """The presets of `semantics`."""

    TFPROF = "tfprof"
    CORRECTED = "corrected"


class FlopsRules(StrEnum):
    """The sets of FLOPs rules."""

    NONE = "none"
    TFPROF = "tfprof"
    EXTENDED = "extended"


class FloatOpsFrom(StrEnum):
    """Where a node's FLOPs come from if both the op log and the rules know them."""

    OP_LOG = "op-log"
    RULES = "rules"


class Count(StrEnum):
    """Whose FLOPs count."""

    ALL = "all"
    CONTRACTION = "contraction"


class Functions(StrEnum):
    """Whether the bodies of functions are inlined."""

    ON = "on"
    OFF = "off"


class Cond(StrEnum):
    """Which branches of a conditional count."""

    MAX = "max"  # the one with most FLOPs, the first of equals
    SUM = "sum"
    NONE = "none"


class Loops(StrEnum):
    """How often the body of a loop counts."""

    TRIP_COUNT = "trip-count"  # as often as constants prove, else unknown
    RUN_META = "run-meta"  # as often as run metadata has executions of its nodes, else unknown
    ONCE = "once"


class BaselineMissing(StrEnum):
    """What to do without a baseline."""

    FAIL = "fail"
    WARN = "warn"
    OK = "ok"


class Annotations(StrEnum):
    """Hosts that show annotations."""

    NONE = "none"
    GITHUB = "github"
    AZURE = "azure"


class Host(StrEnum):
    """CI hosts that there are recipes for."""

    GITHUB = "github"
    GITLAB = "gitlab"
    JENKINS = "jenkins"
    AZURE = "azure"


class Snippet(StrEnum):
    """Programs that write the profile of a model."""

    TF1 = "tf1"
    TF_FUNCTION = "tf-function"
    KERAS = "keras"
