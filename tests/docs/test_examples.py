"""The notebooks of ``examples/`` run, and are kept without outputs."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import nbformat
import pytest
from nbclient import NotebookClient
from repository import ROOT

NOTEBOOKS = sorted((ROOT / "examples").glob("*.ipynb"))


def test_notebooks_are_without_outputs_and_end_with_an_assertion() -> None:
    assert [path.stem for path in NOTEBOOKS] == ["change", "history", "keras", "tables"]
    for path in NOTEBOOKS:
        cells = nbformat.read(path, as_version=4).cells
        code = [cell for cell in cells if cell.cell_type == "code"]
        assert [(cell.outputs, cell.execution_count) for cell in code] == [([], None)] * len(code)
        assert "assert " in code[-1].source


@pytest.mark.thorough
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
@pytest.mark.filterwarnings("ignore")  # those of Jupyter's packages
def test_a_notebook_runs_to_its_end(path: Path) -> None:
    if path.stem == "keras" and find_spec("tensorflow") is None:
        pytest.skip("TensorFlow is not installed; make conformance runs it")
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=300, resources={"metadata": {"path": str(path.parent)}}).execute()
    shown = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("text/html" in output.get("data", {}) for output in shown) >= 2
