"""The Dockerfile, without a daemon: it parses, what it copies is there, the server takes what it is started with."""

from __future__ import annotations

import ast
import json
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import NamedTuple

import pytest

from quarterdeck.cmd import options
from support.server import Server

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "packaging/container/Dockerfile"
IGNORED = FILE.with_name("Dockerfile.dockerignore")
KNOWN = {
    "ARG", "FROM", "RUN", "WORKDIR", "COPY", "LABEL", "ENV", "USER", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
    "ENTRYPOINT", "CMD",
}  # fmt: skip


class Instruction(NamedTuple):
    name: str
    rest: str


def stages() -> list[list[Instruction]]:
    """What stands before the first FROM is the first."""
    text = "\n".join(line for line in FILE.read_text().splitlines() if not line.lstrip().startswith("#"))
    found: list[list[Instruction]] = [[]]
    for line in text.replace("\\\n", " ").splitlines():
        if line.strip():
            name, _, rest = line.partition(" ")
            if name == "FROM":
                found.append([])
            found[-1].append(Instruction(name, " ".join(rest.split())))
    return found


def all_of(name: str, stage: list[Instruction]) -> list[str]:
    return [each.rest for each in stage if each.name == name]


def only(name: str, stage: list[Instruction]) -> str:
    (found,) = all_of(name, stage)
    return found


_, BUILD, IMAGE = stages()


def command() -> list[str]:
    return [*json.loads(only("ENTRYPOINT", IMAGE)), *json.loads(only("CMD", IMAGE))]


def health_check() -> list[str]:
    return json.loads(only("HEALTHCHECK", IMAGE).partition("CMD ")[2])  # type: ignore[no-any-return]


def test_every_instruction_is_known() -> None:
    assert {each.name for stage in stages() for each in stage} <= KNOWN


def test_the_server_knows_its_flags() -> None:
    program, *arguments = command()
    parsed, ignored = options.parse(arguments)
    assert (program, ignored) == ("quarterdeck", [])
    config = options.build_config(parsed)
    assert json.loads(only("VOLUME", IMAGE)) == [str(config.data_dir)]
    assert only("EXPOSE", IMAGE) == str(config.secure_port)
    assert f"https://127.0.0.1:{config.secure_port}/livez" in health_check()[2]


def test_it_runs_as_a_number_that_is_not_root_and_owns_the_data() -> None:
    user, _, group = only("USER", IMAGE).partition(":")
    assert int(user) > 0
    assert f"--owner={user} --group={group} --mode=0700 {json.loads(only('VOLUME', IMAGE))[0]}" in IMAGE_RUN
    assert only("STOPSIGNAL", IMAGE) == "SIGTERM"


IMAGE_RUN = " ".join(all_of("RUN", IMAGE))
BUILD_RUN = " ".join(all_of("RUN", BUILD))


def test_what_is_copied_is_there_and_is_sent_to_the_builder() -> None:
    sent = [line.removeprefix("!") for line in IGNORED.read_text().splitlines() if line.startswith("!")]
    copied = [path for rest in all_of("COPY", BUILD) for path in rest.split()[:-1]]
    assert sorted(copied) == sorted(sent)
    assert [path for path in copied if not (ROOT / path).exists()] == []
    (taken,) = all_of("COPY", IMAGE)
    assert taken == "--from=build /opt/quarterdeck /opt/quarterdeck"
    assert only("FROM", BUILD).endswith(" AS build")


def test_all_that_the_build_reads_is_copied() -> None:
    copied = {path for rest in all_of("COPY", BUILD) for path in rest.split()[:-1]}
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    read = {project["project"]["readme"], *project["project"]["license-files"], "setup.py", "pyproject.toml"}
    for line in (ROOT / "MANIFEST.in").read_text().splitlines():
        verb, *paths = line.split()
        if verb in ("graft", "include"):
            read |= {path.split("/")[0] for path in paths}
    assert read - {"MANIFEST.in"} <= copied
    extras = re.search(r'"\.\[([\w,]+)\]"', BUILD_RUN)
    assert extras is not None
    assert set(extras[1].split(",")) <= set(project["project"]["optional-dependencies"])


def test_packages_of_the_build_are_those_of_a_fresh_machine() -> None:
    wanted = set(re.findall(r"gcc libc6-dev|python3-venv|python3-dev|libnghttp2-dev", _installer()))
    installed = _packages(BUILD_RUN)
    assert {name for names in wanted for name in names.split()} <= installed
    assert "libnghttp2-dev" in installed
    assert _packages(IMAGE_RUN) == {"libnghttp2-14", "python3"}


def _installer() -> str:
    return (ROOT / "tools/install-system-packages").read_text()


def _packages(text: str) -> set[str]:
    found = re.search(r"--no-install-recommends ([\w .+-]+?) &&", text)
    assert found is not None
    return set(found[1].split())


@pytest.mark.e2e
def test_the_check_tells_a_server_from_none() -> None:
    program, flag, code = health_check()
    assert (program, flag) == ("python3", "-c")
    ast.parse(code)
    with Server() as server:
        here = code.replace(":6443/", f":{server.secure_port}/")
        assert subprocess.run([sys.executable, "-c", here], check=False, timeout=60).returncode == 0
    ended = subprocess.run([sys.executable, "-c", here], check=False, timeout=60, capture_output=True)
    assert ended.returncode != 0
