"""A store of baselines: report folders by model and commit. An entry is complete once it has a summary, written last.

The files of a report are in ``MODEL/COMMIT_TIME_DIGEST/``. TIME is when it was saved; it is in the name because copies,
caches and archives do not preserve file times. DIGEST is that of the summary, which has the digests of all other files,
so a reader can verify an entry. Concurrent saves write to different folders, or the same bytes to one.
"""

from __future__ import annotations

import hashlib
import json
import re
import tempfile
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path

from tfprof_report.clock import moment
from tfprof_report.compare.side import Side
from tfprof_report.errors import InputError, OptionError
from tfprof_report.ingest.files.file_bytes import bytes_of
from tfprof_report.ingest.files.folders import join
from tfprof_report.record import record
from tfprof_report.report.folder import files_read, read_report_folder
from tfprof_report.report.models import INDEX_FOLDER, folded, name_problem
from tfprof_report.report.store.local import LinkError
from tfprof_report.report.store.place import Place
from tfprof_report.schema.files import SUMMARY
from tfprof_report.schema.metrics import VIEWS
from tfprof_report.threads import Threads

_TIME = "%Y%m%dT%H%M%SZ"
_AHEAD = timedelta(days=1)
_END = datetime.max.replace(tzinfo=UTC)
_COMMIT = re.compile(r"[0-9A-Za-z][\w.-]{0,99}", re.ASCII)
ENTRY = rf"(?P<commit>{_COMMIT.pattern})_(?P<time>\d{{8}}T\d{{6}}Z)_(?P<digest>[0-9a-f]{{16}})"
"""The name of the folder of a report, as a pattern for Python and for RE2."""
_ENTRY = re.compile(ENTRY, re.ASCII)
_FILE = re.compile(r"\w[\w.-]*", re.ASCII)
_DIGITS = 16
_LEAST_STEP = timedelta(seconds=1)


def is_ahead(time: datetime, now: datetime) -> bool:
    """Return whether a time is more than a day after `now`, which may be fixed to an old one, and after the clock."""
    return time - max(now, datetime.now(UTC)) > _AHEAD


@record
class Entry:
    """A report in the store. `saved` is in UTC, `digest` the first digits of the SHA-256 of its summary."""

    model: str
    commit: str
    saved: datetime
    digest: str

    @property
    def path(self) -> str:
        """Its path in the store."""
        time = f"{self.saved:%m%dT%H%M%SZ}"  # not %Y, which is shorter than four digits before the year 1000
        return f"{self.model}/{self.commit}_{self.saved.year:04}{time}_{self.digest}"

    def is_ahead(self, now: datetime) -> bool:
        """Return whether it was saved more than a day after `now`: the clock of its machine was wrong.

        `now` may be a fixed time, such as that of an old commit; then the clock decides.
        """
        return is_ahead(self.saved, now)


@record
class Held:
    """An entry with its files in the store. Without a summary its save was interrupted, or is still running."""

    entry: Entry
    files: int
    size_bytes: int
    is_whole: bool


class DamagedError(Exception):
    """The files of an entry were changed since they were saved, or are missing."""


class UnseenError(DamagedError):
    """An entry has no summary: it is being saved or removed, or that was interrupted."""


def models_in(place: Place) -> list[str]:
    """Return the models that the store has a folder for."""
    return [name for name in place.folders() if name_problem(name) is None]


def links_in(place: Place, model: str | None = None) -> list[str]:
    """Return the paths of symbolic links that have the name of a model, or of an entry of `model`; none is followed."""
    if model is None:
        return [name for name in place.links() if name_problem(name) is None]
    return [f"{model}/{name}" for name in place.links(model) if _entry(model, name) is not None]


def foreign_among(names: Iterable[str], model: str) -> list[str]:
    """Return the paths of folders of a model, of these names, that are no reports, without hidden ones."""
    return [f"{model}/{name}" for name in names if name[0] != "." and _entry(model, name) is None]


def reports_in_index(place: Place) -> list[str]:
    """Return the paths of reports of a model that has the name of the index, saved by a version without an index."""
    return [f"{INDEX_FOLDER}/{name}" for name in place.folders(INDEX_FOLDER) if _ENTRY.fullmatch(name)]


def entries_of(place: Place, model: str, now: datetime | None = None) -> list[Entry]:
    """Return the entries of a model, complete or not, as `newest_first`."""
    return entries_among(place.folders(model), model, now)


def entries_among(names: Iterable[str], model: str, now: datetime | None = None) -> list[Entry]:
    """Return the entries of a model whose folders have these names, as `newest_first`."""
    entries = (_entry(model, name) for name in names)
    return newest_first((entry for entry in entries if entry is not None), now)


def held_of(place: Place, model: str, now: datetime | None = None) -> list[Held]:
    """Return the entries of a model with their files, as `newest_first`."""
    sizes: dict[str, dict[str, int]] = {name: {} for name in place.folders(model)}
    for (name, *parts), size in place.sizes(model).items():
        sizes.setdefault(name, {})["/".join(parts)] = size
    entries = {entry: name for name in sizes if (entry := _entry(model, name)) is not None}
    return [
        Held(entry=entry, files=len(files), size_bytes=sum(files.values()), is_whole=SUMMARY in files)
        for entry in newest_first(entries, now)
        for files in [sizes[entries[entry]]]
    ]


def newest_first(entries: Iterable[Entry], now: datetime | None = None) -> list[Entry]:
    """Return entries in the order in which the store prefers them: the newest first, ties by digest.

    Those from the future come last, since their time says nothing; `now` is by default the current time.
    """
    today = now or moment()
    return sorted(entries, key=lambda entry: (not entry.is_ahead(today), entry.saved, entry.digest), reverse=True)


def read_to_save(folder: str) -> tuple[dict[str, bytes], str | None]:
    """Return the files of a finished report, the summary last, and its commit, if it has one.

    Raises
    ------
    InputError
        The folder is not a finished report of one model that this version can read.
    """
    commit = read_report_folder(folder, InputError).origin.commit
    try:
        summary = bytes_of(join(folder, SUMMARY))
        files = dict(_files(summary, lambda name: bytes_of(join(folder, name))))
    except (OSError, DamagedError) as problem:
        words = "the folder is incomplete or was changed"
        raise InputError(f"{words} ({problem})", file=folder, advice="give a finished report folder") from problem
    return files, None if commit is None else str(commit)


def commit_to_save(given: str | None, own: str | None) -> str:
    """Return the commit to save a report under: the given one, which must agree with the report's own if it has one.

    Raises
    ------
    OptionError
        There is none, the two differ, or it cannot be part of a folder name.
    """
    commit = given or own
    if not commit:
        raise OptionError("the report names no commit", option="--commit", advice="name it, such as --commit SHA")
    if own and not commit.startswith(own):  # the report may have an abbreviated id
        raise OptionError(f"the report is of commit {own}", option=f"--commit {commit}", advice="leave it out")
    if not _COMMIT.fullmatch(commit):
        raise OptionError(
            "is not a commit: letters, digits, _ - and ., at most 100, a letter or digit first",
            option=f'--commit "{commit}"',
            advice="give the full id, as git rev-parse HEAD prints it",
        )
    return commit


def save(place: Place, files: dict[str, bytes], *, model: str, commit: str, now: datetime) -> tuple[Entry, bool]:
    """Save a report; return its entry, and whether it is new: the newest entry of a commit is not saved again.

    Readers use the newest entry of a commit. So a new entry gets a later time than existing ones, even if the clock of
    another machine was ahead; entries from the future, which readers use last, are left aside.

    Raises
    ------
    OptionError
        The model cannot have this name here.
    OSError
        The store cannot be written.
    """
    check_model(model)
    taken = [name for name in models_in(place) if folded(name) == folded(model) and name != model]
    if taken:
        raise OptionError(f"the store has {taken[0]}, which differs in case only", option=f"--model {model}")
    digest = hashlib.sha256(files[SUMMARY]).hexdigest()[:_DIGITS]
    entries = entries_of(place, model, now)
    same = [entry for entry in entries if entry.commit == commit and not entry.is_ahead(now)]
    if same and same[0].digest == digest:
        entry = same[0]  # complete, being saved by another job, or damaged
        if _is_whole(place, entry):
            return entry, False
    else:
        saved = max([now, *(_just_after(entry.saved) for entry in same[:1])])
        entry = Entry(model=model, commit=commit, saved=saved, digest=digest)
    for name, data in files.items():
        place.write(f"{entry.path}/{name}", data)
    return entry, True


def _just_after(time: datetime) -> datetime:
    return time + _LEAST_STEP if time < _END - _LEAST_STEP else time


def check_model(model: str, option: str = "--model") -> None:
    """Raise OptionError if the name of a model, which an option gives, cannot be that of a folder."""
    if problem := name_problem(model):
        raise OptionError(problem, option=f'{option} "{model}"', advice="give the name of a model, such as encoder")


def fetch_summary(place: Place, entry: Entry) -> bytes:
    """Return the summary of an entry.

    Raises
    ------
    UnseenError
        There is none.
    DamagedError
        It is not the one that was saved.
    """
    try:
        summary = place.read(f"{entry.path}/{SUMMARY}")
    except FileNotFoundError as problem:
        raise UnseenError(f"{SUMMARY} is missing") from problem
    except LinkError as problem:
        raise DamagedError(str(problem)) from problem
    if not hashlib.sha256(summary).hexdigest().startswith(entry.digest):
        raise DamagedError(f"{SUMMARY} is not the one that was saved")
    return summary


def fetch(
    place: Place, entry: Entry, summary: bytes | None = None, *, only: Collection[str] | None = None
) -> dict[str, bytes]:
    """Return the files of an entry, the summary last; `summary` is that of the entry, if it was fetched before.

    `only` are the names of the files to fetch besides the summary; None for all.

    Raises
    ------
    DamagedError
        They were changed since they were saved, or another job removed them.
    """
    if summary is None:
        summary = fetch_summary(place, entry)
    listed = _listed(summary)
    wanted = [name for name in listed if only is None or name in only]
    try:
        with Threads(place.jobs) as threads:
            waiting = [threads.start(place.read, f"{entry.path}/{name}") for name in wanted]
            files = {name: read() for name, read in zip(wanted, waiting, strict=True)}
    except FileNotFoundError as problem:
        raise DamagedError("a file is missing") from problem
    except LinkError as problem:
        raise DamagedError(str(problem)) from problem
    for name, data in files.items():
        _check(name, data, listed[name])
    return {**files, SUMMARY: summary}


def read_side(place: Place, path: str, views: Sequence[str] = VIEWS) -> Side:
    """Return the report of an entry by its path in the store, with some of its views.

    Of one in an object store the files for that are copied first.

    Raises
    ------
    BaselineError
        It is damaged, or of another version.
    DamagedError
        As in `fetch`.
    """
    if place.is_local:
        return read_report_folder(place.shown(path), views=views)
    with tempfile.TemporaryDirectory(prefix="tfprof-report-") as folder:
        for name, data in fetch(place, entry_at(path), only=files_read(views)).items():
            Path(folder, name).write_bytes(data)
        return read_report_folder(folder, views=views)


def remove(place: Place, entry: Entry) -> None:
    """Remove an entry, its summary first, so that nobody sees a part of it."""
    place.remove(entry.path, first=SUMMARY)


def _is_whole(place: Place, entry: Entry) -> bool:
    try:
        fetch(place, entry)
    except DamagedError:
        return False
    return True


def entry_at(path: str) -> Entry:
    """Return the entry of a path in the store.

    Raises
    ------
    ValueError
        It is not the path of an entry.
    """
    model, _, name = path.partition("/")
    entry = _entry(model, name)
    if entry is None:
        raise ValueError(f"{path} is not the path of a report in a store")
    return entry


def _entry(model: str, name: str) -> Entry | None:
    """Return the entry of a folder name, None if it is not one."""
    found = _ENTRY.fullmatch(name)
    if found is None:
        return None
    try:
        saved = datetime.strptime(found[2], _TIME).replace(tzinfo=UTC)
    except ValueError:
        return None
    return Entry(model=model, commit=found[1], saved=saved, digest=found[3])


def _files(summary: bytes, read: Callable[[str], bytes]) -> Iterator[tuple[str, bytes]]:
    """Yield the files that a summary lists, verified by digest, and the summary last."""
    for name, digest in _listed(summary).items():
        data: bytes = read(name)
        _check(name, data, digest)
        yield name, data
    yield SUMMARY, summary


def _listed(summary: bytes) -> dict[str, str]:
    """Return the digests of the files that a summary lists, by name."""
    try:
        listed = {str(name): str(file["sha256"]) for name, file in json.loads(summary)["files"].items()}
    except (AttributeError, LookupError, RecursionError, TypeError, ValueError) as problem:
        raise DamagedError(f"{SUMMARY} lists no files") from problem
    for name in listed:
        if not _FILE.fullmatch(name) or name == SUMMARY:  # names become paths in a folder of the user
            raise DamagedError(f"{SUMMARY} lists {name!r}")
    return listed


def _check(name: str, data: bytes, digest: str) -> None:
    if hashlib.sha256(data).hexdigest() != digest:
        raise DamagedError(f"{name} is not the file that {SUMMARY} lists")
