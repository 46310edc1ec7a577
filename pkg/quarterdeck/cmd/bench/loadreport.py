"""How a load is told: to a person, as JSON, and beside an earlier run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

from quarterdeck.cmd.bench.histogram import Histogram
from quarterdeck.cmd.bench.load import Load
from quarterdeck.cmd.bench.loadrun import Outcome

_SHARES: Final = {"p50": 0.5, "p90": 0.9, "p99": 0.99, "p999": 0.999, "max": 1.0}
# Figures of two runs that differ by less are called the same: wall-clock repeats no better on a machine of others.
_SAME: Final = 0.05
_MORE_IS_BETTER: Final = ("requests_per_s",)


def summarize(load: Load, outcome: Outcome) -> dict[str, Any]:
    """The figures by name. `latency_ms`, `histogram`: by verb; counts by buckets that reach to 1.02^n microseconds."""
    measured = outcome.measured
    summary: dict[str, Any] = {
        "scenario": load.scenario,
        "version": outcome.version,
        "http": "2" if load.streams else "1.1",
        "connections": load.connections,
        "processes": load.processes,
        "requests": measured.requests,
        "failures": measured.failures,
        "elapsed_s": round(measured.elapsed_s, 3),
        "requests_per_s": round(measured.requests / measured.elapsed_s, 1) if measured.elapsed_s else 0.0,
        "load_cpu_us_per_request": _each(outcome.load_cpu_s, measured.requests),
    }
    if load.streams:
        summary["streams"] = load.streams
        summary["tcp_connections"] = load.tcp_connections
    if load.rate:
        summary["rate"] = load.rate
    if outcome.deliveries:
        summary["deliveries"] = outcome.deliveries
    if outcome.server_cpu_s is not None:
        summary["server_cpu_us_per_request"] = _each(outcome.server_cpu_s, measured.requests)
    if outcome.server_rss_bytes is not None:
        summary["server_rss_mib"] = round(outcome.server_rss_bytes / 2**20, 1)
    if measured.first_failure:
        summary["first_failure"] = measured.first_failure
    summary["latency_ms"] = {verb: _quantiles(each) for verb, each in sorted(measured.latencies.items())}
    summary["histogram"] = {
        verb: {str(bucket): count for bucket, count in sorted(each.counts.items())}
        for verb, each in sorted(measured.latencies.items())
    }
    return summary


def describe(url: str, summary: dict[str, Any]) -> list[str]:
    """The figures for a person, a line each."""
    lines = [
        f"server      {url} ({summary['version']})",
        f"load        {summary['scenario']}, {_connections(summary)} of {summary['processes']} processes",
        f"requests    {summary['requests']} in {summary['elapsed_s']:.2f} s, "
        f"{summary['requests_per_s']:,.0f} a second, {summary['failures']} failed",
    ]
    if "first_failure" in summary:
        lines.append(f"            the first: {summary['first_failure']}")
    if "deliveries" in summary:
        lines.append(f"deliveries  {summary['deliveries']} events, all seen")
    for verb, quantiles in summary["latency_ms"].items():
        lines.append(f"{verb:11} " + ", ".join(f"{name} {value:.2f} ms" for name, value in quantiles.items()))
        counts = {int(bucket): count for bucket, count in summary["histogram"][verb].items()}
        lines += Histogram(counts).draw()
    if "server_cpu_us_per_request" in summary:
        lines.append(
            f"server CPU  {summary['server_cpu_us_per_request']:.1f} us a request, {summary['server_rss_mib']} MiB"
        )
    lines.append(f"load's CPU  {summary['load_cpu_us_per_request']:.1f} us a request")
    return lines


def _connections(summary: dict[str, Any]) -> str:
    if "tcp_connections" not in summary:
        return f"{summary['connections']} connections"
    return f"{summary['connections']} requests at a time on {summary['tcp_connections']} connections of HTTP/2"


def compare(before: Path, after: Path) -> list[str]:
    """Two runs' figures side by side, with a verdict on each. Raises ValueError for a file that is no run."""
    first, second = _load(before), _load(after)
    if first["scenario"] != second["scenario"]:
        raise ValueError(f"{before} is a run of {first['scenario']}, {after} one of {second['scenario']}")
    lines = [f"{first['scenario']:32}{'A':>12}{'B':>12}{'B / A':>9}"]
    if (versions := [each.get("http", "1.1") for each in (first, second)])[0] != versions[1]:
        lines.append(f"{'HTTP':32}{versions[0]:>12}{versions[1]:>12}")
    left, right = _flat(first), _flat(second)
    for name in left:
        if name not in right:
            continue
        ratio = right[name] / left[name] if left[name] else float("nan")
        lines.append(f"{name:32}{left[name]:12,.2f}{right[name]:12,.2f}{ratio:9.3f}  {_judge(name, ratio)}".rstrip())
    return lines


def _judge(name: str, ratio: float) -> str:
    if ratio != ratio or abs(ratio - 1) <= _SAME:
        return ""
    return "better" if (ratio > 1) == (name in _MORE_IS_BETTER) else "worse"


def _flat(summary: dict[str, Any]) -> dict[str, float]:
    names = ("requests_per_s", "server_cpu_us_per_request", "server_rss_mib", "cpu_us_per_delivery", "cpu_us_per_open")
    found = {name: float(summary[name]) for name in names if name in summary}
    for verb, quantiles in summary.get("latency_ms", {}).items():
        found.update((f"{verb} {share} ms", float(value)) for share, value in quantiles.items())
    found.update((name, float(value)) for name, value in summary.items() if "_to_last" in name)
    return found


def _load(path: Path) -> dict[str, Any]:
    try:
        found = json.loads(path.read_text())
    except (OSError, ValueError) as error:
        raise ValueError(f"cannot read {path}: {error}") from error
    if not isinstance(found, dict) or "version" not in found:
        raise ValueError(f"{path} is not what `quarterdeck bench … --output json` prints")
    found.setdefault("scenario", "watch")
    return found


def _quantiles(histogram: Histogram) -> dict[str, float]:
    return {name: round(histogram.quantile_s(share) * 1e3, 3) for name, share in _SHARES.items()}


def _each(cpu_s: float, requests: int) -> float:
    return round(cpu_s / requests * 1e6, 2) if requests else 0.0
