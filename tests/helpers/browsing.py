"""Opens report pages in Chromium, and records console messages, requests and dialogs of the page."""

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
"""Factor on the time limits for slow machines."""

JENKINS = "sandbox allow-same-origin; default-src 'none'; img-src 'self'; style-src 'self';"
"""The content security policy that Jenkins sends with archived files by default."""
NO_SCRIPTS = "script-src 'none'"
"""Blocks the scripts of a page, but not those of a test."""


class Screen(NamedTuple):
    """Size of a window in CSS pixels, and the colour scheme that the system prefers."""

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
    """A page, and what it did so far: errors and warnings in its console, requests, texts of ``alert``."""

    page: Page
    errors: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    alerts: list[str] = field(default_factory=list)

    def heard(self, message: ConsoleMessage) -> None:
        """Record a console message that is a warning or an error."""
        if message.type in ("error", "warning"):
            self.errors.append(message.text)

    def asked(self, dialog: Dialog) -> None:
        """Record the text of a dialog, and close it."""
        self.alerts.append(dialog.message)
        dialog.dismiss()

    def text(self, selector: str) -> str:
        """Return the visible text of the first match, with single spaces."""
        return " ".join(self.page.locator(selector).first.inner_text().split())


@contextmanager
def chromium(playwright: Playwright) -> Iterator[Browser]:
    """Start the installed Chromium, which can reach only this machine."""
    browser = playwright.chromium.launch(executable_path=CHROMIUM, args=[*FLAGS])
    yield browser
    browser.close()


def new_context(browser: Browser, screen: Screen, **options: Any) -> BrowserContext:
    """Return a fresh browser context with the given screen."""
    context = browser.new_context(
        viewport={"width": screen.width, "height": screen.height},
        color_scheme="dark" if screen.is_dark else "light",
        **options,
    )
    context.set_default_timeout(20_000 * SLOWNESS)
    return context


def open_in(context: BrowserContext, address: str) -> Opened:
    """Open an address. All other requests of the page are recorded and aborted, except data and blob URLs."""
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
    """Serve a folder on this machine with extra headers, and yield its address, without a slash at the end."""
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
    """Return the visible width and height in CSS pixels, 0 if the element is not visible."""
    found = locator.bounding_box()
    return (found["width"], found["height"]) if found else (0.0, 0.0)


def open_section(opened: Opened, anchor: str) -> Locator:
    """Open a section of a page with scripts, if it is closed, and return it."""
    opened.page.locator("html[data-ready=true]").wait_for()
    section = opened.page.locator(f"#{anchor}")
    if section.locator("> details[open]").count() == 0:
        section.locator("> details > summary").click()
    return section


class LiveView:
    """A live view of a page, opened if it is closed; its parts are found by role and name, as screen readers do."""

    def __init__(self, opened: Opened, name: str) -> None:
        self.page = opened.page
        self.section = open_section(opened, f"view-{name}")
        self.page.locator(f"[data-view={name}][data-ready=true]").wait_for()
        self.table = self.section.get_by_role("treegrid")
        self.search = self.section.get_by_role("searchbox")
        self.status = self.section.get_by_role("status")
        self.least = self.section.get_by_label("Hide below")

    def rows(self) -> Locator:
        """Return the drawn rows, without the header."""
        return self.table.locator("[role=row][aria-level]")

    def row(self, leaf: str) -> Locator:
        """Return the row with the leaf name `leaf`."""
        return self.rows().filter(has=self.page.get_by_text(leaf, exact=True))

    def header(self, label: str) -> Locator:
        """Return the header of a column by its accessible name."""
        return self.table.get_by_role("columnheader", name=label, exact=True)

    def labels(self) -> list[str]:
        """Return the accessible names of the headers."""
        buttons = self.table.locator("[role=columnheader] button")
        return [" ".join((button.text_content() or "").split()) for button in buttons.all()]

    def exact(self, label: str, *, level: int = 1) -> dict[str, str]:
        """Return the exact texts of a column, by row name, of the drawn rows of a level."""
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
