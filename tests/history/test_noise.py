from __future__ import annotations

import numpy as np
import pytest
from simulated_nights import NOISES

from tfprof_report.history.noise import noise_of, persistence


@pytest.mark.parametrize(("kind", "kept"), [("normal", 0), ("persists 0.3", 0.3), ("persists 0.6", 0.6)])
def test_persistence_is_that_of_the_noise(kind: str, kept: float) -> None:
    values = NOISES[kind](np.random.default_rng(1), 20_000)
    assert persistence(values) == pytest.approx(kept, abs=0.04)
    assert persistence(values + 100 * (np.arange(20_000) > 9_000)) == pytest.approx(kept, abs=0.04)
    assert noise_of(values) == pytest.approx(np.sqrt((1 + kept) / (1 - kept)), rel=0.08)


def test_values_that_repeat_have_no_noise() -> None:
    values = np.repeat([5.0, 7.0], 20)
    assert persistence(values) == 0
    assert noise_of(values) == pytest.approx(7e-12)


def test_a_random_walk_keeps_as_much_as_is_believed() -> None:
    assert persistence(np.random.default_rng(2).normal(size=20_000).cumsum()) == 0.9
