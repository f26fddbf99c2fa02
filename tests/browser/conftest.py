from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsing import CHROMIUM, DESKTOP, MISSING, Opened, Screen, chromium, new_context, open_in, served
from command import small_model, write_model, write_report
from messages import graph
from pages import hostile_nodes, write_comparison
from playwright.sync_api import Browser, sync_playwright
from repository import DATA, ROOT


def pytest_collection_finish(session: pytest.Session) -> None:
    """Report a missing browser once, not in every test."""
    if CHROMIUM is None and any(Path(__file__).parent in item.path.parents for item in session.items):
        raise pytest.UsageError(MISSING)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """Yield Chromium without a network."""
    with sync_playwright() as playwright, chromium(playwright) as started:
        yield started


@pytest.fixture
def open_page(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open pages for one test, see `opener`."""
    with opener(browser) as open_:
        yield open_


@pytest.fixture(scope="module")
def open_once(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open pages that tests of a module only read, see `opener`."""
    with opener(browser) as open_:
        yield open_


@contextmanager
def opener(browser: Browser) -> Iterator[Callable[..., Opened]]:
    """Open ``report.html`` of a folder from disk, or served with headers; pages are checked at the end of the test.

    `errors` is the pattern that console errors have to match; by default there may be none.
    """
    with ExitStack() as stack:

        def open_(
            folder: Path,
            fragment: str = "",
            *,
            screen: Screen = DESKTOP,
            headers: dict[str, str] | None = None,
            errors: str | None = None,
            **options: Any,
        ) -> Opened:
            root = folder.as_uri() if headers is None else stack.enter_context(served(folder, headers))
            context = new_context(browser, screen, **options)
            opened = open_in(context, f"{root}/report.html{fragment}")
            stack.callback(context.close)
            stack.callback(_check, opened, errors)
            return opened

        yield open_


def _check(opened: Opened, errors: str | None) -> None:
    """Fail if the page made a request, executed a name or logged an unexpected error."""
    assert opened.requests == []
    assert opened.alerts == []
    assert [error for error in opened.errors if errors is None or not re.search(errors, error)] == []


@pytest.fixture(scope="session")
def resnet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the comparison of the two ResNets of tests/data."""
    models = DATA / "resnet"
    return write_comparison(models / "base", models / "head", tmp_path_factory.mktemp("resnet"))


@pytest.fixture(scope="session")
def alone(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of the newer of the two ResNets, without a base."""
    return write_report(DATA / "resnet" / "head", tmp_path_factory.mktemp("alone") / "report")


@pytest.fixture(scope="session")
def small(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the comparison of two dense layers of three nodes, in two steps each."""
    folder = tmp_path_factory.mktemp("small")
    head = small_model(folder / "model-head", width=5, float_ops=30, micros=45)
    return write_comparison(small_model(folder / "model-base"), head, folder)


@pytest.fixture(scope="session")
def hostile(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the comparison of two models whose names look like markup, scripts, links and formulas."""
    folder = tmp_path_factory.mktemp("hostile")
    base = write_model(folder / "model-base", graph(*hostile_nodes(width=4)))
    return write_comparison(base, write_model(folder / "model-head", graph(*hostile_nodes(width=9))), folder)


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the report of a model of 100,000 nodes."""
    folder = tmp_path_factory.mktemp("large")
    subprocess.run([sys.executable, ROOT / "ci" / "build_bench_inputs.py", folder / "model", "100k"], check=True)
    return write_report(folder / "model", folder / "report")
