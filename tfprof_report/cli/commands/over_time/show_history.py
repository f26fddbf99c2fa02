"""The command `history`."""

from __future__ import annotations

import os

from tfprof_report.cli.commands.named_files import real_path
from tfprof_report.cli.commands.over_time.build_histories import build_histories, runs_on_workers
from tfprof_report.cli.commands.over_time.history_extras import named_files, of_models, read_badges, write_extras
from tfprof_report.cli.commands.over_time.history_work import FILES, check_history, history_work, warnings_of
from tfprof_report.cli.commands.store_outputs import check_outside
from tfprof_report.cli.config.file import AppliedRules
from tfprof_report.cli.console import echo, finishing, progress, say
from tfprof_report.cli.notes import print_rules_file
from tfprof_report.cli.params.history_options import HistoryValues
from tfprof_report.errors import ExitCode, OptionError, log_line
from tfprof_report.render.files.atomic import write_folder
from tfprof_report.render.history.history_content import history_content


def show_history(values: HistoryValues, rules: AppliedRules) -> ExitCode:
    """Write the history of the models of a store; return the worst exit code of all models."""
    if values.out is None:
        raise OptionError("Missing option '--out'", advice="name the folder to write")
    folder = values.out
    check_history(values)
    badges = read_badges(values, real_path(folder), FILES)
    work = history_work(values, more=[badge.stem for badge in badges])
    check_outside(work.place, {"--out": [folder], **named_files(values, badges)})
    models = work.models()
    badges = of_models(badges, models)
    policies = work.policies(rules, models)
    with (finishing if runs_on_workers(values, models) else progress)(len(models)) as show:
        built = build_histories(work, policies, show)
    for model in built.models:
        for words in warnings_of(model):
            say(f"warning: {words}")
    for failed in built.failed:
        say(f"{failed.name}: {failed.reason}")
    if not built.models:
        return ExitCode.worst(model.exit_code for model in built.failed)
    history = work.seen_from(folder, work.history(built.models, built.failed))
    content = history_content(history)
    write_folder(folder, work.render(history, content), option="--out")
    print_rules_file(rules.path)
    for each in content.models:
        echo(f"{each.name.text}: {each.headline}")
        if each.verdict is not None:
            echo(log_line(f"{each.name.text}: {each.verdict.text}"))
    echo(f"History   {os.path.join(folder, 'history.html')}")  # noqa: PTH118 as the user wrote it
    write_extras(values, badges, history)
    return history.exit_code
