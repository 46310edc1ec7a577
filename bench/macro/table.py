"""What operations cost here and with kube-apiserver: one table, one plot.

    python bench/macro/table.py [--seconds 5 | --requests N] [--json FILE]      # measures and prints
    python bench/macro/table.py --plot bench/baselines/table.json docs/benchmarks.svg

A server is started; each row is a run of `quarterdeck bench` over TLS, with a token. Figures are CPU of the server's
processes for an operation, how many times less that is than kube-apiserver's, and how many times are aimed at. Where
QUARTERDECK_KUBE_APISERVER names a kube-apiserver, it is measured in turn with this server, row by row, over an etcd 3.5
that does not sync its disk; the CPU of both counts. Otherwise the figures beside are those of 1.36 and etcd 3.6 that
were taken once, on another machine with two cores.

With --requests, rows end after so many operations, lists after a hundredth of them: then both servers hold the same at
the end, and their memory compares.
"""

from __future__ import annotations

import argparse
import json
import math
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests")]

from support import etcd, kube_apiserver
from support.server import Server


class Row(NamedTuple):
    """`kube`: of kube-apiserver, where it is not measured. `goal`: how many times less is aimed at. `figure`: which of
    a run's, times `factor` in `unit`."""

    name: str
    kube: float
    goal: float
    unit: str
    arguments: tuple[str, ...]
    figure: str = "server_cpu_us_per_request"
    factor: float = 1


_MANY: Final = ("--connections", "32", "--object-bytes", "1000")
_LISTS: Final = ("list", "--connections", "1", "--objects", "4800", "--object-bytes", "1500")
_WATCH: Final = ("watch", "--watchers", "1000", "--events", "40", "--object-bytes", "1600")
ROWS: Final = (
    Row("get", 598, 40, "µs", ("get", *_MANY)),
    Row("create, 32 clients", 1612, 30, "µs", ("create", *_MANY)),
    Row("create, 1 client", 2950, 25, "µs", ("create", "--connections", "1", "--object-bytes", "1000")),
    Row("merge patch", 2313, 30, "µs", ("patch", *_MANY)),
    Row("apply", 1740, 30, "µs", ("apply", *_MANY)),
    Row("list of 4,800 (8.4 MB)", 270, 20, "ms", (*_LISTS, "--page", "10000"), factor=1e-3),
    Row("list, limit=500", 16.8, 20, "ms", (*_LISTS, "--page", "500"), factor=1e-3),
    Row("one event to one of 1,000 watchers", 24.5, 3, "µs", _WATCH, "cpu_us_per_delivery"),
    Row("to open a watch", 1420, 4.7, "µs", _WATCH, "cpu_us_per_open"),
)
_KUBE_RESIDENT_MIB: Final = 656.0
Table = dict[str, dict[str, Any]]


class Length(NamedTuple):
    """How long a row is measured: seconds, or a number of operations, where it is not 0."""

    seconds: float
    requests: int

    def flags(self, row: Row) -> tuple[str, ...]:
        operation = row.arguments[0]
        if operation == "watch":
            return ()
        if not self.requests:
            return ("--duration", str(self.seconds))
        return ("--requests", str(max(1, self.requests // (100 if operation == "list" else 1))))


class Side:
    """A server, each run of which is made once."""

    def __init__(self, kubeconfig: Path, process_ids: Sequence[int]) -> None:
        self.resident_mib = 0.0
        self._flags = ["--kubeconfig", str(kubeconfig), "-o", "json"]
        self._flags += [flag for each in process_ids for flag in ("--server-pid", str(each))]
        self._runs: dict[tuple[str, ...], dict[str, Any]] = {}

    def run(self, row: Row, length: Length) -> dict[str, Any]:
        """The run's figures."""
        if row.arguments not in self._runs:
            command = [sys.executable, "-m", "quarterdeck", "bench", *row.arguments, *length.flags(row), *self._flags]
            result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True)
            self._runs[row.arguments] = json.loads(result.stdout)
        figures = self._runs[row.arguments]
        self.resident_mib = figures.get("server_rss_mib", self.resident_mib)
        return figures


@contextmanager
def kube_side() -> Iterator[Side | None]:
    if not kube_apiserver.BINARY:
        yield None
        return
    with tempfile.TemporaryDirectory() as folder, etcd.cluster() as cluster:
        server = kube_apiserver.KubeAPIServer(Path(folder), cluster.urls)
        try:
            server.wait()
            yield Side(server.kubeconfig, [server.process_id, cluster.members[0].process_id])
        finally:
            server.stop()


@contextmanager
def own_side() -> Iterator[Side]:
    """With a token, as kube-apiserver is asked: a client's certificate costs both some 0.4 ms a handshake."""
    with tempfile.TemporaryDirectory() as folder:
        tokens, kubeconfig = Path(folder) / "tokens.csv", Path(folder) / "kubeconfig"
        tokens.write_text(kube_apiserver.TOKEN_LINE)
        with Server(None, f"--token-auth-file={tokens}") as server:
            kubeconfig.write_text(json.dumps(kube_apiserver.token_kubeconfig(server.secure_port)))
            yield Side(kubeconfig, [server.process_id])


def measure(length: Length) -> tuple[Table, dict[str, float]]:
    """The rows by name, and the memory of both after all of them in MiB."""
    table: Table = {}
    with kube_side() as kube, own_side() as here:
        for row in ROWS:
            theirs = kube.run(row, length) if kube is not None else None
            table[row.name] = compare(row, theirs, here.run(row, length))
            print(describe(row.name, table[row.name]), flush=True)
        resident = {
            "kube-apiserver": kube.resident_mib if kube is not None else _KUBE_RESIDENT_MIB,
            "here": here.resident_mib,
        }
    return table, resident


def compare(row: Row, theirs: dict[str, Any] | None, here: dict[str, Any]) -> dict[str, Any]:
    """A row of the table."""
    kube = round(theirs[row.figure] * row.factor, 2) if theirs is not None else row.kube
    found = {
        "kube-apiserver": kube,
        "here": round(here[row.figure] * row.factor, 2),
        "goal": row.goal,
        "unit": row.unit,
    }
    if "latency_ms" in here:
        found["p50_ms"] = next(iter(here["latency_ms"].values()))["p50"]
        found["requests_per_s"] = here["requests_per_s"]
    elif row.figure == "cpu_us_per_delivery":
        found["p99_ms"] = here["answer_to_last_ms_p99"]
    return found


def describe(name: str, row: dict[str, Any]) -> str:
    ratio = row["kube-apiserver"] / row["here"]
    more = ", ".join(
        f"{row[key]:,g} {text}"
        for key, text in (("requests_per_s", "a second"), ("p50_ms", "ms p50"), ("p99_ms", "ms p99"))
        if key in row
    )
    unit = row["unit"]
    here = f"{row['here']:10,.2f} {unit}{ratio:7.1f} x of{row['goal']:5,g}"
    return f"{name:36}{row['kube-apiserver']:10,.1f} {unit}{here}   {more}"


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
        '<tspan fill="#999">kube-apiserver + etcd</tspan>, <tspan fill="#1668b8">quarterdeck</tspan></text>',
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
    parser.add_argument("--requests", type=int, default=0, help="of each row, in place of seconds")
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    parser.add_argument("--plot", type=Path, nargs=2, metavar=("JSON", "SVG"), help="draw what was measured before")
    arguments = parser.parse_args()
    if arguments.plot:
        results, picture = arguments.plot
        picture.write_text(draw(json.loads(results.read_text())["rows"]), encoding="utf-8")
        return
    print(f"{'CPU of the server':36}{'kube':>13}{'here':>13}")
    table, resident = measure(Length(arguments.seconds, arguments.requests))
    kube, here = resident["kube-apiserver"], resident["here"]
    print(f"{'memory after the lists':36}{kube:10,.1f} MiB{here:9,.1f} MiB{kube / here:6.1f} x")
    if arguments.json:
        written = json.dumps({"rows": table, "resident_mib": resident}, indent=1, ensure_ascii=False)
        arguments.json.write_text(written + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
