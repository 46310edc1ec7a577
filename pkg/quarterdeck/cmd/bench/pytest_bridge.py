"""For tests of those who write operators: a load as a benchmark of pytest-benchmark, so that its figures stand in that
tool's JSON and are compared by it.

    pytest_plugins = ["quarterdeck.cmd.bench.pytest_bridge"]

    def test_creating(bench_scenario):
        figures = bench_scenario("create", kubeconfig="admin.kubeconfig", requests=2000)
        assert figures["failures"] == 0

The time of the benchmark is that of the whole run, with what it makes and removes; requests a second, latencies, the
server's CPU a request and its memory are in `extra_info`. It wants pytest-benchmark to be installed.
"""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.cmd.bench import loadcommand, loadreport
from quarterdeck.cmd.bench.loadrun import LoadRun, Outcome
from quarterdeck.cmd.kubeconfig import load as read_kubeconfig

Figures = dict[str, Any]


@pytest.fixture
def bench_scenario(benchmark: Any) -> Callable[..., Figures]:
    """Runs a load once. Flags are those of `quarterdeck bench SCENARIO`, with underscores; True for those without a
    value."""

    def run(scenario: str, *, kubeconfig: str | Path, **flags: object) -> Figures:
        arguments = _parse(scenario, kubeconfig, flags)
        load, payload = loadcommand.build(arguments)
        prepared = LoadRun(read_kubeconfig(arguments.kubeconfig, arguments.context), payload, load)
        outcome: Outcome = benchmark.pedantic(prepared.run, args=(_tell_nobody,), rounds=1, iterations=1)
        figures = loadreport.summarize(load, outcome)
        benchmark.extra_info.update((name, value) for name, value in figures.items() if name != "histogram")
        return figures

    return run


def _parse(scenario: str, kubeconfig: str | Path, flags: dict[str, object]) -> Any:
    parser = ArgumentParser()
    loadcommand.add_flags(parser)
    words = ["--kubeconfig", str(kubeconfig)]
    for name, value in flags.items():
        words.append(f"--{name.replace('_', '-')}" if value is True else f"--{name.replace('_', '-')}={value}")
    arguments = parser.parse_args(words)
    arguments.scenario = scenario
    return arguments


def _tell_nobody(elapsed_s: float, requests: int, failures: int) -> None:
    pass
