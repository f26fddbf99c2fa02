"""A case: its files, and its commands, all of which follow from the seed and the number."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random

from fuzz.inputs import OTHER_FILES, WAYS, Files, any_kind
from fuzz.mutate import break_bytes, break_text
from fuzz.options import DRIFTS, commands, odd_gate, options, shell_options
from fuzz.seeds import ACKNOWLEDGED, FLOPS_RULES, MODELS_RULES, NAME_MAP, RULES, Seeds
from fuzz.values import NAMES, TOML_WORDS

_VIEWS = ("scope", "graph", "op", "code", "advise")
_TIME = "2024-01-01T00:00:00Z"
_COMMIT, _NEXT = "0123456789" * 4, "fedcba9876" * 4
_TAGS = f"{_COMMIT} refs/tags/v1\n{_NEXT} refs/tags/@here<script>alert(1)\n".encode()
_DRIFT_FROM = ("--store", "S", "--store-model", "m", "--ancestors", "anc")


@dataclass(frozen=True, slots=True)
class Command:
    """The arguments of a command, and what it reads from standard input."""

    arguments: tuple[str, ...]
    stdin: bytes = b""


@dataclass(frozen=True, slots=True)
class Tampering:
    """Changes to the files of a report or a store, drawn from `seed`."""

    folder: str
    seed: float


Step = Command | Tampering


def make_case(key: str, seeds: Seeds, folder: Path) -> tuple[str, Sequence[Step]]:
    """Write the files of the case `key`, such as ``1:17``, into an empty folder; return its theme and its steps."""
    random = Random(key)
    themes = tuple(THEMES)
    theme = random.choices(themes, [THEMES[each][1] for each in themes])[0]
    folder.mkdir(parents=True)
    return theme, THEMES[theme][0](Files(random, seeds, folder))


def _command(
    random: Random, command: str, *arguments: str, more: Sequence[int] = (0, 0, 0, 0, 1, 2), inputs: bool = False
) -> Command:
    """Return a command with its arguments and random options, which mostly come last."""
    words = command.split()
    drawn = options(random, words, more, inputs=inputs)
    return Command((*words, *(drawn + list(arguments) if random.random() < 0.2 else list(arguments) + drawn)))


def _budgets(random: Random) -> list[str]:
    return _some_gates(random, ("params <= 25M", "float_ops >= 1", "micros <= 5s", "bytes <= 1G", "run_count == 1"))


def _gates(random: Random) -> list[str]:
    return _some_gates(random, ("params <= +1%", "float_ops == +0", "micros <= +5%", "bytes <= 1G", "run_count >= -1%"))


def _some_gates(random: Random, gates: Sequence[str]) -> list[str]:
    return [word for _ in range(random.choice([0, 1, 3])) for word in ("--gate", random.choice(gates))]


def _hosts(random: Random) -> list[str]:
    files = ["--junit", "j.xml", "--openmetrics", "om.txt", "--comment", "c.md", "--summary", "s.md"]
    return [*files, "--annotations", random.choice(["github", "azure"])] if random.random() < 0.4 else []


def _report(random: Random, *arguments: str, inputs: bool = False) -> Command:
    return _command(random, "report", *arguments, "--out", "o", *_budgets(random), *_hosts(random), inputs=inputs)


def _diff(random: Random, *arguments: str, inputs: bool = False) -> Command:
    return _command(random, "diff", *arguments, "--out", "o", *_gates(random), *_hosts(random), inputs=inputs)


def _accept(random: Random) -> Command:
    reason = random.choice(["why", "a b", "a\nb", '"""', "'''\\", "é\udcff"])
    return _command(random, "accept", "o", "--reason", reason, "--expires", "2099-01-01")


def _models(files: Files) -> list[Step]:
    """Show, report or compare a broken model."""
    random = files.random
    way = random.choices(tuple(WAYS), [4, 2, 4, 2, 2])[0]
    files.write_broken("M", way)
    kind = random.random()
    if kind < 0.35:
        steps: list[Step] = [_report(random, "M")]
        if random.random() < 0.3:
            steps.append(_command(random, "diff", "o", "M", "--out", "o2", *_gates(random)))
        return steps
    if kind < 0.55:
        files.write_valid("B") if random.random() < 0.5 else files.write_broken("B", way)
        steps = [_diff(random, *random.choice([("B", "M"), ("M", "B"), ("M", "M")]))]
        return [*steps, _accept(random)] if random.random() < 0.3 else steps
    return [_command(random, random.choice(_VIEWS), "M", more=(0, 0, 1, 2, 4))]


def _several_models(files: Files) -> list[Step]:
    random = files.random
    files.write_broken("M") if random.random() < 0.6 else files.write_valid("M")
    files.write_valid("B")
    name = random.choice(["b", "b", *NAMES]).replace("\0", "")
    inputs = ["--model", "a=M", "--model", f"{name}={random.choice(['B', 'B', 'M', 'missing', ''])}"]
    base = ["--base-model", "a=B", "--base-model", "b=B"] if random.random() < 0.3 else []
    steps: list[Step] = [_command(random, "report", *inputs, *base, "--out", "o", *_gates(random), *_hosts(random))]
    if random.random() < 0.4:
        steps += [Tampering("o", random.random())] if random.random() < 0.5 else []
        steps.append(_command(random, "report", *inputs, "--baseline", "o", "--out", "o2", *_gates(random)))
    if random.random() < 0.3:
        steps += [_accept(random), _command(random, "baseline save", "S", "o", "--commit", _COMMIT)]
    return steps


def _any_inputs(files: Files) -> list[Step]:
    """Give files of all kinds to all options that take them."""
    random = files.random
    any_kind(files, "p")
    files.write_valid("M")
    other = random.choice(tuple(OTHER_FILES))
    files.write(other, OTHER_FILES[other])
    name = random.choice(
        ["graph.pb", "run_meta", "run_meta_3", "tfprof_log", "events.out.tfevents.1700000000.h", other]
    )
    if random.random() < 0.3:
        any_kind(files, f"M/{name}")
    alone = [["p"], ["M"], [other], ["--profile", "p"], ["--graph", "p"], ["--xplane", "T"], ["--xplane", "p"]]
    given = random.choice([*alone, ["M", "--run-meta", "p"], ["M", "--xplane", "T"]])
    given = random.choice([given, given, ["M", "--op-log", "p"], ["--graph", "M/graph.pb", "--run-meta", f"1={other}"]])
    command = random.choice([*_VIEWS, "report", "report", "diff"])
    if command in _VIEWS:
        return [_command(random, command, *given, inputs=True)]
    if command == "report":
        return [_report(random, *given, inputs=True)]
    return [_diff(random, "M", *given[:1], inputs=True)]


def _any_command(files: Files) -> list[Step]:
    """Run any command with random options only, where there is something of everything."""
    random = files.random
    files.write_valid("M")
    files.write_valid("B")
    any_kind(files, "p")
    files.write("x.toml", random.choice([RULES, ACKNOWLEDGED, FLOPS_RULES, NAME_MAP]), may_pack=False)
    files.write("anc", f"{_COMMIT}\n".encode(), may_pack=False)
    files.write("tags", _TAGS, may_pack=False)
    steps: list[Step] = [Command(("report", "M", "--out", "E", "--commit", _COMMIT, "--timestamp", _TIME))]
    steps += [Command(("baseline", "save", "S", "E", "--model", "m"))] if random.random() < 0.5 else []
    for _ in range(random.choice([1, 2, 3])):
        words = random.choice(tuple(commands()))
        usual = _USUAL.get(words[-1], ("M",))
        arguments = random.choice([usual, usual, usual, usual, ("p",), ("E",), ("B", "M"), ()])
        if words[-1] == "batch":  # its workers are processes of their own, which tests lose and kill
            arguments = (*arguments, "--dry-run")
        steps.append(_command(random, " ".join(words), *arguments, more=(0, 1, 2, 4, 8), inputs=random.random() < 0.3))
    return steps


_USUAL: Mapping[str, tuple[str, ...]] = {
    "report": ("M", "--out", "o"),
    "diff": ("B", "M", "--out", "o"),
    "batch": ("M", "--out", "o"),
    "accept": ("E", "--reason", "why", "--expires", "2099-01-01"),
    "save": ("S", "E", "--model", "m"),
    "pick": ("S", "--model", "m", "--ancestors", "anc"),
    "list": ("S",),
    "prune": ("S", "--keep", "1"),
    "history": ("S", "--ancestors", "anc", "--out", "o"),
    "compare": ("E", "M", "--out", "o"),
    "index": (".", "--out", "i.html"),
    "rules": (),
    "schema": (),
    "init": (),
}
"""The arguments with which a command works; those of all others are a model."""


def _rules_files(files: Files) -> list[Step]:
    """Read rules files, acknowledged changes, name maps and FLOPs rules."""
    random = files.random
    files.write_valid("M")
    files.write_valid("B")
    kinds = {
        "config": RULES,
        "models": MODELS_RULES,
        "acknowledged": ACKNOWLEDGED,
        "flops": FLOPS_RULES,
        "map": NAME_MAP,
    }
    kind = random.choice(tuple(kinds))
    broken = break_text(random, kinds[kind], TOML_WORDS)
    files.write("x.toml", broken if random.random() < 0.8 else break_bytes(random, kinds[kind]), may_pack=False)
    match kind:
        case "models":
            return [_command(random, "report", "--config", "x.toml", "--out", "o", *_hosts(random))]
        case "acknowledged":
            return [_diff(random, "B", "M", "--acknowledged", "x.toml", "--gate", "params == +0"), _accept(random)]
        case "flops" if random.random() < 0.5:
            return [_command(random, "rules", "--flops-rules", "x.toml")]
        case "flops":
            return [_report(random, "M", "--flops-rules", "x.toml")]
        case "map":
            return [_diff(random, "B", "M", "--name-map", "x.toml")]
    return [_diff(random, "B", "M", "--config", "x.toml")]


def _odd_gates(files: Files) -> list[Step]:
    random = files.random
    files.write_valid("M")
    files.write_valid("B")
    gates = [word for _ in range(random.choice([1, 1, 3])) for word in ("--gate", odd_gate(random).replace("\0", ""))]
    steps: list[Step] = [_command(random, "diff", "B", "M", "--out", "o", *gates, *_hosts(random), more=(0, 1, 2))]
    return [*steps, _accept(random)] if random.random() < 0.5 else steps


def _broken_reports(files: Files) -> list[Step]:
    """Read a report that was changed: as base, as input, to accept from it and to save it."""
    random = files.random
    files.write_valid("M")
    made = Command(("report", "M", "--out", "E", "--commit", _COMMIT, "--timestamp", _TIME))
    save = ("baseline", "save", "S", "E", "--model", "m")
    read = (
        _command(random, "report", "M", "--baseline", "E", "--out", "o", *_hosts(random)),
        _command(random, "report", "E", "--out", "o"),
        _command(random, "report", "M", "--out", "o", "--gate", "params <= +0 against E"),
        _command(random, "diff", "E", "E", "--out", "o"),
        _command(random, "diff", "E", "M", "--out", "o", "--gate", "params == +0"),
        _command(random, "accept", "E", "--reason", "x", "--expires", "2099-01-01"),
        Command(save),
    )
    return [made, Tampering("E", random.random()), random.choice(read)]


def _stores(files: Files) -> list[Step]:
    """Use a store of baselines that was changed."""
    random = files.random
    files.write_valid("M")
    ours = f"1704067200 {_NEXT}\n1703980800 {_COMMIT}\n".encode() if random.random() < 0.5 else f"{_COMMIT}\n".encode()
    files.write("tags", random.choice([_TAGS, _TAGS, b"", b"x\n", b"\xff \x00"]), may_pack=False)
    lists = (ours, b"abc\n" + ours, b"", b"\x00\n", b"abc\r\n", b"abc " * 1000, b"\xff\xfe", ours * 50000)
    files.write("anc", random.choice([*lists, *lists[:2] * 8]), may_pack=False)
    tags = (
        f"{_COMMIT} refs/tags/v1\n{_COMMIT} refs/tags/v1^{{}}\n".encode(),
        ours,
        b"",
        b"abc v1",
        b"\xff\xfe",
        b"x " * 1000,
    )
    files.write("tags", random.choice([*tags, *tags[:1] * 8]), may_pack=False)
    model = random.choice(
        [*["m"] * 60, "index", "..", "a/b", "M" * 300, "con", ".", "", "\x1b[31m", "m.", "é", "\udcff"]
    )
    commit = ["--commit", random.choice(NAMES).replace("\0", "")] if random.random() < 0.3 else []
    steps: list[Step] = [
        Command(("report", "M", "--out", "E", "--commit", _COMMIT, "--timestamp", _TIME)),
        Command(("baseline", "save", "S", "E", "--model", model, *commit)),
    ]
    if random.random() < 0.5:
        files.write_valid("B")
        steps += [
            Command(("report", "B", "--out", "E2", "--commit", _NEXT, "--timestamp", "2024-01-02T00:00:00Z")),
            Command(("baseline", "save", "S", "E2", "--model", "m")),
        ]
    if random.random() < 0.8:
        steps.append(Tampering("S", random.random()))
    for _ in range(2):
        read = (
            _command(random, "baseline list", "S"),
            _command(random, "baseline pick", "S", "--model", "m", "--ancestors", "anc", "--out", "P"),
            _command(random, "baseline pick", "S", "--model", "m", "--ancestors", "-"),
            _command(
                random, "report", "M", "--out", "o", *_DRIFT_FROM, "--gate", f"params <= +0{random.choice(DRIFTS)}"
            ),
            _command(random, "baseline prune", "S", "--keep", "1"),
            _command(random, "baseline prune", "S", "--keep-daily", "1", "--keep-tagged", "--tags", "tags"),
            _command(random, "baseline prune", "S", "--older-than", random.choice(["1d", "0h", "100w"])),
            Command(("baseline", "save", "S", "E", "--model", "m")),
            *[_history(random)] * 4,
            _command(random, "compare", "E", "--store", "S", "--out", "o", more=(0, 0, 1, 2)),
            _command(random, "index", "S", "--out", "i.html", more=(0, 0, 1, 2)),
        )
        steps.append(random.choice(read))
    return steps


def _history(random: Random) -> Command:
    more = random.choice([(), ("--tags", "tags"), ("--since", "1d", "--chat", "c.txt"), ("--badge", "params=b.json")])
    return _command(random, "history", "S", "--ancestors", "anc", "--out", "o", *more, more=(0, 0, 1, 2, 4))


def _checkpoints(files: Files) -> list[Step]:
    random = files.random
    parts = dict(random.choice(files.seeds.checkpoints))
    hit = random.choice(sorted(parts))
    parts[hit] = break_bytes(random, parts[hit]) if random.random() < 0.9 else b""
    if hit == "index" and len(parts[hit]) > 100 and random.random() < 0.5:  # the footer, which says where all else is
        data = bytearray(parts[hit])
        data[random.randrange(len(data) - 60, len(data))] = random.randrange(256)
        parts[hit] = bytes(data)
    for end, content in parts.items():
        files.write(f"ck.{end}", content, may_pack=False)
    files.write_valid("M")
    view = _command(random, "scope", "M", "--checkpoint", "ck", "--select", "tensor_value,params")
    return [view, _report(random, "M", "--checkpoint", "ck")]


def _shell(files: Files) -> list[Step]:
    random = files.random
    files.write_valid("M") if random.random() < 0.5 else files.write_broken("M")
    words = (*_VIEWS * 3, "set", "reset", "help", "", "exit", "scop", "\x00", "scope\x1b[0m", '"', "'", "\\")
    lines = [f"{random.choice(words)} {shell_options(random)}" for _ in range(random.choice([1, 5, 30]))]
    script = "\n".join(lines).encode("utf-8", "surrogateescape")
    return [Command(("shell", "M"), break_bytes(random, script) if random.random() < 0.3 else script)]


def _set_up(files: Files) -> list[Step]:
    """Run commands without a model: init, in a repository that may have files already, schema and rules."""
    random = files.random
    for path in random.sample([".github/workflows/x.yml", ".gitlab-ci.yml", "Jenkinsfile", "tfprof-report.toml"], 2):
        files.write(path, break_text(random, RULES, TOML_WORDS), may_pack=False)
    steps: list[Step] = [_command(random, "init") for _ in range(random.choice([1, 2]))]
    return [*steps, _command(random, random.choice(["schema", "rules"]))]


THEMES: dict[str, tuple[Callable[[Files], list[Step]], int]] = {
    "models": (_models, 40),
    "any inputs": (_any_inputs, 12),
    "any command": (_any_command, 14),
    "several models": (_several_models, 5),
    "rules files": (_rules_files, 8),
    "odd gates": (_odd_gates, 5),
    "broken reports": (_broken_reports, 8),
    "stores": (_stores, 6),
    "checkpoints": (_checkpoints, 4),
    "shell": (_shell, 4),
    "set up": (_set_up, 2),
}
"""Which kinds of cases there are, and how often each is drawn."""
