"""Command lines, drawn from the parameters that the commands themselves declare: a new option is drawn too."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from functools import cache
from random import Random
from typing import Any

from fuzz.values import ATTRIBUTES, BUDGETS, INTS, LIMITS, NAMES, ODD_LIMITS, REGEXES
from tfprof_report.cli.call import command_line
from tfprof_report.options import Options
from tfprof_report.schema.metrics import METRICS

_TEXT = ("m", "main", "abc", *NAMES, "\udcff")
"""What a text may be; the last is a byte of an argument that is no UTF-8."""

_INPUTS = (
    *("p", "x", "ck", "E", "missing", "", ".", "x.toml", "anc", "/dev/null", "M/graph.pb,p", "1=M/run_meta_1", "-1=x"),
    *("a=x", "m=M", "=", "m=", "e", "M/", "folder.pb", "\udcff", "B"),
)
_OUTPUTS = ("d", ".", "", "M", "é", "\udcff", "a\nb", "x" * 300, "M/graph.pb", "o/../o")


DRIFTS = (
    *(" since v1.0", " since 30d", " since 0h", " since 01234567", " since x y", " since", "\tsince 99999w"),
    *(" against best", " against E", " against missing", " against \udcff", " against .", " against best since v1.0"),
)
"""What makes a drift gate of a gate, right or wrong."""


def odd_gate(random: Random) -> str:
    """Return a gate, mostly a right one."""
    sign = random.choice(["+", ""])
    metric = random.choice(tuple(METRICS)) if random.random() < 0.95 else random.choice(NAMES)
    relation = random.choice(["<="] * 12 + [">="] * 4 + ["==", "==", "<", "=<", "≤"])

    def limit() -> str:
        if random.random() < 0.85:
            return sign + random.choice(LIMITS if sign else BUDGETS)
        return random.choice(["", "+", "-", "--"]) + random.choice(ODD_LIMITS)

    text = f"{metric} {relation} {limit()}" if random.random() < 0.8 else f"{limit()} <= {metric} <= {limit()}"
    if random.random() < 0.15:
        text += random.choice(DRIFTS)
    if random.random() < 0.9:
        return text
    cut = text[: random.randrange(len(text))]
    return random.choice([text * 2, cut, f"m: {text}", f":{text}", text.replace(" ", "\t\n")])


@dataclass(frozen=True, slots=True)
class Words:
    """Values of an option: those that it takes, and those that it may refuse."""

    good: Sequence[str]
    odd: Sequence[str] = ("x", "")

    def draw(self, random: Random) -> str:
        """Return a value, mostly a good one."""
        return random.choice(self.good if random.random() < 0.8 else self.odd)


_COLUMNS = (*METRICS, "tensor_value", "input_shapes", "device", "op_types", "occurrence")
_OUTPUT_KINDS = ("file", "timeline", "pprof", "folded", "speedscope")
_BY_NAME: Mapping[str, Words] = {
    "--out": Words(("o",), _OUTPUTS),
    "--output": Words(
        ("stdout", "none", *(f"{kind}:outfile={name}" for kind in _OUTPUT_KINDS for name in ("v", "v2"))),
        (
            "x",
            "",
            "file:",
            "file:outfile=",
            "pprof:outfile=a,outfile=b",
            *(f"file:outfile={name}" for name in _OUTPUTS),
        ),
    ),
    "--select": Words((*METRICS, *_COLUMNS, ",".join(_COLUMNS)), ("x", "", ",", "params,params", "params,")),
    "--order-by": Words((*METRICS, "name", "occurrence"), ("depth", "x", "")),
    "--step": Words(("-1", "0", "1", "2"), ("99", str(2**63), "x")),
    "--input-shape": Words(("p=1,2", "x=1,224,224,3"), ("p=-1", "p=", "=1", f"p={10**20}", "p=" + "1," * 300, "p")),
    "--leave-out": Words(("all", "training", "savers,summaries", "gradients,optimizer"), ("x", "", ",")),
    "--outputs": Words(("all", "fc/MatMul", "add"), _TEXT),
    "--checkers": Words(("ExpensiveOperationChecker", "AcceleratorUtilizationChecker,OperationChecker")),
    "--timestamp": Words(
        ("2024-01-01T00:00:00Z", "9999-12-31T23:59:59Z"), ("x\x1b[31m", "", "0001-01-01T00:00:00Z", "2024-01-01")
    ),
    "--expires": Words(("2099-01-01", "9999-12-31"), ("x", "2099-13-01", "0001-01-01", "")),
    "--batch": Words(("1", "32", "unknown"), ("0", "-1", str(2**62), "x")),
    "--jobs": Words(("1", "2", "4"), ("0", "-1", "99999999999")),
    "--memory": Words(("8GiB", "500MiB"), ("x", "", "0", "-1", str(10**20))),
    "--time-limit": Words(("90s", "30m", "2h"), ("x", "", "0s", "1d", "99999h", "1.5h")),
    "--scheduler": Words(("tcp://127.0.0.1:1",), ("x", "", "tcp://", "\udcff")),
    "--max-chars": Words(("1000", "60000"), ("999", "0", "99999999999")),
    "--top": Words(("1", "3"), ("0", "-1", "1000000000")),
    "--keep": Words(("1", "2"), ("0", "-1", str(10**20))),
    "--since": Words(("1d", "30d", "2024-01-01", "v1", "0123456"), ("x", "", "9999-12-31", "99999d", "0d", "0")),
    "--last": Words(("1", "2", "100"), ("0", "-1", str(10**20))),
    "--metric": Words((*METRICS, "wall_micros", "device_peak_bytes", "idle_micros", "transfer_bytes"), ("x", "")),
    "--compare": Words(("0", "1", "30"), ("-1", str(10**20))),
    "--badge": Words(
        ("params=b.json", "m/float_ops=b2.json", "wall_micros=o/b.json"),
        (
            "x",
            "=",
            "params",
            "params=",
            "m/=b",
            "/params=b",
            "x/params=b",
            "x=b",
            "params=M",
            "params=o/history.md",
            "a=b=c",
        ),
    ),
    "--ancestors": Words(("anc",), _INPUTS),
    "--git": Words((".",), _INPUTS),
    "--git-range": Words(("HEAD~1..HEAD",), ("x", "", "..", "-x..y", "a...b", "nosuch..HEAD")),
    "--command": Words(("mkdir -p p", "true"), ("false", "")),  # it is run: no random text
    "--command-limit": Words(("30s", "1m"), ("0s", "x", "", "9" * 30 + "h")),
    "--bisect": Words((*METRICS, "device_peak_bytes"), ("x", "")),
    "--store-url": Words(("https://example.org/s", "none"), ("x", "", "javascript:alert(1)", "https://a@b/")),
    "--commit-url": Words(
        ("https://example.org/{commit}",), ("x", "", "{commit}", "javascript:{commit}", "https://a/b")
    ),
    "--low-utilization": Words(("0.5", "0", "1"), ("2", "-1", "nan", "x")),
    "--op": Words(("MatMul", "Conv2D"), ("", *ATTRIBUTES)),
    "--class": Words(("contraction", "elementwise")),
    "--graph": Words(("M/graph.pb", "M/graph.pb", "p"), _INPUTS),
    "--run-meta": Words(("M/run_meta_1", "1=M/run_meta_1"), _INPUTS),
    "--xplane": Words(("T", "T", "p", "T/plugins/profile/1/a.xplane.pb"), _INPUTS),
    "--run": Words(("1", "2"), _TEXT),
    "--op-log": Words(("M/tfprof_log",), _INPUTS),
    "--store": Words(("S", "missing"), (*_INPUTS, "x://y")),
    "--store-model": Words(("m", "resnet"), _TEXT),
    "--query": Words(
        ("last=1", "model=m, branch=main", "commit=0123, last=5", "since=30d", "label=x, model=m"),
        (
            "",
            ",",
            "x",
            "model=",
            "=m",
            "modle=m",
            "last=0",
            "last=1,last=2",
            "since=soon",
            "since=99999w",
            "model=\udcff",
        ),
    ),
    "--config": Words(("x.toml", "none"), _INPUTS),
    **dict.fromkeys(("--acknowledged", "--name-map", "--flops-rules"), Words(("x.toml",), _INPUTS)),
    **dict.fromkeys(
        ("--summary", "--comment", "--junit", "--openmetrics", "--history", "--dump-to-file", "--chat"),
        Words(("w", "w2", "a b"), (*_OUTPUTS, "d/w")),
    ),
}
_ODD_NUMBERS = tuple(map(str, (*INTS, 10**20, "x", "")))
_BY_METAVAR: Mapping[str, Words] = {
    "N": Words(("0", "1", "2", "5", "100"), _ODD_NUMBERS),
    "LIST": Words((".*", "conv.*", "a,b", ".*/.*", "fc.*"), REGEXES),
    "BOOL": Words(("true", "false")),
    "PERCENT": Words(("1%", "50%", "0%"), ("1e9%", "-1%", "0", "1e400%", "nan%", "x", "-0%", "100%", "")),
    "AGE": Words(("1d", "30d", "12h", "8w"), ("9" * 30 + "d", "1e5d", "0w", "0h", "9999999999999d", "x", "")),
    "NAME=INPUTS": Words(("a=M", "b=B"), _INPUTS),
    **dict.fromkeys(("FILE", "[STEP=]FILE", "FILE,...", "PREFIX", "DIR"), Words(("p", "ck", "anc"), _INPUTS)),
    **dict.fromkeys(("BASE", "INPUTS", "HEAD"), Words(("M", "B", "E"), _INPUTS)),
}
_SIDES = ("--base-", "--head-")


@cache
def commands() -> Mapping[tuple[str, ...], Sequence[Any]]:
    """Return the options of each command, by the words of the command, as typer has them."""
    found: dict[tuple[str, ...], Sequence[Any]] = {}
    waiting: list[tuple[tuple[str, ...], Any]] = [((), command_line())]
    while waiting:
        words, command = waiting.pop()
        below = getattr(command, "commands", {})
        waiting += [((*words, name), each) for name, each in sorted(below.items())]
        if not below:
            found[words] = [each for each in command.params if each.param_type_name == "option"]
    return found


def value(random: Random, option: Any) -> str:
    """Return a value for an option of typer: by its name, by its allowed words, or by what its help calls it."""
    name = option.opts[0]
    for side in _SIDES:
        name = f"--{name.removeprefix(side)}" if name.startswith(side) else name
    metavar = option.metavar or ""
    if name == "--gate":
        drawn = odd_gate(random)
    elif name in _BY_NAME:
        drawn = _BY_NAME[name].draw(random)
    elif "|" in metavar:
        drawn = Words(metavar.split("|")).draw(random)
    else:
        drawn = _BY_METAVAR.get(metavar, Words(_TEXT)).draw(random)
    return drawn.replace("\0", "")  # no argument of a process has one


def options(random: Random, command: Sequence[str], counts: Sequence[int], *, inputs: bool = False) -> list[str]:
    """Return random options of a command with values.

    Parameters
    ----------
    counts
        The number of options, drawn from these.
    inputs
        Whether files other than those of the arguments may be given, many of which do not go together.
    """
    left_out = set() if inputs else {"Inputs"}
    left_out |= {"Workers"} if command[-1] == "history" else set()  # processes of their own, which tests lose and kill
    declared = [option for option in commands()[tuple(command)] if option.rich_help_panel not in left_out]
    drawn: list[str] = []
    for option in random.choices(declared, k=random.choice(counts)):
        drawn.append(random.choice([*option.opts, *option.secondary_opts]))
        if not option.is_flag:
            drawn.append(value(random, option))
    return drawn


def shell_options(random: Random) -> str:
    """Return random options of tfprof as its shell takes them, such as ``-max_depth 3``."""
    of_shell = {f"--{field.name.replace('_', '-')}" for field in fields(Options)}
    declared = [option for option in commands()["scope",] if option.opts[0] in of_shell]
    chosen = random.choices(declared, k=random.choice([0, 1, 2, 4]))
    return " ".join(f"-{option.opts[0][2:].replace('-', '_')} {value(random, option)}" for option in chosen)
