"""What a command imports: nothing heavy that it does not need."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from command import write_model, write_report
from messages import graph, node

PROGRAM = """
import sys
from tfprof_report.cli.main import main
try:
    main(sys.argv[2:])
finally:
    print(*(name for name in sys.argv[1].split() if name in sys.modules), file=sys.stderr)
"""
ALWAYS_LEFT_OUT = (
    "pandas pyarrow.dataset scipy pydantic rich jsonschema prompt_toolkit fsspec importlib.metadata ml_dtypes"
)
NOT_FOR_ONE_MODEL = (
    "tfprof_report.models_job tfprof_report.render.write_models tfprof_report.cli.params.baseline_options"
)
NOT_FOR_TEXT = (
    "jinja2 pyarrow.parquet tfprof_report.job tfprof_report.report tfprof_report.compare.compare "
    "tfprof_report.cli.params.report_options tfprof_report.cli.params.baseline_options "
    "pyarrow.fs tfprof_report.buckets.connection"
)
NOT_WITHOUT_URLS = "tfprof_report.ingest.files.bucket_files tfprof_report.buckets.read_object"
NOT_FOR_RULES = (
    "google.protobuf ptars google_crc32c tfprof_report.ingest tfprof_report.views "
    "tfprof_report.cli.params.model_options"
)


def imported(packages: str, *arguments: str | Path) -> str:
    """Return which of the packages a command imports."""
    command = [sys.executable, "-c", PROGRAM, packages, *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return done.stderr.splitlines()[-1]


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """Return a model of ten nodes."""
    chain = (node(f"r{i}", "Relu", f"r{i - 1}" if i else "x") for i in range(9))
    return write_model(tmp_path / "model", graph(node("x", "Placeholder"), *chain))


def test_rules_imports_the_rules_alone() -> None:
    assert imported(f"{ALWAYS_LEFT_OUT} {NOT_FOR_TEXT} {NOT_FOR_RULES}", "rules", "--op", "Conv2D") == ""


def test_a_text_view_imports_neither_reports_nor_comparisons(model: Path) -> None:
    assert imported(f"{ALWAYS_LEFT_OUT} {NOT_FOR_TEXT} {NOT_WITHOUT_URLS}", "scope", model) == ""


def test_a_report_of_a_small_model_needs_neither_pandas_nor_scipy(model: Path, tmp_path: Path) -> None:
    left_out = f"{ALWAYS_LEFT_OUT} {NOT_FOR_ONE_MODEL} {NOT_WITHOUT_URLS}"
    assert imported(left_out, "report", model, "--out", tmp_path / "out") == ""


def test_an_earlier_report_is_read_without_what_reads_many_files(model: Path, tmp_path: Path) -> None:
    write_report(model, tmp_path / "base")
    both = ("diff", tmp_path / "base", tmp_path / "base", "--out", tmp_path / "out")
    assert imported("pandas pyarrow.dataset", *both) == ""


def test_numbers_and_words_of_options_need_no_pydantic(model: Path) -> None:
    assert imported(ALWAYS_LEFT_OUT, "scope", model, "--max-depth", "3", "--semantics", "corrected") == ""


def test_the_package_imports_nothing_until_a_name_of_it_is_asked_for(model: Path) -> None:
    names = "pandas pyarrow numpy typer IPython polars tfprof_report.errors tfprof_report.api tfprof_report.report"
    listed = f"[name for name in {names.split()} if name in sys.modules]"
    program = f"import sys, tfprof_report as tr; print({listed}); tr.make_report({str(model)!r}, config='none'); "
    program += (
        "print([name for name in ['IPython', 'polars', 'rich', 'tfprof_report.cli.console'] if name in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "[]\n[]\n"
    assert done.stderr == ""


def test_the_package_report_keeps_its_name(model: Path) -> None:
    program = f"import tfprof_report as tr; tr.make_report({str(model)!r}, config='none'); print(tr.report.__name__)"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert done.stdout == "tfprof_report.report\n"
