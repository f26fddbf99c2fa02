"""What is said where an object cannot be read: a few words for users."""

from __future__ import annotations

import pytest

from tfprof_report.buckets.reasons import CutError, ReplacedError, advice_on, is_denied, reason_of

CREDENTIALS = "check the credentials in the environment, and that they may list the bucket and get its objects"
CUT = "it ends early: fewer bytes arrive than it has"
UNRESOLVED = "Could not resolve hostname"
NO_ACCESS = "x@y has no storage.objects.get access"


def amazon(code: str, words: str) -> str:
    return f"When getting information for key 'x' in bucket 'b': AWS Error {code} during GetObject operation: {words}"


def google(code: str, words: str) -> str:
    reason = f"Permanent error, with a last message of {words} error_info={{reason=forbidden}}"
    return f"google::cloud::Status({code}: {reason}). Detail: [errno 13]"


@pytest.mark.parametrize(
    ("text", "reason", "advice"),
    [
        (amazon("ACCESS_DENIED", "No response body."), "access is denied", CREDENTIALS),
        (amazon("ACCESS_DENIED", "Not allowed (Request ID: 7)"), "Not allowed", CREDENTIALS),
        (amazon("UNKNOWN (HTTP status 503)", "No response body."), "the server answers 503", None),
        (amazon("SLOW_DOWN", "No response body."), "the server answers SLOW_DOWN", None),
        (amazon("NETWORK_CONNECTION", "curlCode: 18, Transferred a partial file; Details: 5 bytes missing"), CUT, None),
        (amazon("NETWORK_CONNECTION", "curlCode: 6, Could not resolve hostname; Details: x"), UNRESOLVED, None),
        (google("PERMISSION_DENIED", NO_ACCESS), NO_ACCESS, CREDENTIALS),
        ("first line.\nsecond line", "first line", None),
    ],
)
def test_a_reason_is_for_users(text: str, reason: str, advice: str | None) -> None:
    problem = OSError(text)
    assert (reason_of(problem), advice_on(problem)) == (reason, advice)
    assert is_denied(problem) == (advice is not None)


def test_our_own_reasons() -> None:
    assert (reason_of(ReplacedError()), advice_on(ReplacedError())) == (
        "it was replaced while it was read",
        "run the command again",
    )
    assert reason_of(CutError()) == "it ends early: fewer bytes arrive than it has"
    assert reason_of(FileNotFoundError(2, "long words of a client")) == "No such file or directory"
