"""The dashboard asks for metrics and labels that a server has, and for nothing else."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.server import instruments
from quarterdeck.transport.limits import Limits
from quarterdeck.transport.server import HTTPServer
from support import in_process

FILE = Path(__file__).resolve().parents[2] / "packaging/grafana/quarterdeck.json"
OF_PROMETHEUS = {"job", "instance"}
OF_PROMQL = {"sum", "max", "rate", "topk", "histogram_quantile", "by", "le"}
_SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


def panels() -> list[dict[str, Any]]:
    return [panel for panel in json.loads(FILE.read_text())["panels"] if panel["type"] != "row"]


TARGETS = [
    pytest.param(target["expr"], target["legendFormat"], id=f"{panel['title']}-{target['refId']}")
    for panel in panels()
    for target in panel["targets"]
]


@pytest.fixture(scope="module")
def metrics(tmp_path_factory: pytest.TempPathFactory) -> dict[str, set[str]]:
    """The labels of each series that a server can tell, by its name."""

    async def ask() -> dict[str, set[str]]:
        async with in_process.running(tmp_path_factory.mktemp("server")) as it:
            instruments.register_transport(it.server.metrics, HTTPServer(it.server.application, Limits()))
            return {
                family.name + suffix: {*family.label_names, *(["le"] if suffix == "_bucket" else [])}
                for family in it.server.metrics.families()
                for suffix in _SUFFIXES[family.kind]
            }

    return asyncio.run(ask())


def test_every_panel_asks_for_something() -> None:
    assert len(TARGETS) >= len(panels()) >= 20


@pytest.mark.parametrize(("expression", "legend"), TARGETS)
def test_metrics_and_labels_exist(expression: str, legend: str, metrics: dict[str, set[str]]) -> None:
    asked = re.findall(r"(\w+)\{([^}]*)\}", expression)
    assert asked
    for name, matchers in asked:
        assert name in metrics
        labels = metrics[name] | OF_PROMETHEUS
        assert set(re.findall(r"(\w+)(?:=|!=|=~|!~)\"", matchers)) <= labels
        grouped = {label for group in re.findall(r"by \(([^)]*)\)", expression) for label in group.split(", ")}
        assert grouped <= labels
        shown = set(re.findall(r"\{\{(\w+)\}\}", legend))
        assert shown <= (grouped if grouped - {"le"} or "sum" in expression else labels)
    rest = re.sub(r"\w+\{[^}]*\}|by \([^)]*\)|\[\$__rate_interval\]|[\d.]+", "", expression)
    assert set(re.findall(r"\w+", rest)) <= OF_PROMQL


def test_panels_lie_beside_each_other_and_have_ids_of_their_own() -> None:
    every = json.loads(FILE.read_text())["panels"]
    assert len({panel["id"] for panel in every}) == len(every)
    taken: set[tuple[int, int]] = set()
    for panel in every:
        at = panel["gridPos"]
        cells = {(x, y) for x in range(at["x"], at["x"] + at["w"]) for y in range(at["y"], at["y"] + at["h"])}
        assert not cells & taken
        assert at["x"] + at["w"] <= 24
        taken |= cells
