"""The command `history`."""

from __future__ import annotations

import os

from tfprof_report.cli.commands.named_files import real_path
from tfprof_report.cli.commands.over_time.history_extras import named_files, of_models, read_badges, write_extras
from tfprof_report.cli.commands.over_time.history_work import FILES, check_history, history_work, warnings_of
from tfprof_report.cli.commands.store_outputs import check_outside
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.console import echo, progress, say
from tfprof_report.cli.notes import print_rules_file
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.errors import OptionError
from tfprof_report.render.files.atomic import write_folder
from tfprof_report.render.history.history_content import history_content


def show_history(values: HistoryValues, rules: AppliedRules) -> None:
    """Write the history of the models of a store."""
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write")
    folder = values.out
    check_history(values)
    badges = read_badges(values, real_path(folder), FILES)
    work = history_work(values, more=[badge.stem for badge in badges])
    check_outside(work.place, {"--out": [folder], **named_files(values, badges)})
    models = work.models()
    badges = of_models(badges, models)
    found = []
    with progress(len(models)) as begin:
        for name in models:
            begin(name)
            found.append(work.build(name, rules))
            for words in warnings_of(found[-1]):
                say(f"warning: {words}")
    history = work.seen_from(folder, work.history(found))
    content = history_content(history)
    write_folder(folder, work.render(history, content), option="--out")
    print_rules_file(rules.path)
    for model in content.models:
        echo(f"{model.name.text}: {model.headline}")
    echo(f"History   {os.path.join(folder, 'history.html')}")  # noqa: PTH118 as the user wrote it
    write_extras(values, badges, history)
