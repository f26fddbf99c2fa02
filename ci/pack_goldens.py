"""Copy a small share of the native profiler's recorded outputs to ``tests/data/goldens``, in the layout of goldens.py.

    python ci/pack_goldens.py CORPUS CASES

CORPUS holds folders of models, CASES folders of single cases. From CASES all cases in scope are copied unchanged, from
CORPUS the cases listed below. The index of a packed model contains the inputs and options of its cases.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sys
from pathlib import Path

from goldens import DEFAULT_CORPUS, Case, existing, find_cases, read

SHARED_INPUTS = {"resnet32_cifar": "../../resnet/base"}
"""Models whose inputs the repository already has elsewhere."""

CHOSEN = {
    "gpu_synthetic": """
        full/scope/select_all full/scope/order_by_accelerator_micros full/scope/types_host full/scope/show_trim_all
        full/op/time_and_memory full/op/select_all full/op/trim_names_displayed_only
        full/graph/timeline full/scope/timeline full/code/pprof_micros
        with_run_meta_nostream/scope/time_and_memory steps/scope/step_-1 steps/op/step_2 same_step/scope/step_7
    """,
    "mnist_softmax": """
        full/scope/python_empty full/scope/cli_default full/scope/trainable_variables_parameter
        full/scope/float_operation
        full/scope/min_bytes full/scope/start_hide_displayed_only full/scope/select_tensor_value
        full/scope/bad_regex_broken full/op/cli_default full/op/order_by_occurrence full/op/step_1
        full/op/select_input_shapes text_graph/scope/select_all graph_only/op/select_all steps/scope/step_-1
        steps/scope/step_99 steps_from_0/scope/step_1
    """,
    "resnet32_cifar": """
        full/scope/trainable_variables_parameter full/scope/start_names_all full/scope/max_depth_3
        full/op/float_operation full/op/order_by_params graph_log/scope/select_all steps/scope/step_-1 steps/op/step_-1
        with_tfprof_log_2016flops/scope/tutorial_flops with_tfprof_log_2016flops/scope/tutorial_params
        with_tfprof_log_2016flops/scope/tutorial_unit_1_0
    """,
}


def pack_model(model: str, cases: list[Case]) -> None:
    """Write the inputs, the recorded texts and the index of a model."""
    target = DEFAULT_CORPUS / model
    (target / "golden").mkdir(parents=True)
    index = []
    for case in cases:
        if case.expected is None:
            raise AssertionError(f"{case.name}: no recorded output")
        number, _, name = case.name.partition(" ")
        text = f"{number}.txt.gz"
        write(target / "golden" / text, read(case.expected))
        wrote = {
            file: f"{number}.{record.name.partition('.')[2].removesuffix('.gz')}.gz"
            for file, record in case.files.items()
        }
        for file, record in wrote.items():
            write(target / "golden" / record, read(case.files[file]))
        inputs = {role: pack_input(case, file) for role, file in case.inputs.items()}
        steps = [(step, pack_input(case, file)) for step, file in case.steps or ()]
        (cmd, options), *_ = case.views
        index.append(
            {
                "id": number,
                "name": name,
                "api": "print_mdl" if case.steps is None else "profiler",
                "inputs": inputs if case.steps is None else inputs | {"steps": steps},
                "cmd": cmd,
                "options": options,
                "status": "ok",
                "stdout": text,
            }
            | ({"wrote": wrote} if wrote else {})
        )
    lines = ",\n".join(json.dumps(entry) for entry in index)
    (target / "golden" / "index.json").write_text(f"[\n{lines}\n]\n")


def pack_input(case: Case, file: str) -> str:
    """Copy an input unless the repository has it; return its path relative to the folder of the model."""
    if case.model in SHARED_INPUTS:
        shared = f"{SHARED_INPUTS[case.model]}/{file}"
        if existing(DEFAULT_CORPUS / case.model / shared).exists():
            return shared
    name = file.removesuffix(".gz") + ".gz"
    write(DEFAULT_CORPUS / case.model / name, read(case.folder / file))
    return name


def pack_single(case: Case) -> None:
    """Copy the files of a single case that the runner reads."""
    target = DEFAULT_CORPUS / case.name
    target.mkdir(parents=True)
    added = [file for _, file in (*(case.steps or ()), *case.graphs)]
    files = [*case.inputs.values(), *added, "expected.txt", "options.json"]
    records = [*case.files.values(), *([case.proto] if case.proto else [])]
    for file in [*files, *(record.name for record in records)]:
        (target / file).write_bytes(read(case.folder / file))


def write(path: Path, data: bytes) -> None:
    """Write `data` gzipped, without a time or file name in the header."""
    path.write_bytes(gzip.compress(data, 9, mtime=0))


def main(corpus: Path, single_cases: Path) -> None:
    """Replace the packed goldens."""
    shutil.rmtree(DEFAULT_CORPUS, ignore_errors=True)
    for model, names in CHOSEN.items():
        found = {case.name.partition(" ")[2]: case for case in find_cases(corpus) if case.model == model}
        pack_model(model, [found[name] for name in names.split()])
    for case in find_cases(single_cases):
        if case.excluded is None:
            pack_single(case)


if __name__ == "__main__":
    main(*map(Path, sys.argv[1:]))
