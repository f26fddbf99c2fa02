"""``--output`` as tfprof parses it; every native message here was printed by the native tool."""

from __future__ import annotations

import pytest

from tfprof_report.render.tfprof.output_spec import (
    OutputSpec,
    OutputType,
    RefusedOutputError,
    native_refusal,
    parse_output,
)
from tfprof_report.semantics import CORRECTED, TFPROF

PAIR = "INVALID_ARGUMENT: Visualize format: -output timeline:key=value,key=value,..."
VALID = "Valid types: file,none,pprof,stdout,timeline\n"


@pytest.mark.parametrize(
    ("output", "kind", "outfile"),
    [
        ("", "stdout", ""),
        ("stdout", "stdout", ""),
        ("stdout:,,", "stdout", ""),
        ("none", "none", ""),
        ("file:outfile=a.txt", "file", "a.txt"),
        ("file:,outfile==a,", "file", "a"),
        ("file:outfile=a==b=", "file", "a=b"),
        ("file:outfile=a,outfile=b", "file", "b"),
        ("timeline:outfile=C:/t.json", "timeline", "C:/t.json"),
        ("pprof:outfile=p", "pprof", "p"),
        ("folded:outfile=p", "folded", "p"),
        ("speedscope:outfile=p", "speedscope", "p"),
    ],
)
def test_an_output_is_a_type_and_a_file(output: str, kind: str, outfile: str) -> None:
    assert parse_output(output) == OutputSpec(type=OutputType(kind), outfile=outfile)


def test_the_option_line_shows_type_and_file() -> None:
    assert [str(parse_output(text)) for text in ("", "none", "file:outfile=a")] == [
        "stdout:",
        "none:",
        "file:outfile=a",
    ]


@pytest.mark.parametrize(
    ("output", "native", "line"),
    [
        (
            "csv:outfile=x",
            f"INVALID_ARGUMENT: E.g. Unknown output type: csv, {VALID}",
            '"csv" is not a type of output; choose from stdout, file, timeline, pprof, none, folded, speedscope',
        ),
        (" file:outfile=x", f"INVALID_ARGUMENT: E.g. Unknown output type:  file, {VALID}", '" file" is not a type'),
        (":", f"INVALID_ARGUMENT: E.g. Unknown output type: , {VALID}", '"" is not a type'),
        (
            "file",
            "INVALID_ARGUMENT: Missing required output_options for file\nE.g. -output file:outfile=...\n",
            "--output: file needs a file; write --output file:outfile=FILE",
        ),
        ("file:outfile", PAIR, '"outfile" is not key=value'),
        ("file:outfile=", PAIR, '"outfile=" is not key=value'),
        ("file:=x", PAIR, '"=x" is not key=value'),
        ("file:outfile=a,b", PAIR, '"b" is not key=value; write --output TYPE:outfile=FILE; the name of the file'),
        (
            "file:foo=b",
            "INVALID_ARGUMENT: Unrecognized options foo for output_type: file\n",
            'file takes no "foo"; the only key is outfile, for file, timeline, pprof, folded, speedscope',
        ),
        (
            "stdout:outfile=x",
            "INVALID_ARGUMENT: Unrecognized options outfile for output_type: stdout\n",
            'stdout takes no "outfile"',
        ),
    ],
)
def test_a_bad_output_is_one_clear_error_or_the_native_message(output: str, native: str, line: str) -> None:
    with pytest.raises(RefusedOutputError) as caught:
        parse_output(output)
    assert line in str(caught.value)
    assert caught.value.exit_code == 2
    assert native_refusal(caught.value, TFPROF) == native
    with pytest.raises(RefusedOutputError):
        native_refusal(caught.value, CORRECTED)


def test_dump_to_file_overrides_the_output_and_says_so() -> None:
    spec = parse_output("timeline:outfile=x", "dumped")
    assert (spec.type, spec.outfile) == ("file", "dumped")
    assert spec.notes == (
        "-dump_to_file option is deprecated. Please use -output file:outfile=<filename>",
        "-output timeline:outfile=x is overwritten with -output file:outfile=dumped",
    )


def test_a_bad_output_is_refused_before_dump_to_file_is_looked_at() -> None:
    with pytest.raises(RefusedOutputError, match="not a type of output"):
        parse_output("bad", "dumped")
