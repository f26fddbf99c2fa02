"""Provenance of the numbers: the files that were read, and the model and commit that they describe."""

from __future__ import annotations

import hashlib

from tfprof_report.record import record


@record
class InputFile:
    """One input as it was read.

    `role` is graph, run_meta, xplane, op_log, profile or checkpoint; `form` is that of ``decode.Decoded``.
    """

    role: str
    path: str
    form: str
    size_bytes: int
    sha256: str
    step: int | None = None


@record
class Origin:
    """What was measured: the inputs of one model at one commit, and the names that the user gave to them."""

    inputs: tuple[InputFile, ...]
    label: str | None = None
    commit: str | None = None
    branch: str | None = None
    timestamp: str | None = None

    @property
    def digest(self) -> str | None:
        """The SHA-256 over the roles, steps and digests of the inputs, whatever their order; None without inputs."""
        if not self.inputs:
            return None
        lines = sorted(f"{file.role} {file.step} {file.sha256}\n" for file in self.inputs)
        return hashlib.sha256("".join(lines).encode()).hexdigest()
