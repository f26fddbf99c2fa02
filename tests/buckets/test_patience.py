"""A question that fails for a moment is asked again; what fails each time, or is never answered, is given up."""

from __future__ import annotations

from threading import Event
from time import monotonic

import pytest

from tfprof_report.buckets import patience
from tfprof_report.buckets.patience import SilentError, ask, persist

BUSY = "AWS Error SLOW_DOWN during GetObject operation: Please reduce your request rate"


class Failing:
    """A question that fails some times before it is answered."""

    def __init__(self, times: int, problem: OSError) -> None:
        self.left, self.problem, self.asked = times, problem, 0

    def __call__(self) -> str:
        self.asked += 1
        if self.asked <= self.left:
            raise self.problem
        return "answer"


@pytest.fixture(autouse=True)
def _short_pauses(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "_PAUSES", (0.0, 0.0, 0.0))


@pytest.mark.parametrize("times", [0, 1, 3])
def test_a_server_that_fails_for_a_moment_is_asked_again(times: int) -> None:
    for way in (ask, persist):
        question = Failing(times, OSError(BUSY))
        assert (way(question), question.asked) == ("answer", times + 1)


def test_one_that_fails_each_time_is_given_up() -> None:
    question = Failing(9, OSError(BUSY))
    with pytest.raises(OSError, match="SLOW_DOWN"):
        ask(question)
    assert question.asked == 4


@pytest.mark.parametrize(
    "problem",
    [
        FileNotFoundError(2, "no such object"),
        OSError("AWS Error ACCESS_DENIED during HeadObject operation: No response body."),
        OSError("AWS Error NO_SUCH_BUCKET during ListObjectsV2 operation: The specified bucket does not exist"),
        OSError("AWS Error UNKNOWN (HTTP status 416) during GetObject operation: No response body."),
        OSError("google::cloud::Status(PERMISSION_DENIED: Permanent error)"),
    ],
)
def test_what_fails_the_same_way_each_time_is_asked_once(problem: OSError) -> None:
    question = Failing(9, problem)
    with pytest.raises(OSError, match=r".") as raised:
        ask(question)
    assert (raised.value, question.asked) == (problem, 1)


def test_slow_failures_are_not_repeated_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "SILENCE", -1.0)
    question = Failing(9, OSError(BUSY))
    with pytest.raises(OSError, match="SLOW_DOWN"):
        persist(question)
    assert question.asked == 1


def test_an_answer_that_never_comes_is_not_waited_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "SILENCE", 0.2)
    answered, begun = Event(), monotonic()
    with pytest.raises(SilentError, match=r"the server has not answered within 0\.2 s"):
        ask(answered.wait)
    assert monotonic() - begun < 10
    answered.set()
