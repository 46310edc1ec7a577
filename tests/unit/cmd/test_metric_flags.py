"""What is left of the metrics, as flags tell it."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cmd import metric_flags
from quarterdeck.metrics.limits import Limits


def resolve(*flags: str) -> Limits:
    parser = argparse.ArgumentParser(allow_abbrev=False, exit_on_error=False)
    metric_flags.add(parser)
    found = metric_flags.resolve(parser.parse_args(flags))["metric_limits"]
    assert isinstance(found, Limits)
    return found


def test_all_is_shown_unless_asked_otherwise() -> None:
    assert resolve() == Limits() == resolve("--disabled-metrics=", "--allow-metric-labels-manifest=")


def test_names_may_come_in_one_flag_or_several() -> None:
    assert resolve("--disabled-metrics=a,b", "--disabled-metrics", "c:d").disabled == {"a", "b", "c:d"}


@pytest.mark.parametrize(
    ("text", "allowed"),
    [
        ("m,code=200,201", {"m": {"code": {"200", "201"}}}),
        ('"m,code=200,201"', {"m": {"code": {"200", "201"}}}),
        ("m,code=", {"m": {"code": {""}}}),
        ('"m,code=200","m,verb=GET,PUT","n,k=v"', {"m": {"code": {"200"}, "verb": {"GET", "PUT"}}, "n": {"k": {"v"}}}),
    ],
)
def test_values_of_labels(text: str, allowed: dict[str, dict[str, set[str]]]) -> None:
    assert resolve(f"--allow-metric-labels={text}").allowed == allowed


def test_a_file_tells_the_same(tmp_path: Path) -> None:
    manifest = tmp_path / "allowed.yaml"
    manifest.write_text('"m,code": "200,201"\nn,k: ""\n')
    found = resolve(f"--allow-metric-labels-manifest={manifest}")
    assert found.allowed == {"m": {"code": {"200", "201"}}, "n": {"k": {""}}}
    with pytest.raises(ValueError, match="do not go together"):
        resolve(f"--allow-metric-labels-manifest={manifest}", "--allow-metric-labels=m,k=v")


@pytest.mark.parametrize(("text", "allowed"), [("", {}), ('"m,code": 200', {"m": {"code": {"200"}}})])
def test_whatever_stands_in_a_file_is_a_text(tmp_path: Path, text: str, allowed: dict[str, Any]) -> None:
    manifest = tmp_path / "allowed.yaml"
    manifest.write_text(text)
    assert resolve(f"--allow-metric-labels-manifest={manifest}").allowed == allowed


@pytest.mark.parametrize("text", ["a: [b]", "- a", "1", "a: b", "{"])
def test_files_that_do_not(tmp_path: Path, text: str) -> None:
    manifest = tmp_path / "allowed.yaml"
    manifest.write_text(text)
    with pytest.raises(ValueError):
        resolve(f"--allow-metric-labels-manifest={manifest}")


@pytest.mark.parametrize(
    "flag",
    [
        "--disabled-metrics=a,9",
        "--allow-metric-labels=m",
        "--allow-metric-labels=m=v",
        "--allow-metric-labels=m,1=v",
        '--allow-metric-labels="m,k=v",n,k=w',
        "--allow-metric-labels-manifest=/nowhere",
    ],
)
def test_what_cannot_be_read_is_refused(flag: str) -> None:
    with pytest.raises((argparse.ArgumentError, ValueError)):
        resolve(flag)
