"""Opens report pages in Chromium as people meet them, and keeps what the page said, asked for and tried to run."""

from __future__ import annotations

import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, NamedTuple

from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Dialog, Locator, Page, Playwright, Route

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
MISSING = "Chromium is missing; install it with: apt-get install chromium"
FLAGS = (
    "--no-sandbox",  # Chromium refuses to run as root with it
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--disable-dev-shm-usage",  # containers give it 64 MB
)
SLOWNESS = float(os.environ.get("TFPROF_REPORT_SLOWNESS", "1"))
"""What the limits of time are multiplied by on slow machines."""

JENKINS = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"
"""The content security policy of archived files, as Jenkins sends it unless it is told otherwise."""
NO_SCRIPTS = "script-src 'none'"
"""Blocks the scripts of a page, but not those of a test."""


class Screen(NamedTuple):
    """Size of a window in CSS pixels, and the colours that the system asks for."""

    width: int = 1280
    height: int = 900
    is_dark: bool = False

    def __str__(self) -> str:
        return f"{self.width}-{'dark' if self.is_dark else 'light'}"


DESKTOP = Screen()
PHONE = Screen(390, 844)
SCREENS = tuple(screen._replace(is_dark=is_dark) for screen in (DESKTOP, PHONE) for is_dark in (False, True))


@dataclass(kw_only=True)  # without slots: playwright keeps a note at whose method it calls
class Opened:
    """A page, and what it did so far: errors and warnings of its console, requests, texts of ``alert``."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    alerts: list[str] = field(default_factory=list)

    def heard(self, message: ConsoleMessage) -> None:
        """Keep a message of the console that is more than a note."""
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def asked(self, dialog: Dialog) -> None:
        """Keep the text of a dialog, and close it."""
        self.alerts.append(dialog.message)
        dialog.dismiss()

    def text(self, selector: str) -> str:
        """Return the words that a reader sees in the first match, with single spaces."""
        return " ".join(self.page.locator(selector).first.inner_text().split())


@contextmanager
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """Start the installed Chromium, which can reach this machine alone."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
    yield browser
    browser.close()


def new_context(browser: Browser, screen: Screen, **options: Any) -> BrowserContext:
    """Return a fresh profile, with a window of its own."""
    context = browser.new_context(
        viewport={"width": screen.width, "height": screen.height},
        color_scheme="dark" if screen.is_dark else "light",
        **options,
    )
    context.set_default_timeout(20_000 * SLOWNESS)
    return context


def open_in(context: BrowserContext, address: str) -> Opened:
    """Open an address. Whatever else the page asks for is noted and refused; what it made itself is no request."""
    opened = Opened(page=context.new_page())

    def answer(route: Route) -> None:
        url = route.request.url
        if url.partition("#")[0] == address.partition("#")[0]:
            route.continue_()
        else:
            opened.requests.append(url)
            route.abort()

    context.route(lambda url: not url.startswith(("data:", "blob:")), answer)
    opened.page.on("console", opened.heard)
    opened.page.on("dialog", opened.asked)
    opened.page.on("pageerror", lambda error: opened.errors.append(str(error)))
    opened.page.goto(address)
    return opened


@contextmanager
def served(folder: Path, headers: Mapping[str, str]) -> Iterator[str]:
    """Serve a folder on this machine with more headers than usual, and return its address, without a slash."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_Handler, headers, directory=str(folder))) as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()
        thread.join()


class _Handler(SimpleHTTPRequestHandler):
    """Sends files with the headers of a host, silently."""

    def __init__(self, headers: Mapping[str, str], *args: Any, **options: Any) -> None:
        self.added = headers
        super().__init__(*args, **options)

    def end_headers(self) -> None:
        for name, value in self.added.items():
            self.send_header(name, value)
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


def box(locator: Locator) -> tuple[float, float]:
    """Return width and height in CSS pixels of what is there to be seen, 0 where nothing is."""
    found = locator.bounding_box()
    return (found["width"], found["height"]) if found else (0.0, 0.0)


class LiveView:
    """A view that the page's script has made live, as a reader finds its parts: by role and name."""

    def __init__(self, opened: Opened, name: str) -> None:
        self.page = opened.page
        self.section = self.page.locator(f"[data-view={name}]")
        self.page.locator(f"[data-view={name}][data-ready=true]").wait_for()
        self.table = self.section.get_by_role("treegrid")
        self.search = self.section.get_by_role("searchbox")
        self.status = self.section.get_by_role("status")
        self.least = self.section.get_by_label("Hide below")

    def rows(self) -> Locator:
        """Return the rows of figures that are drawn."""
        return self.table.locator("[role=row][aria-level]")

    def row(self, leaf: str) -> Locator:
        """Return the row whose last part of the name is `leaf`."""
        return self.rows().filter(has=self.page.get_by_text(leaf, exact=True))

    def header(self, label: str) -> Locator:
        """Return the header of a column, by the words that screen readers hear."""
        return self.table.get_by_role("columnheader", name=label, exact=True)

    def labels(self) -> list[str]:
        """Return what the headers are called."""
        buttons = self.table.locator("[role=columnheader] button")
        return [button.get_attribute("aria-label") or button.inner_text() for button in buttons.all()]

    def exact(self, label: str, *, level: int = 1) -> dict[str, str]:
        """Return the exact texts of a column by the names of the rows of a level that are drawn."""
        place = self.labels().index(label) - 1
        return dict(
            self.rows().evaluate_all(
                """(rows, [place, level]) => rows.filter((row) => row.ariaLevel === String(level)).map((row) => {
                    const cell = row.querySelectorAll("[role=gridcell]")[place];
                    return [row.querySelector("[role=rowheader]").title, cell.title || cell.textContent];
                })""",
                [place, level],
            )
        )

    def count(self) -> int:
        """Return how many rows are listed, drawn or not."""
        return int(self.table.get_attribute("aria-rowcount") or 0) - 1
