"""What is compared with what: model, branch, commit and inputs of each side, with links. Plain data for templates."""

from __future__ import annotations

from tfprof_report.formatting import COMMIT_DIGITS
from tfprof_report.ingest.files.folders import last_name
from tfprof_report.ingest.origin import Origin
from tfprof_report.record import record
from tfprof_report.render.content.sections import sides_of, title_of
from tfprof_report.render.tables.cells import Cell, name_cell, number_cell, text_cell
from tfprof_report.report.report import Report
from tfprof_report.schema.files import HTML
from tfprof_report.schema.metrics import Unit

_FILES = 8

INDEX = f"../{HTML}"
"""The page of all models, from that of one."""


@record
class SideFacts:
    """What was measured on one side: `word` is base or head.

    `commit`, and the `digest` of all inputs, are shortened; `Cell.exact` has them in full. `commit_url` is the address
    of the commit's page, empty if there is none. `distance` is how far base is from head, None for head and where
    nothing is known of it.
    """

    word: str
    label: Cell
    branch: Cell | None
    commit: Cell
    commit_url: str
    distance: Cell | None
    digest: Cell
    files: tuple[tuple[Cell, Cell], ...]
    more_files: int

    @property
    def words(self) -> str:
        """Label, branch, commit, distance and digest as one line of text."""
        branch = [f"branch {self.branch.text}"] if self.branch else []
        distance = [self.distance.text] if self.distance else []
        commit, digest = f"commit {self.commit.text}", f"fingerprint of inputs {self.digest.text}"
        return ", ".join([self.label.text, *branch, commit, *distance, digest])


@record
class Identity:
    """The line that names both sides, in a few words each.

    head, base : base is None without a comparison; the title is head's label
    base_label : where it is another one, else None
    report_url : where the report is published; empty if it is not known
    index : the address of the page of all models, empty for a single one
    has_commits : whether the commit of any side is known, so that a missing one is worth a word
    """

    head: SideFacts
    base: SideFacts | None
    base_label: Cell | None
    report_url: str
    index: str
    has_commits: bool


def identity_of(report: Report) -> Identity:
    """Return the line that names both sides of a report."""
    *bases, head = sides_facts(report)
    base = bases[0] if bases else None
    return Identity(
        head=head,
        base=base,
        base_label=base.label if base and base.label != head.label else None,
        report_url=report.links.report or "",
        index=INDEX if report.model else "",
        has_commits=any(side.commit.is_name for side in (*bases, head)),
    )


def sides_facts(report: Report) -> tuple[SideFacts, ...]:
    """Return what was measured on each side: base, if there is one, and head."""
    return tuple(_side_facts(word, side, report) for word, side in sides_of(report))


def _side_facts(word: str, side: Origin, report: Report) -> SideFacts:
    distance = report.distance.words
    return SideFacts(
        word=word,
        label=name_cell(title_of(side)),
        branch=name_cell(side.branch) if side.branch else None,
        commit=_short(side.commit),
        commit_url=report.links.of_commit(side.commit),
        distance=text_cell(distance) if distance and word == "base" else None,
        digest=_short(side.digest),
        files=tuple(
            (name_cell(last_name(file.path), exact=file.path), number_cell(file.size_bytes, Unit.BYTES))
            for file in side.inputs[:_FILES]
        ),
        more_files=max(len(side.inputs) - _FILES, 0),
    )


def _short(text: str | None) -> Cell:
    """Return the first characters of a commit or digest; `Cell.exact` has it in full."""
    cell = name_cell(text)
    return cell._replace(text=cell.text[:COMMIT_DIGITS], exact=cell.text) if text else cell
