"""The values of the commands `rules`, `accept`, `init` and `schema`."""

from typing import Annotated, ClassVar

from tfprof_report.cli.params.declare import argument, option
from tfprof_report.record import record
from tfprof_report.vocabulary import FlopsRules, Host, Snippet

_WRITE = "What to write"

FLOPS_RULES = option("Your own FLOPs rules, such as for custom ops; they take precedence over --rules.", metavar="FILE")


@record
class NoValues:
    """The values of a command without options."""


@record
class RulesValues:
    """Which FLOPs rules are printed."""

    PANEL: ClassVar[str] = "FLOPs rules"

    rules: Annotated[
        FlopsRules,
        option(
            "tfprof: those of TensorFlow's registry; extended: those and many more; none: those of --flops-rules only."
        ),
    ] = FlopsRules.EXTENDED
    flops_rules: Annotated[str | None, FLOPS_RULES] = None
    op: Annotated[list[str] | None, option("Only this op type; repeatable.", metavar="OP")] = None
    op_class: Annotated[
        str | None, option("Only op types of this class, such as contraction.", "--class", metavar="CLASS")
    ] = None


@record
class AcceptValues:
    """The report, and the reason and expiry date of the entries."""

    PANEL: ClassVar[str] = _WRITE

    dir: Annotated[str, argument("The folder of a report whose gates failed.", "DIR")]
    reason: Annotated[str, option("Why the changes are accepted, in a sentence.", metavar="TEXT")]
    expires: Annotated[str, option("The last day on which the entries are valid, such as 2027-01-31.", metavar="DAY")]
    model: Annotated[
        str | None,
        option(
            "One of several models; for a report of one model, its label, which limits the entries to that model. "
            "[default: all models]",
            metavar="NAME",
        ),
    ] = None


@record
class InitValues:
    """What is set up."""

    PANEL: ClassVar[str] = _WRITE

    host: Annotated[
        Host | None,
        option("CI host whose recipe is written. [default: the one that the repository uses]", metavar="|".join(Host)),
    ] = None
    force: Annotated[bool, option("Replace existing files.")] = False
    snippet: Annotated[
        Snippet | None,
        option(
            "Write no file; print a program that profiles training in a TF1 session, a tf.function, Keras or JAX.",
            metavar="|".join(Snippet),
        ),
    ] = None
