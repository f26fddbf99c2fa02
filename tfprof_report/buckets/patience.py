"""How long object stores are asked: again where a request fails, and not for ever where there is no answer."""

from __future__ import annotations

import re
from collections.abc import Callable
from threading import Thread
from time import monotonic, sleep
from typing import TypeVar

Answer = TypeVar("Answer")

SILENCE = 12.0
"""Seconds after which a server that has not answered a question is given up: 15 with the start of a command."""

_PAUSES = (0.1, 0.5, 1.5)
"""Seconds before each further try. Amazon's client tries each request twice by itself (`connection.py`)."""

_FINAL = re.compile(
    r"ACCESS_DENIED|PERMISSION_DENIED|UNAUTHENTICATED|FORBIDDEN|NO_SUCH_|NOT_FOUND|does not exist|PermanentRedirect"
    r"|HTTP status 4(?!08|29)\d\d"
)
"""In messages of what fails the same way each time."""


class SilentError(OSError):
    """A server does not answer."""


def ask(question: Callable[[], Answer]) -> Answer:
    """Return the answer of a server to a question, which may fail for a moment; what is not there is an answer.

    Raises
    ------
    SilentError
        There is none within `SILENCE`.
    OSError
        The server refuses, or failed each time.
    """
    return persist(lambda: _within(SILENCE, question))


def persist(action: Callable[[], Answer]) -> Answer:
    """Return the result of an action that can be repeated, such as reading a range of an object.

    Raises
    ------
    OSError
        It is refused, or failed each time, or failed slowly.
    """
    end = monotonic() + SILENCE
    for pause in _PAUSES:
        try:
            return action()
        except (FileNotFoundError, SilentError):
            raise
        except OSError as problem:
            if _FINAL.search(str(problem)) or monotonic() + pause > end:
                raise
        sleep(pause)
    return action()


def _within(seconds: float, question: Callable[[], Answer]) -> Answer:
    """Return the answer to a question, asked in a thread, since not every client of a server gives up by itself.

    Raises
    ------
    SilentError
        There is none within that time.
    """
    answers: list[Answer] = []
    problems: list[BaseException] = []

    def answer() -> None:
        try:
            answers.append(question())
        except BaseException as problem:  # noqa: BLE001 (raised again below)
            problems.append(problem)

    thread = Thread(target=answer, daemon=True)
    thread.start()
    thread.join(seconds)
    if problems:
        raise problems[0]
    if not answers:
        raise SilentError(f"the server has not answered within {seconds:g} s")
    return answers[0]
