"""Enums of the values that options accept, shared by the command line and the code that interprets them.

Imports nothing heavy, so that ``--help`` is fast.
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
    """Which FLOPs of a node count if both the op log and the rules give a figure."""

    OP_LOG = "op-log"
    RULES = "rules"


class Count(StrEnum):
    """Which ops' FLOPs count: those of all, or of contractions only."""

    ALL = "all"
    CONTRACTION = "contraction"


class Functions(StrEnum):
    """Whether the bodies of functions are inlined."""

    ON = "on"
    OFF = "off"


class Cond(StrEnum):
    """Which branches of a conditional count."""

    MAX = "max"  # the branch with most FLOPs, the first of equal ones
    SUM = "sum"
    NONE = "none"


class Loops(StrEnum):
    """How many times the body of a loop counts."""

    TRIP_COUNT = "trip-count"  # the trip count that constants prove, else unknown
    RUN_META = "run-meta"  # the number of executions in run metadata, else unknown
    ONCE = "once"


class BaselineMissing(StrEnum):
    """What to do if there is no baseline."""

    FAIL = "fail"
    WARN = "warn"
    OK = "ok"


class Annotations(StrEnum):
    """CI hosts whose annotation format can be printed."""

    NONE = "none"
    GITHUB = "github"
    AZURE = "azure"


class Host(StrEnum):
    """CI hosts with a ready-made recipe."""

    GITHUB = "github"
    GITLAB = "gitlab"
    JENKINS = "jenkins"
    AZURE = "azure"


class Snippet(StrEnum):
    """Code snippets that write the inputs of a report from a model."""

    TF1 = "tf1"
    TF_FUNCTION = "tf-function"
    KERAS = "keras"
    JAX = "jax"
