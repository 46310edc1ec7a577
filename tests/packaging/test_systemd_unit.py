"""The unit file: systemd takes it, and the server takes what it is started with."""

from __future__ import annotations

import configparser
import shutil
import subprocess
from pathlib import Path

import pytest

from quarterdeck.cmd import options

UNIT = Path(__file__).resolve().parents[2] / "packaging/systemd/quarterdeck.service"


@pytest.fixture(scope="module")
def service() -> configparser.SectionProxy:
    unit = configparser.ConfigParser(interpolation=None, strict=True)
    unit.optionxform = str  # type: ignore[assignment,method-assign]
    unit.read(UNIT)
    return unit["Service"]


def test_the_server_knows_its_flags(service: configparser.SectionProxy) -> None:
    program, *arguments = service["ExecStart"].replace("%S", "/var/lib").split()
    assert program.endswith("/quarterdeck")
    assert arguments.pop() == "$QUARTERDECK_FLAGS"
    parsed, ignored = options.parse(arguments)
    assert not ignored
    config = options.build_config(parsed)
    assert config.data_dir == Path("/var/lib") / service["StateDirectory"]


def test_the_manager_waits_for_what_the_server_tells(service: configparser.SectionProxy) -> None:
    assert (service["Type"], service["WatchdogSec"]) == ("notify", "30")


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="systemd-analyze is not installed")
def test_systemd_takes_it_and_finds_little_exposed(tmp_path: Path) -> None:
    program = shutil.which("true")
    assert program is not None
    copy = tmp_path / UNIT.name
    copy.write_text(UNIT.read_text().replace("/opt/quarterdeck/bin/quarterdeck", program))
    verified = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (verified.returncode, verified.stderr) == (0, "")
    command = ["systemd-analyze", "security", "--offline=yes", "--no-pager", "--threshold=25", copy]
    judged = subprocess.run(command, capture_output=True, text=True, check=False)
    assert judged.returncode == 0, judged.stdout
