"""The committed descriptors are those compiled from ``protos/``."""

from __future__ import annotations

import importlib.resources
import subprocess
import sys
from pathlib import Path

from repository import ROOT


def test_the_committed_descriptors_equal_a_fresh_compile(tmp_path: Path) -> None:
    fresh = tmp_path / "descriptors.binpb"
    names = ["tensorflow", "tfprof", "tfprof_output", "tfprof_options", "checkpoint", "saved_model"]
    files = [f"{name}.proto" for name in (*names, "profile", "columns", "events", "foreign", "xplane")]
    command = [sys.executable, "-m", "grpc_tools.protoc", "-Iprotos", "--include_imports"]
    subprocess.run([*command, f"--descriptor_set_out={fresh}", *files], cwd=ROOT, check=True)
    committed = importlib.resources.files("tfprof_report.ingest") / "descriptors.binpb"
    assert fresh.read_bytes() == committed.read_bytes(), "run: make protos"
