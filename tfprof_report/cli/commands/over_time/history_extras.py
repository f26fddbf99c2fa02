"""The files that `history` writes beside its folder: the text for a chat, and badges."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from pathlib import Path

from tfprof_report.cli.commands.named_files import check_named_files
from tfprof_report.cli.console import echo
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.errors import OptionError
from tfprof_report.history.history_data import History
from tfprof_report.options import unknown_word
from tfprof_report.record import record
from tfprof_report.render.files.atomic import write_files
from tfprof_report.render.history.badge import render_badge
from tfprof_report.render.history.chat_text import render_chat
from tfprof_report.schema.index_columns import FIGURES

_CHAT, _BADGE = "--chat", "--badge"


@record
class Badge:
    """A badge to write: the figure, the model, and the file. Without a model it is the only one that is shown."""

    text: str
    model: str
    stem: str
    file: str


def read_badges(values: HistoryValues, out: Path, own: Collection[str]) -> tuple[Badge, ...]:
    """Return the badges to write, after a check of their files and of that for the chat.

    out, own : the folder that the command writes, and the names of its files

    Raises
    ------
    OptionError
        A badge is not ``METRIC=FILE`` or ``MODEL/METRIC=FILE``, a metric is not known, or a file is named twice.
    OutputError
        A file cannot be written.
    """
    badges = tuple(map(_badge, values.badge or ()))
    files = [(path, option) for option, paths in named_files(values, badges).items() for path in paths]
    check_named_files(files, [out], own=own, of="history")
    return badges


def named_files(values: HistoryValues, badges: Sequence[Badge]) -> dict[str, list[str]]:
    """Return the files that are written beside those of the history, by their options."""
    return {_CHAT: [] if values.chat is None else [values.chat], _BADGE: [badge.file for badge in badges]}


def _badge(text: str) -> Badge:
    name, _, file = text.partition("=")
    model, _, stem = name.rpartition("/")
    if not (stem and file):
        raise OptionError("is no badge", option=f'{_BADGE} "{text}"', advice="write METRIC=FILE or MODEL/METRIC=FILE")
    if stem not in FIGURES:
        raise unknown_word(stem, option=_BADGE, known=FIGURES)
    return Badge(text=text, model=model, stem=stem, file=file)


def of_models(badges: Sequence[Badge], models: Sequence[str]) -> tuple[Badge, ...]:
    """Return badges with their models, which are among those that are shown; an OptionError for one that is not."""
    for badge in badges:
        if badge.model and badge.model not in models:
            raise unknown_word(badge.model, option=_BADGE, known=models)
        if not badge.model and len(models) > 1:
            problem = f"does not say which of {len(models):,} models"
            advice = f"write {models[0]}/{badge.stem}=FILE"
            raise OptionError(problem, option=f'{_BADGE} "{badge.text}"', advice=advice)
    return tuple(replace(badge, model=badge.model or models[0]) for badge in badges)


def write_extras(values: HistoryValues, badges: Sequence[Badge], history: History) -> None:
    """Write the text for a chat and the badges, each whole or not at all; an OutputError if one cannot be written."""
    models = {model.name: model for model in history.models}
    if values.chat is not None:
        write_files(values.chat, {"": [render_chat(history).encode()]}, option=_CHAT)
        echo(f"Chat      {values.chat}")
    count = len(models) + len(history.failed)
    for badge in badges:
        if badge.model not in models:  # the reason was said
            continue
        text = render_badge(models[badge.model], badge.stem, is_named=count > 1)
        write_files(badge.file, {"": [text.encode()]}, option=_BADGE)
        echo(f"Badge     {badge.file}")
