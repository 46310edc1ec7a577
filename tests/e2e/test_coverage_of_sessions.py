"""The report of what a whole session of tests has covered, over all its control planes, clusters and workers."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from support import definitions
from support.waiting import PROCESS_PATIENCE_S

pytestmark = pytest.mark.e2e

GROUP = "session.example.com"
SPEC = {"type": "object", "properties": {name: {"type": "integer"} for name in ("one", "two", "three", "never")}}
DEFINITION = definitions.of_things(GROUP, definitions.version({"type": "object", "properties": {"spec": SPEC}}))
INI = """
[pytest]
addopts = -q -p no:cacheprovider
quarterdeck_apply = definition.json
"""
TESTS = """
import pytest

THINGS = "/apis/session.example.com/v1/namespaces/default/things"

def write(plane, field):
    body = {"apiVersion": "session.example.com/v1", "kind": "Thing", "metadata": {"name": field}, "spec": {field: 1}}
    assert plane.call("POST", THINGS, body)[0] == 201

@pytest.mark.parametrize("field", ["one", "one", "two"])
def test_clusters(cluster, field):
    write(cluster, field)

def test_the_control_plane_and_a_cluster_that_is_left(control_plane):
    write(control_plane, "three")
    left = control_plane.cluster("left")
    assert left.call("GET", "/api/v1/namespaces/default/secrets/left")[0] == 404
"""


def run(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    (folder / "pytest.ini").write_text(INI)
    (folder / "definition.json").write_text(json.dumps(DEFINITION))
    (folder / "test_it.py").write_text(TESTS)
    command = [sys.executable, "-m", "pytest", *arguments, str(folder)]
    return subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S)


def read(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "report/coverage.json").read_text())
    return found


@pytest.mark.parametrize(
    "flags", [[], ["-n2"], ["-o", "quarterdeck_cluster=process"]], ids=["alone", "xdist", "process"]
)
def test_all_is_in_one_report(tmp_path: Path, flags: list[str]) -> None:
    ran = run(tmp_path, "--quarterdeck-coverage=report/coverage.json", *flags)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    told = read(tmp_path)
    (fields,) = told["fields"]
    assert fields["paths"] == {".spec": 4, ".spec.one": 2, ".spec.two": 1, ".spec.three": 1, ".spec.never": 0}
    assert fields["definition"] == f"things.{GROUP}"
    asked = [each for caller in told["callers"] for each in caller["requests"]]
    assert any(each.get("names") == ["left"] for each in asked)
    assert "fields 4 of 5 (80 %)" in ran.stdout
    assert "could not be asked" not in ran.stdout


def test_a_worker_that_dies_is_told_of(tmp_path: Path) -> None:
    dying = "\n\ndef test_0():\n    import os\n    os._exit(1)\n"
    run(tmp_path, "--collect-only")
    (tmp_path / "test_it.py").write_text("def test_1(control_plane):\n    pass" + dying)
    command = [sys.executable, "-m", "pytest", "-n1", "--quarterdeck-coverage=it.json", "test_it.py"]
    ran = subprocess.run(command, cwd=tmp_path, check=False, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S)
    assert "could not be asked" in ran.stdout
    assert (tmp_path / "it.json").exists()


def test_the_suffix_chooses_the_form(tmp_path: Path) -> None:
    only = ["-k", "control_plane"]
    assert run(tmp_path, "--quarterdeck-coverage=it.html", *only).returncode == 0
    assert (tmp_path / "it.html").read_text().startswith("<!DOCTYPE html>")
    assert run(tmp_path, "--quarterdeck-coverage=it.txt", *only).returncode == 0
    assert "FIELDS set: 2 of 5" in (tmp_path / "it.txt").read_text()
    refused = run(tmp_path, "--quarterdeck-coverage=it.pdf", *only)
    assert refused.returncode == pytest.ExitCode.USAGE_ERROR
    assert "it.pdf ends in none of .html, .json, .txt" in refused.stderr


def test_a_session_that_fails_early_has_a_report(tmp_path: Path) -> None:
    failing = "\n\ndef test_0(control_plane):\n    write(control_plane, 'one')\n    assert 0\n"
    folder = tmp_path
    run(folder, "--collect-only")
    (folder / "test_a.py").write_text(TESTS.replace("def test_", "def _test_") + failing)
    command = [sys.executable, "-m", "pytest", "-x", "--quarterdeck-coverage=report/coverage.json", "test_a.py"]
    ran = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S)
    assert ran.returncode == pytest.ExitCode.TESTS_FAILED
    assert read(folder)["fields"][0]["set"] == 2


def test_without_the_option_there_is_none(tmp_path: Path) -> None:
    ran = run(tmp_path, "-k", "control_plane")
    assert ran.returncode == 0
    assert "API coverage" not in ran.stdout
