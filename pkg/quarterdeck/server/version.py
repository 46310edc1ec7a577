"""/version: which Kubernetes this is to its clients (upstream: apimachinery/pkg/version, server/routes/version.go)."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from typing import Final

from quarterdeck.transport.messages import Response

_VERSION: Final = re.compile(r"(?:kube=)?v?(\d+)\.(\d+)(?:\.(\d+))?((?:[-+][0-9A-Za-z.+-]*)?)")
_MACHINES: Final = {"x86_64": "amd64", "aarch64": "arm64"}


@dataclass(frozen=True, slots=True)
class Version:
    major: int
    minor: int
    git_version: str


DEFAULT_VERSION: Final = Version(1, 36, "v1.36.0+quarterdeck")


def parse_version(text: str) -> Version:
    """`1.36`, `v1.36.2`, `v1.36.2+vendor`, or with `kube=` in front as kube-apiserver's --emulated-version has it."""
    match = _VERSION.fullmatch(text)
    if match is None:
        raise ValueError(f"{text!r} is not a version: v1.36.0 is one")
    major, minor, patch, suffix = match.groups()
    return Version(int(major), int(minor), f"v{major}.{minor}.{patch or 0}{suffix or '+quarterdeck'}")


def build_response(version: Version) -> Response:
    """The answer, which is the same as long as the server runs."""
    import orjson

    body = orjson.dumps(build_info(version), option=orjson.OPT_INDENT_2)
    return Response(200, [("Content-Type", "application/json")], body)


def build_info(version: Version) -> dict[str, str]:
    machine = os.uname().machine
    major, minor = str(version.major), str(version.minor)
    return {
        "major": major,
        "minor": minor,
        "emulationMajor": major,
        "emulationMinor": minor,
        "minCompatibilityMajor": major,
        "minCompatibilityMinor": str(max(version.minor - 1, 0)),
        "gitVersion": version.git_version,
        "gitCommit": "",
        "gitTreeState": "clean",
        "buildDate": "1970-01-01T00:00:00Z",
        "goVersion": "python" + ".".join(map(str, sys.version_info[:3])),
        "compiler": sys.implementation.name,
        "platform": f"{sys.platform}/{_MACHINES.get(machine, machine)}",
    }
