"""The wheel and the source archive are built, their content checked, and the wheel is run in another folder."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import tomllib
import zipfile
from pathlib import Path
from typing import Any

import pytest
from repository import DATA, ROOT

from tfprof_report import __version__

SOURCES = (
    *("tfprof_report", "report_templates", "protos", "ci/recipes", "ci/build_templates.py", "docs/man"),
    *("pyproject.toml", "MANIFEST.in", "README.md", "CHANGELOG.md", "LICENSE", "deno.json"),
)


@pytest.fixture(scope="module")
def project() -> dict[str, Any]:
    return tomllib.loads((ROOT / "pyproject.toml").read_text())


@pytest.fixture(scope="module")
def archives(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the source archive, and the wheel that was built from it."""
    # Build from a copy of the sources: it shows that nothing else is needed, and leaves no files in the checkout.
    source = tmp_path_factory.mktemp("source")
    for name in SOURCES:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            (source / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, source / name)
    said = run(sys.executable, "-m", "build", "--no-isolation", "--outdir", str(source / "dist"), str(source))
    assert "warning" not in said.lower().replace("warning: build_py: byte-compiling is disabled, skipping.", "")
    return source / "dist"


@pytest.fixture(scope="module")
def wheel(archives: Path) -> Path:
    (built,) = archives.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the ``bin`` folder of a clean environment with the wheel installed.

    A path file makes the dependencies of the environment that runs the tests available without a download. Path files
    in that environment are not processed, so its editable install of this package stays invisible.
    """
    home = tmp_path_factory.mktemp("clean")
    run(sys.executable, "-m", "venv", "--without-pip", str(home))
    python = home / "bin" / "python"
    pip = (sys.executable, "-m", "pip", "--python", str(python))
    run(*pip, "install", "--no-deps", "--no-index", "--no-compile", "--disable-pip-version-check", str(wheel))
    site = run(str(python), "-c", "import sysconfig; print(sysconfig.get_paths()['purelib'])").strip()
    Path(site, "dependencies.pth").write_text(sysconfig.get_paths()["purelib"] + "\n")
    return home / "bin"


def run(*command: str, cwd: Path | str = "/") -> str:
    environment = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_folder_with_code_is_a_listed_package(project: dict[str, Any]) -> None:
    folders = {path.parent.relative_to(ROOT) for path in (ROOT / "tfprof_report").rglob("__init__.py")}
    mapped = {"tfprof_report.report_templates", "tfprof_report.report_templates.built", "tfprof_report.recipes"}
    names = {".".join(folder.parts) for folder in folders} | mapped
    assert set(project["tool"]["setuptools"]["packages"]) == names


@pytest.mark.thorough
def test_the_wheel_carries_code_data_templates_and_licence(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    modules = {str(path.relative_to(ROOT)) for path in (ROOT / "tfprof_report").rglob("*.py")}
    templates = ROOT / "report_templates"
    files = [*templates.rglob("*.j2"), *(templates / "assets").iterdir(), *(templates / "built").glob("*.py")]
    assert {path.suffix for path in files} == {".j2", ".css", ".js", ".py"}
    shown = {f"tfprof_report/{path.relative_to(ROOT)}" for path in [*files, templates / "__init__.py"]}
    assert {name for name in names if name.startswith("tfprof_report/report_templates/")} == shown
    assert modules <= names
    data = {"py.typed", "ingest/descriptors.binpb", "model/flops/op_names.txt"}
    assert {f"tfprof_report/{name}" for name in data} <= names
    for licence in ("LICENSE", "report_templates/LICENSE.uPlot"):
        assert any(name.endswith(f".dist-info/licenses/{licence}") for name in names)


def test_the_wheel_carries_every_recipe(wheel: Path) -> None:
    recipes = {path.relative_to(ROOT / "ci") for path in (ROOT / "ci" / "recipes").rglob("*") if path.is_file()}
    there = {name for name in zipfile.ZipFile(wheel).namelist() if name.startswith("tfprof_report/recipes/")}
    assert there == {f"tfprof_report/{path}" for path in recipes if "__pycache__" not in path.parts}


def test_the_wheel_carries_nothing_but_the_package(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    top = {name.partition("/")[0] for name in names}
    (data,) = (name for name in top if name.endswith(".data"))
    assert {name for name in top if not name.endswith(".dist-info")} == {"tfprof_report", data}
    assert [name for name in names if name.startswith(data)] == [f"{data}/data/share/man/man1/tfprof-report.1"]


def test_the_source_archive_carries_all_sources_of_the_wheel_and_of_its_generated_files(archives: Path) -> None:
    (archive,) = archives.glob("*.tar.gz")
    with tarfile.open(archive) as opened:
        names = {name.partition("/")[2] for name in opened.getnames() if not opened.getmember(name).isdir()}
    made = {"PKG-INFO", "setup.cfg"} | {name for name in names if name.startswith("tfprof_report.egg-info/")}
    tracked = run("git", "ls-files", "--cached", "--others", "--exclude-standard", "--", *SOURCES, cwd=ROOT).split()
    assert names - made == set(tracked)


@pytest.mark.thorough
def test_the_installed_command_prints_the_version_of_the_wheel(installed: Path, wheel: Path) -> None:
    assert run(str(installed / "tfprof-report"), "--version").split()[1] == wheel.name.split("-")[1] == __version__


def test_the_installed_package_is_not_the_checkout(installed: Path) -> None:
    path = run(str(installed / "python"), "-c", "import tfprof_report; print(tfprof_report.__file__)")
    assert Path(path.strip()).is_relative_to(installed.parent)


def test_the_installed_command_sets_up_a_repository(installed: Path, tmp_path: Path) -> None:
    run(str(installed / "tfprof-report"), "init", "--host", "jenkins", cwd=tmp_path)
    recipe = ROOT / "ci" / "recipes" / "jenkins" / "Jenkinsfile"
    assert (tmp_path / "tfprof-report.Jenkinsfile").read_bytes() == recipe.read_bytes()


@pytest.mark.thorough
def test_the_installed_command_writes_a_report_from_another_folder(installed: Path, tmp_path: Path) -> None:
    base = DATA / "resnet" / "base"
    run(str(installed / "tfprof-report"), "report", str(base), "--out", str(tmp_path / "report"))
    suffixes = {path.suffix for path in (tmp_path / "report").iterdir()}
    assert {".html", ".md", ".parquet", ".json"} <= suffixes
