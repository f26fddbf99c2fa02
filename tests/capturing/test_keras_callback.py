"""The callback captures the batches that it was asked for, and writes once."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from fake_frameworks import (
    FUNCTIONS,
    FakeJax,
    FakeTensorFlow,
    Module,
    concrete_class,
    fake_keras,
    loaded,
    train_step,
)

import tfprof_report
from tfprof_report.errors import OptionError


@pytest.fixture
def calls() -> Iterator[list[Any]]:
    made: list[Any] = []
    kind = concrete_class()
    fakes = {"tensorflow": FakeTensorFlow(made), "functions": SimpleNamespace(ConcreteFunction=kind)}
    with loaded(keras=fake_keras("tensorflow"), **fakes):
        yield made


def fit(callback: Any, *, epochs: int, batches: int, fails_in: int | None = None) -> None:
    """Call a callback as Keras does."""

    step = train_step(sys.modules[FUNCTIONS].ConcreteFunction)
    callback.model = Module(variables=[])
    callback.on_train_begin()
    for _ in range(epochs):
        for batch in range(batches):
            callback.on_train_batch_begin(batch)
            step()
            if batch == fails_in:
                raise KeyError(batch)
            callback.on_train_batch_end(batch)
    callback.on_train_end()


def steps_in(calls: list[Any]) -> list[int]:
    return [each[1]["step_num"] for each in calls if each[0] == "train"]


def test_batches_are_counted_over_epochs(calls: list[Any], tmp_path: Path) -> None:
    fit(tfprof_report.keras_callback(tmp_path), epochs=5, batches=3)
    assert steps_in(calls) == [2, 3, 4, 5, 6]
    assert calls[-1] == ("stop", True)
    assert (tmp_path / "graph.pb").exists()


def test_a_short_training_gives_what_it_has(calls: list[Any], tmp_path: Path) -> None:
    fit(tfprof_report.keras_callback(tmp_path, steps=(1, 9)), epochs=1, batches=3)
    assert steps_in(calls) == [1, 2]
    assert (tmp_path / "graph.pb").exists()


def test_a_training_without_the_first_batch_warns(calls: list[Any], tmp_path: Path) -> None:
    with pytest.warns(UserWarning, match=r"nothing was captured: training ended after 2 batches, before batch 2"):
        fit(tfprof_report.keras_callback(tmp_path / "profile"), epochs=1, batches=2)
    assert calls == []
    assert not (tmp_path / "profile").exists()


@pytest.mark.parametrize("is_same", [True, False])
def test_a_training_that_failed_is_given_up_by_the_next_one(calls: list[Any], tmp_path: Path, *, is_same: bool) -> None:
    callback, other = (tfprof_report.keras_callback(tmp_path, steps=(0, 1)) for _ in range(2))
    with pytest.raises(KeyError):
        fit(callback, epochs=1, batches=2, fails_in=1)
    fit(callback if is_same else other, epochs=1, batches=2)
    assert steps_in(calls) == [0, 1, 0, 1]
    assert [each for each in calls if each[0] == "stop"] == [("stop", False), ("stop", True)]


def test_keras_on_jax_is_traced_by_jax(tmp_path: Path) -> None:
    calls: list[Any] = []
    with loaded(keras=fake_keras("jax"), jax=FakeJax(calls), tensorflow=FakeTensorFlow([])):
        callback = tfprof_report.keras_callback(tmp_path, steps=(0, 0))
        callback.on_train_batch_begin(0)
        callback.on_train_batch_end(0)
    assert calls[-1] == "stop"
    assert not (tmp_path / "graph.pb").exists()


def test_errors_of_the_callback_are_one_line(tmp_path: Path) -> None:
    with loaded(), pytest.raises(OptionError, match=r"^Keras is not imported; import keras before keras_callback$"):
        tfprof_report.keras_callback(tmp_path)
    with loaded(keras=fake_keras("torch")):
        for steps in ((3, 2), (-1, 2), 5, ("a", "b")):
            with pytest.raises(OptionError, match=r"^steps: .* are no first and last batch"):
                tfprof_report.keras_callback(tmp_path, steps=steps)  # type: ignore[arg-type]
        callback = tfprof_report.keras_callback(tmp_path, steps=(0, 0))
        with pytest.raises(OptionError, match=r"^Keras runs on torch, which is not captured"):
            callback.on_train_batch_begin(0)
