"""Emulates CI hosts to run the recipes of `ci/recipes`: their shell steps are really executed.

Installation is skipped; what a host does itself (caches, artifacts) is emulated here.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any, Protocol
from zipfile import ZipFile

import yaml
from repository import ROOT

RECIPES = ROOT / "ci" / "recipes"
BRANCH = "main"
_PIP = "#!/bin/sh\nexit 0\n"
_PYTHON = f"""#!/bin/sh
if [ "$1 $2" = "-m venv" ]; then mkdir -p "$3/bin" && touch "$3/bin/activate"; else exec {sys.executable} "$@"; fi
"""
_LEFT_BY_RUNS = (".tfprof-baselines", ".venv", "profile", "tfprof-[!ra]*", "tfprof-report/")
_PROFILE = '''import pathlib, sys
width = int(pathlib.Path("width").read_text())
folder = pathlib.Path(sys.argv[1])
folder.mkdir(parents=True, exist_ok=True)
(folder / "graph.pbtxt").write_text("""node { name: "dense/kernel" op: "VariableV2" attr { key: "shape" value { shape {
dim { size: %d } } } } }""" % width)
'''


class Repository:
    """A scratch repository whose model has as many parameters as the number in its file `width`.

    folder : the checkout
    temporary : a folder outside it, for what the host keeps
    """

    def __init__(self, folder: Path) -> None:
        self.folder, self.temporary = folder / "checkout", folder / "host"
        for each in (self.folder, self.temporary, self.temporary / "bin"):
            each.mkdir()
        for name, text in (("pip", _PIP), ("python", _PYTHON)):
            (self.temporary / "bin" / name).write_text(text)
            (self.temporary / "bin" / name).chmod(0o755)
        self.git("init", "--quiet", "--initial-branch", BRANCH)
        (self.folder / ".git" / "info" / "exclude").write_text("\n".join(_LEFT_BY_RUNS))
        (self.folder / "profile_model.py").write_text(_PROFILE)
        for name in ("tfprof-report.toml", "tfprof-acknowledged.toml"):
            shutil.copy(RECIPES / name, self.folder)
        self.commit(width=100)

    def git(self, *arguments: str) -> str:
        """Run git and return what it prints."""
        names = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false")
        command = ["git", *names, *arguments]
        return subprocess.run(command, cwd=self.folder, check=True, capture_output=True, text=True).stdout.strip()

    def commit(self, **files: object) -> str:
        """Commit files, whose names cannot have dots, and return the commit."""
        for name, content in files.items():
            (self.folder / name).write_text(f"{content}\n")
        self.git("add", "--all")
        self.git("commit", "--quiet", "--allow-empty", "--message", "change")
        return self.git("rev-parse", "HEAD")

    def check_out_merge(self, branch: str) -> None:
        """Check out a branch as it is when merged into main, as hosts do for pull requests."""
        self.git("checkout", "--quiet", "--detach", BRANCH)
        self.git("merge", "--quiet", "--no-ff", "--message", "merge", branch)

    def clean(self) -> None:
        """Remove untracked files of earlier runs, as hosts do before a job."""
        self.git("clean", "--quiet", "-ffdx")

    def run(self, script: str, *shell: str, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run a script in the checkout."""
        file = self.temporary / "script"
        file.write_text(script)
        path = os.pathsep.join([str(self.temporary / "bin"), str(Path(sys.executable).parent), os.environ["PATH"]])
        given = {**os.environ, "PATH": path, **environment}
        command = [*shell, str(file)]
        return subprocess.run(command, cwd=self.folder, env=given, capture_output=True, text=True, check=False)


class Host(Protocol):
    """A host that runs its recipe in a repository; the exit code is that of the job's last step."""

    log: str

    def __init__(self, repository: Repository) -> None: ...

    def run(self, *, is_pull_request: bool) -> int:
        """Run the job of a pull request of the branch `change`, or of a commit of main."""

    def run_history(self, *, is_weekly: bool) -> int:
        """Run what a schedule runs every night, or once a week, on main after the baseline is saved."""


class GitHub:
    """Runs the workflow `model` and the composite action that it uses."""

    _SHELL = ("bash", "--noprofile", "--norc", "-eo", "pipefail")

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.log = ""
        self.runs = 0
        self.cache = repository.temporary / "cache"
        self.artifacts = repository.temporary / "artifacts"
        self.summary = repository.temporary / "summary"
        workflows = RECIPES / "github" / "workflows"
        self.workflow = yaml.safe_load((workflows / "tfprof-report.yml").read_text())
        self.history = yaml.safe_load((workflows / "tfprof-report-history.yml").read_text())
        action = RECIPES / "github" / "actions" / "tfprof-report" / "action.yml"
        self.action = yaml.safe_load(action.read_text())

    def run(self, *, is_pull_request: bool) -> int:
        head = self.repository.git("rev-parse", "change" if is_pull_request else BRANCH)
        if is_pull_request:
            self.repository.check_out_merge("change")
        else:
            self.repository.git("checkout", "--quiet", BRANCH)
        self.repository.clean()
        values = {
            "github.event_name": "pull_request" if is_pull_request else "push",
            "github.event.pull_request.head.sha": head if is_pull_request else "",
            "github.head_ref": "change" if is_pull_request else "",
            "github.ref_name": "1/merge" if is_pull_request else BRANCH,
            "github.sha": self.repository.git("rev-parse", "HEAD"),
        }
        return self._job(self.workflow["jobs"]["model"], values)

    def run_history(self, *, is_weekly: bool) -> int:
        self.repository.git("checkout", "--quiet", BRANCH)
        self.repository.clean()
        job, (daily, weekly) = self.history["jobs"]["history"], self.history[True]["schedule"]  # on is true in YAML 1.1
        values = {
            "github.event_name": "schedule",
            "github.event.schedule": (weekly if is_weekly else daily)["cron"],
            "vars.TFPROF_PAGES": "true",
            **{f"env.{name}": text for name, text in job["env"].items()},
        }
        return self._job(job, values)

    def _job(self, job: Mapping[str, Any], values: dict[str, str]) -> int:
        self.runs += 1
        self.log = ""
        self.summary.write_text("")
        shutil.rmtree(self.artifacts, ignore_errors=True)
        values |= {"github.run_id": str(self.runs), "github.run_attempt": "1"}
        temporary = self.repository.temporary / f"runner{self.runs}"
        temporary.mkdir()
        for step in job["steps"]:
            code = self._step({**step, "env": {**job.get("env", {}), **step.get("env", {})}}, values, temporary)
            if code:
                return code
        return 0

    def _step(self, step: Mapping[str, Any], values: dict[str, str], temporary: Path) -> int:
        if "if" in step and not self.evaluate(step["if"].strip("${} "), values):
            return 0
        given = {name: self.expand(str(text), values) for name, text in step.get("with", {}).items()}
        match step.get("uses", "").partition("@")[0]:
            case "":
                return self._shell(step, values, temporary)
            case "./.github/actions/tfprof-report":
                inputs = {name: str(about.get("default", "")) for name, about in self.action["inputs"].items()} | given
                inner = values | {f"inputs.{name}": text for name, text in inputs.items()}
                codes = (self._step(each, inner, temporary) for each in self.action["runs"]["steps"])
                return next((code for code in codes if code), 0)
            case "actions/cache/restore":
                kept = sorted(self.cache.glob("*"))
                if kept:
                    shutil.copytree(kept[-1], self.repository.folder / given["path"])
                assert given["key"].startswith(given["restore-keys"])
            case "actions/cache/save":
                shutil.copytree(self.repository.folder / given["path"], self.cache / f"{self.runs:03}")
            case "actions/upload-artifact":
                shutil.copytree(self.repository.folder / given["path"], self.artifacts / given["name"])
            case "actions/upload-pages-artifact":
                shutil.copytree(self.repository.folder / given["path"], self.artifacts / "pages")
            case other:
                assert other in {"actions/checkout", "actions/setup-python"}
        return 0

    def _shell(self, step: Mapping[str, Any], values: dict[str, str], temporary: Path) -> int:
        assert "${{" not in step["run"], "an expression within a script lets its value be code"
        outputs = temporary / "outputs"
        outputs.write_text("")
        done = self.repository.run(
            step["run"],
            *self._SHELL,
            RUNNER_TEMP=str(temporary),
            GITHUB_OUTPUT=str(outputs),
            GITHUB_STEP_SUMMARY=str(self.summary),
            GITHUB_SERVER_URL="https://github.example.com",
            GITHUB_REPOSITORY="owner/models",
            GITHUB_RUN_ID="7",
            **{name: self.expand(text, values) for name, text in step.get("env", {}).items()},
        )
        self.log += done.stdout + done.stderr
        for line in outputs.read_text().splitlines():
            name, _, value = line.partition("=")
            values[f"steps.{step['id']}.outputs.{name}"] = value
        return done.returncode

    def expand(self, text: str, values: Mapping[str, str]) -> str:
        return re.sub(r"\$\{\{ (.*?) \}\}", lambda found: self._text(self.evaluate(found[1], values)), text)

    @staticmethod
    def _text(value: object) -> str:
        return str(value).lower() if isinstance(value, bool) else str(value)

    @staticmethod
    def evaluate(expression: str, values: Mapping[str, str]) -> Any:
        """Return the value of a GitHub expression; supports the subset of the language that recipes use."""
        names: dict[str, Any] = {}

        def as_python(found: re.Match[str]) -> str:
            word = found[0]
            if word.startswith("'") or found["call"]:
                return word
            if word in ("&&", "||", "!"):
                return {"&&": " and ", "||": " or ", "!": " not "}[word]
            name = f"n{len(names)}"
            names[name] = values.get(word, "") if word.startswith("steps.") else values[word]
            return name

        python = re.sub(r"'[^']*'|&&|\|\||!(?!=)|(?P<call>contains(?=\())|[a-z][\w.-]*", as_python, expression)
        return eval(python, {"contains": lambda text, part: part in text}, names)


class GitLab:
    """Runs the jobs of the template, with the API for artifacts of jobs, and a file storage, on this machine.

    artifact : the archive of the newest successful pipeline of main, if it has one
    answers : statuses to answer the next requests to the API with, before it behaves; 302 redirects to the storage
    tokens : the headers with tokens of each request, by the server that got it
    left : the archives of the jobs of the history
    """

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.log = ""
        self.artifact: bytes | None = None
        self.answers: list[int] = []
        self.tokens: list[tuple[str, dict[str, str]]] = []
        self.jobs = self.read()
        self.left: dict[str, bytes] = {}

    @staticmethod
    def read() -> dict[str, Any]:
        """Return the jobs of the template."""
        jobs: dict[str, Any] = yaml.load((RECIPES / "gitlab" / "tfprof-report.yml").read_text(), GitLabLoader)
        return jobs

    def run(self, *, is_pull_request: bool) -> int:
        self.repository.git("checkout", "--quiet", "change" if is_pull_request else BRANCH)
        self.repository.clean()
        commit = self.repository.git("rev-parse", "HEAD")
        given = {"CI_PROJECT_ID": "8", "CI_JOB_TOKEN": "token", "CI_COMMIT_SHA": commit, "CI_COMMIT_REF_NAME": "change"}
        if is_pull_request:  # of a fork
            base = self.repository.git("merge-base", BRANCH, "change")
            given |= {"CI_MERGE_REQUEST_DIFF_BASE_SHA": base, "CI_MERGE_REQUEST_PROJECT_ID": "7"}
        else:
            given["CI_PROJECT_ID"] = "7"
        name = "tfprof-report" if is_pull_request else "tfprof-baseline"
        code = self._run("\n".join(self.script_of(self.jobs, name)), **given)
        if name == "tfprof-baseline" and code in (0, *self.jobs[name]["allow_failure"]["exit_codes"]):
            self.artifact = self._archive(self.jobs[name]["artifacts"]["paths"])
        return code

    def run_history(self, *, is_weekly: bool) -> int:
        assert all(self.jobs[name]["needs"] == ["tfprof-baseline"] for name in (".tfprof-history",))
        self.repository.git("checkout", "--quiet", BRANCH)
        code = 0
        for name in ("tfprof-history", *(["tfprof-week"] if is_weekly else [])):
            self.repository.clean()
            if self.artifact is not None:  # that of tfprof-baseline, which both need
                ZipFile(BytesIO(self.artifact)).extractall(self.repository.folder)
            code = code or self._run("\n".join(self.script_of(self.jobs, name)))
            self.left |= {name: self._archive(self.jobs[name]["artifacts"]["paths"])}
        return code

    def fetch(self, **given: str) -> int:
        """Run only the step of a merge request that fetches the store."""
        (step,) = (step for step in self.jobs[".tfprof-report"]["script"] if "curl" in step)
        return self._run(step, CI_PROJECT_ID="7", CI_JOB_TOKEN="token", **given)

    def _run(self, script: str, **given: str) -> int:
        self.tokens.clear()
        with self._servers() as address:
            variables = {"CI_API_V4_URL": address, "CI_DEFAULT_BRANCH": BRANCH}
            variables |= {"CI_PROJECT_URL": f"{address}/owner/models", "CI_JOB_URL": f"{address}/owner/models/-/jobs/7"}
            variables |= {**self.jobs[".tfprof-settings"]["variables"], **given}
            done = self.repository.run(script, *("bash", "-eo", "pipefail"), **variables)
        self.log = done.stdout + done.stderr
        return done.returncode

    def _archive(self, paths: list[str]) -> bytes:
        """Return the artifacts of a job, which are the files below `paths`."""
        top, data = self.repository.folder, BytesIO()
        with ZipFile(data, "w") as archive:
            for file in sorted(file for path in paths for file in (top / path).rglob("*") if file.is_file()):
                archive.write(file, file.relative_to(top))
        return data.getvalue()

    @staticmethod
    def script_of(jobs: Mapping[str, Any], name: str) -> list[str]:
        """Return the script lines of a job, with references resolved."""
        lines: list[str] = []
        for line in jobs[name]["script"]:
            lines += jobs[line[0]][line[1]] if isinstance(line, list) else [line]
        return lines

    @contextmanager
    def _servers(self) -> Iterator[str]:
        """Run the API and the file storage; yield the address of the API."""
        path = f"/api/v4/projects/7/jobs/artifacts/{BRANCH}/download?job=tfprof-baseline&"

        def answer_api(asked: str, token: str) -> tuple[int, bytes]:
            if self.answers:
                status = self.answers.pop(0)
                words = {404: b'{"message":"404 Project Not Found"}', 302: b"<html>moved</html>"}
                return status, words.get(status, b"no")
            assert asked.startswith(path)
            assert token in ("", "token", "own")
            return (404, b'{"message":"404 Not found"}') if self.artifact is None else (200, self.artifact)

        def answer_storage(asked: str, _: str) -> tuple[int, bytes]:
            assert asked == "/file"
            return (404, b"lost") if self.artifact is None else (200, self.artifact)

        with self._server("storage", answer_storage) as storage, self._server("api", answer_api, storage) as api:
            yield f"{api}/api/v4"

    @contextmanager
    def _server(self, name: str, answer: Callable[[str, str], tuple[int, bytes]], storage: str = "") -> Iterator[str]:
        tokens = self.tokens

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                sent = {word: text for word, text in self.headers.items() if "token" in word.lower()}
                tokens.append((name, sent))
                status, content = answer(self.path, next(iter(sent.values()), ""))
                self.send_response(status)
                if status == 302:
                    self.send_header("Location", f"{storage}/file")
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content)

            def log_message(self, *_: object) -> None:
                pass

        with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05})
            thread.start()
            try:
                yield f"http://127.0.0.1:{server.server_port}"
            finally:
                server.shutdown()
                thread.join()


class GitLabLoader(yaml.SafeLoader):
    """Reads ``!reference [job, key]`` as a list."""


GitLabLoader.add_constructor("!reference", GitLabLoader.construct_sequence)


class Jenkins:
    """Runs the shell steps of the Jenkinsfile in the order of the pipeline."""

    @staticmethod
    def text() -> str:
        """Return the Jenkinsfile without lines of comments."""
        return re.sub(r"^ *//.*\n", "", (RECIPES / "jenkins" / "Jenkinsfile").read_text(), flags=re.MULTILINE)

    @staticmethod
    def scripts() -> list[str]:
        """Return the texts of all shell steps."""
        found = re.findall(r"\bsh(?: |\(.*?script: )(?:'''(.*?)'''|'(.*?)')", Jenkins.text(), flags=re.DOTALL)
        return [(long or short).replace("\\\\", "\\") for long, short in found]

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.log = ""
        self.store = repository.temporary / "store"
        self.store.mkdir()
        repository.git("remote", "add", "origin", ".")

    def run(self, *, is_pull_request: bool) -> int:
        fetch, main, save, _, _, install, compare = self.scripts()
        self.log = ""
        if is_pull_request:
            self.repository.check_out_merge("change")
        else:
            self.repository.git("checkout", "--quiet", BRANCH)
        if is_pull_request:
            return self._run(fetch, install, compare, branch="PR-1")
        return self._run(main, install, compare, save)

    def run_history(self, *, is_weekly: bool) -> int:
        _, _, _, install, history, _, _ = self.scripts()
        self.log = ""
        self.repository.git("checkout", "--quiet", BRANCH)
        weekday = self.repository.temporary / "bin" / "date"
        weekday.write_text(f"#!/bin/sh\necho {1 if is_weekly else 2}\n")
        weekday.chmod(0o755)
        try:
            return self._run(install, history)
        finally:
            weekday.unlink()

    def _run(self, *scripts: str, branch: str = BRANCH) -> int:
        code = 0
        for script in scripts:
            done = self.repository.run(
                script,
                *("sh", "-xe"),
                CHANGE_TARGET=BRANCH,
                BRANCH_NAME=branch,
                TFPROF_STORE=str(self.store),
                TFPROF_MODEL="model",
                BUILD_URL="https://jenkins.example.com/job/models%20a/7/",
                GIT_URL="https://git.example.com/owner/models.git",
            )
            self.log += done.stdout + done.stderr
            code = code or done.returncode
        return code


class Azure:
    """Runs the steps of the pipeline whose conditions hold."""

    def __init__(self, repository: Repository) -> None:
        self.repository = repository
        self.log = ""
        self.kept = repository.temporary / "artifact"
        self.pipeline = yaml.safe_load((RECIPES / "azure" / "tfprof-report.yml").read_text())

    def run(self, *, is_pull_request: bool) -> int:
        return self._run("PullRequest" if is_pull_request else "IndividualCI")

    def run_history(self, *, is_weekly: bool) -> int:
        return self._run("Schedule", is_weekly=is_weekly)

    def _run(self, reason: str, *, is_weekly: bool = False) -> int:
        self.log = ""
        is_pull_request = reason == "PullRequest"
        if is_pull_request:
            self.repository.check_out_merge("change")
        else:
            self.repository.git("checkout", "--quiet", BRANCH)
        self.repository.clean()
        store = self.repository.temporary / "workspace"
        shutil.rmtree(store, ignore_errors=True)
        values = {
            "model": "model",
            "store": str(store),
            "isPullRequest": str(is_pull_request),
            "isWeekly": str(is_weekly),
        }
        code = 0
        for step in self.pipeline["steps"]:
            condition = step.get("condition", "succeeded()")
            if (code and "succeededOrFailed()" not in condition) or (is_pull_request and "'PullRequest'" in condition):
                continue
            if "'Schedule'" in condition and reason != "Schedule":
                continue
            if step.get("task", "").startswith("DownloadPipelineArtifact@") and self.kept.exists():
                shutil.copytree(self.kept, store)
            if step.get("artifact") == "tfprof-baselines":
                shutil.copytree(store, self.kept, dirs_exist_ok=True)
            if "bash" not in step:
                continue
            done = self.repository.run(
                step["bash"],
                *("bash", "--noprofile", "--norc"),
                AGENT_TEMPDIRECTORY=str(self.repository.temporary),
                BUILD_SOURCEVERSION=self.repository.git("rev-parse", "HEAD"),
                BUILD_SOURCEBRANCH="refs/heads/main",
                BUILD_REPOSITORY_URI="https://owner@dev.azure.example.com/owner/models/_git/models",
                BUILD_BUILDID="7",
                SYSTEM_COLLECTIONURI="https://dev.azure.example.com/owner/",
                SYSTEM_TEAMPROJECTID="0f1e",
                **{
                    name: re.sub(r"\$\((\w+)\)", lambda found: values[found[1]], text)
                    for name, text in step.get("env", {}).items()
                },
            )
            self.log += done.stdout + done.stderr
            code = code or done.returncode
        return code
