"""The shipped goldens: our text equals the native text, no golden is left out, and each quirk is in at least one."""

from __future__ import annotations

import dataclasses
import importlib.util
import sys
from collections import Counter
from types import ModuleType

import pytest
from repository import ROOT

from tfprof_report.semantics import TFPROF


def load() -> ModuleType:
    path = ROOT / "ci" / "goldens.py"
    spec = importlib.util.spec_from_file_location("golden_cases", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["golden_cases"] = module  # a dataclass looks its module up there
    spec.loader.exec_module(module)
    return module


RUNNER = load()
CASES = list(RUNNER.find_cases(RUNNER.DEFAULT_CORPUS))


def test_every_shipped_golden_is_equal_and_none_is_left_out() -> None:
    outcomes = {f"{case.model} {case.name}": RUNNER.check(case)[0] for case in CASES}
    assert {name: outcome for name, outcome in outcomes.items() if outcome != "equal"} == {}
    folders = sum(path.is_dir() for path in RUNNER.DEFAULT_CORPUS.iterdir())
    counts = Counter(case.model for case in CASES)
    assert counts == {"goldens": 72, "gpu_synthetic": 14, "mnist_softmax": 17, "resnet32_cifar": 11}
    assert folders == counts["goldens"] + 3


GOLDEN_OF_SWITCH = {
    "ignore_output_index": "014-scope-output-index-ignored",
    "show_control_inputs": "014-scope-output-index-ignored",
    "count_unaccounted_scopes": "003-scope-unaccounted-parent-leak",
    "count_node_per_pattern": "037-op-double-count",
    "op_minimum_is_cumulative": "032-op-min-uses-cumulative",
    "count_scopes_as_definitions": "005-scope-displayed-only",
    "any_shape_is_params": "002-scope-all-static-columns",
    "average_over_own_steps": "063-steps-average",
    "wrap_negative_average": "066-steps-negative-average",
    "hide_negative_values": "349 steps/scope/step_-1",
    "stream_only_has_no_float_ops": "023-run-float-ops-times-runs",
    "first_device_wins": "019-run-devices",
    "repeat_time_doc_lines": "132 full/op/select_all",
    "root_row_for_empty_op_view": "039-op-empty-graph",
    "nan_percentages": "040-op-nan",
    "zero_memory_has_zero_share": "033-op-zero-self",
    "float_ops_times_runs": "023-run-float-ops-times-runs",
    "missing_step_is_empty": "058-bad-step",
    "drop_simultaneous_executions": "254 full/graph/timeline",
    "refused_output_is_empty": "053-pprof-scope",
    "unknown_is_zero": "002-scope-all-static-columns",
    "late_definitions_are_lost": "068-steps-late-node",
    "profile_forgets_missing_stream": "069-profile-file-scope",
    "batch_matmul_ignores_adj_x": "072-flops-quirks",
    "add_n_counts_control_inputs": "072-flops-quirks",
    "refuse_channels_first": "072-flops-quirks",
    "l2_loss_of_nothing_is_negative": "072-flops-quirks",
    "absent_run_shape_is_scalar": "073-flops-shapes-from-run",
}


@pytest.mark.parametrize(("switch", "name"), GOLDEN_OF_SWITCH.items())
def test_one_corrected_switch_breaks_a_golden(switch: str, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (case,) = (case for case in CASES if case.name == name)
    monkeypatch.setattr(RUNNER, "TFPROF", dataclasses.replace(TFPROF, **{switch: False}))
    RUNNER.node_table.cache_clear()  # the node table depends on the semantics too
    outcome, _ = RUNNER.check(case)
    RUNNER.node_table.cache_clear()
    assert outcome == "unequal"
