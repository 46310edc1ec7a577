"""The operations that were measured beside kube-apiserver, measured again here: one table, one plot.

    python bench/macro/table.py [--seconds 5] [--json FILE]      # measures and prints
    python bench/macro/table.py --plot bench/baselines/table.json docs/benchmarks.svg

A server is started; each row is a run of `quarterdeck bench` over TLS. Figures are CPU of the server's processes for an
operation. Those of kube-apiserver 1.36 with etcd 3.6 (the CPU of both) were taken once, on a machine with two cores.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from support.server import Server


class Row(NamedTuple):
    """`figure`: which of a run's, times `factor` in `unit`."""

    name: str
    kube: float
    unit: str
    arguments: tuple[str, ...]
    figure: str = "server_cpu_us_per_request"
    factor: float = 1


_MANY: Final = ("--connections", "32", "--object-bytes", "1000")
_LISTS: Final = ("list", "--connections", "1", "--objects", "4800", "--object-bytes", "1500")
_WATCH: Final = ("watch", "--watchers", "1000", "--events", "40", "--object-bytes", "1600")
ROWS: Final = (
    Row("get", 598, "µs", ("get", *_MANY)),
    Row("create, 32 clients", 1612, "µs", ("create", *_MANY)),
    Row("create, 1 client", 2950, "µs", ("create", "--connections", "1", "--object-bytes", "1000")),
    Row("merge patch", 2313, "µs", ("patch", *_MANY)),
    Row("apply", 1740, "µs", ("apply", *_MANY)),
    Row("list of 4,800 (8.4 MB)", 270, "ms", (*_LISTS, "--page", "10000"), factor=1e-3),
    Row("list, limit=500", 16.8, "ms", (*_LISTS, "--page", "500"), factor=1e-3),
    Row("one event to one of 1,000 watchers", 24.5, "µs", _WATCH, "cpu_us_per_delivery"),
    Row("to open a watch", 1420, "µs", _WATCH, "cpu_us_per_open"),
)
Table = dict[str, dict[str, Any]]


def measure(seconds: float) -> tuple[Table, float]:
    """The rows by name, and the server's memory after all of them in MiB."""
    runs: dict[tuple[str, ...], dict[str, Any]] = {}
    table: Table = {}
    resident_mib = 0.0
    with Server(None) as server:
        for row in ROWS:
            if row.arguments not in runs:
                duration = () if row.arguments[0] == "watch" else ("--duration", str(seconds))
                command = [sys.executable, "-m", "quarterdeck", "bench", *row.arguments, *duration]
                command += ["--kubeconfig", str(server.data_dir / "admin.kubeconfig"), "-o", "json"]
                result = subprocess.run(command, capture_output=True, text=True, check=True)
                runs[row.arguments] = json.loads(result.stdout)
            figures = runs[row.arguments]
            resident_mib = figures.get("server_rss_mib", resident_mib)
            here = figures[row.figure] * row.factor
            table[row.name] = {"kube-apiserver": row.kube, "here": round(here, 2), "unit": row.unit}
            if "latency_ms" in figures:
                table[row.name]["p50_ms"] = next(iter(figures["latency_ms"].values()))["p50"]
                table[row.name]["requests_per_s"] = figures["requests_per_s"]
            elif row.figure == "cpu_us_per_delivery":
                table[row.name]["p99_ms"] = figures["answer_to_last_ms_p99"]
            print(describe(row.name, table[row.name]), flush=True)
    return table, resident_mib


def describe(name: str, row: dict[str, Any]) -> str:
    ratio = row["kube-apiserver"] / row["here"]
    more = ", ".join(
        f"{row[key]:,g} {text}"
        for key, text in (("requests_per_s", "a second"), ("p50_ms", "ms p50"), ("p99_ms", "ms p99"))
        if key in row
    )
    unit = row["unit"]
    return f"{name:36}{row['kube-apiserver']:10,.1f} {unit}{row['here']:10,.2f} {unit}{ratio:7.1f} x   {more}"


# - the plot

_BAR, _GAP, _LEFT, _WIDTH = 13, 14, 250, 860


def draw(table: Table) -> str:
    """Two bars a row, of microseconds of CPU, on a scale of powers of ten."""
    high = 10 ** math.ceil(math.log10(max(in_us(each, "kube-apiserver") for each in table.values())))

    def length(value_us: float) -> float:
        return max(1.0, (_WIDTH - _LEFT - 140) * math.log10(max(value_us, 1.01)) / math.log10(high))

    height = 60 + len(table) * (2 * _BAR + _GAP)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_WIDTH}" height="{height}" font-family="sans-serif" '
        'font-size="12">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="{_LEFT}" y="20">CPU of the server for one operation, powers of ten: '
        '<tspan fill="#999">kube-apiserver 1.36 + etcd 3.6</tspan>, <tspan fill="#1668b8">quarterdeck</tspan></text>',
    ]
    at = 40.0
    for name, row in table.items():
        parts.append(f'<text x="{_LEFT - 8}" y="{at + _BAR + 3}" text-anchor="end">{name}</text>')
        for side, color in (("kube-apiserver", "#bbb"), ("here", "#1668b8")):
            wide = length(in_us(row, side))
            parts.append(f'<rect x="{_LEFT}" y="{at}" width="{wide:.1f}" height="{_BAR - 1}" fill="{color}"/>')
            told = f"{row[side]:,g} {row['unit']}"
            if side == "here":
                told += f" ({row['kube-apiserver'] / row['here']:.0f} x)"
            parts.append(f'<text x="{_LEFT + wide + 5:.1f}" y="{at + _BAR - 3}">{told}</text>')
            at += _BAR
        at += _GAP
    return "\n".join([*parts, "</svg>"]) + "\n"


def in_us(row: dict[str, Any], side: str) -> float:
    return float(row[side]) * (1000 if row["unit"] == "ms" else 1)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=5.0, help="of each row (default %(default)s)")
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    parser.add_argument("--plot", type=Path, nargs=2, metavar=("JSON", "SVG"), help="draw what was measured before")
    arguments = parser.parse_args()
    if arguments.plot:
        results, picture = arguments.plot
        picture.write_text(draw(json.loads(results.read_text())["rows"]), encoding="utf-8")
        return
    print(f"{'CPU of the server':36}{'kube':>13}{'here':>13}")
    table, resident_mib = measure(arguments.seconds)
    print(f"{'memory after that':36}{656:10,.1f} MiB{resident_mib:9,.1f} MiB{656 / resident_mib:6.1f} x")
    if arguments.json:
        written = json.dumps({"rows": table, "resident_mib": resident_mib}, indent=1, ensure_ascii=False)
        arguments.json.write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
