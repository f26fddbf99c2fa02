"""Where the repository and the inputs of tests are, wherever a test stands."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "data"
GOLDENS = DATA / "goldens"
