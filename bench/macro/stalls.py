"""How long the event loop is kept by what it does: under the mixed load beside large bodies, definitions and lists.

    python bench/macro/stalls.py [--seconds N] [--rate N] [--objects N] [--only json,yaml,lists] [--where]

The server notes each millisecond how late its loop comes (stallprobe.py), and of that time what its own thread used of
a core, what it waited for a core, and what it waited for the interpreter's lock: the rest, as far as other threads of
the process ran meanwhile. The load takes no core that the server wants. Beside it large requests are sent
(stallload.py), and of the longest stalls is told which of them were on their way. `--where` tells as well what all
threads were doing (stallstacks.py); it wants a C compiler.
"""

from __future__ import annotations

import argparse
import array
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

import stallload
import stallprobe
import stallsender
import stallstacks

from support.server import Server

_KINDS: Final[dict[str, Callable[[], list[stallsender.Step]]]] = {
    "json": stallload.custom_writes,
    "yaml": partial(stallload.custom_writes, as_yaml=True),
    "maps": stallload.map_writes,
    "definitions": stallload.definitions,
    "lists": stallload.lists,
}
_SHOWN: Final = 15
_LATE_MS: Final = 10.0


class Tick(NamedTuple):
    """What came between two ticks. `late_ms` is what it took beyond the millisecond; of it `own_ms` is CPU of the
    loop's thread, `core_ms` its wait for a core, `lock_ms` its wait while other threads of the server ran."""

    at_ns: int
    late_ms: float
    own_ms: float
    core_ms: float
    lock_ms: float

    @property
    def ours_ms(self) -> float:
        """What a machine with nothing else to do would see of it."""
        return self.own_ms + self.lock_ms


class _Probed(Server):
    program = (str(ROOT / "bench" / "macro" / "stallprobe.py"),)


def read_ticks(path: Path, begin_ns: int, end_ns: int) -> list[Tick]:
    notes = array.array("q", path.read_bytes())
    ticks = []
    for at in range(stallprobe.FIELDS, len(notes), stallprobe.FIELDS):
        time_ns, own_ns, core_ns, others_ns = notes[at : at + stallprobe.FIELDS]
        if begin_ns <= time_ns <= end_ns:
            late_ns = max(time_ns - notes[at - stallprobe.FIELDS] - int(stallprobe.TICK_S * 1e9), 0)
            lock_ns = min(max(late_ns - own_ns - core_ns, 0), others_ns)
            ticks.append(Tick(time_ns, late_ns / 1e6, own_ns / 1e6, core_ns / 1e6, lock_ns / 1e6))
    return ticks


def _measure(options: argparse.Namespace, folder: Path) -> tuple[list[Tick], list[stallsender.Span]]:
    # Where it is set, modules that are loaded at their first use would be compiled once more by each server.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    os.environ["STALLS_FILE"] = str(folder / "ticks")
    if options.where:
        os.environ["STALLS_WHERE"] = str(folder / "stacks")
    with _Probed(None) as server:
        # It stands for clients on other machines, as does all that it starts from here on: none takes a core that the
        # server wants.
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
        port = server.plain_port
        for definition in stallload.needed_definitions():
            stallsender.call(port, "POST", stallload.DEFINITIONS, definition)
        while stallsender.call(port, "GET", stallload.LISTED) != 200:
            time.sleep(0.02)
        stallload.fill(port, options.objects)
        senders = [stallsender.Sender(port, _KINDS[kind]()) for kind in options.only]
        command = [sys.executable, "-m", "quarterdeck", "bench", "mixed", "--kubeconfig", str(server.kubeconfig)]
        command += ["--duration", str(options.seconds + 2), "--rate", str(options.rate), "--processes", "1"]
        mixed = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        time.sleep(2)
        begin_ns = time.monotonic_ns()
        for sender in senders:
            sender.start()
        time.sleep(options.seconds)
        end_ns = time.monotonic_ns()
        for sender in senders:
            sender.end()
        failures = [sender.failure for sender in senders if sender.failure]
        _, told = mixed.communicate()
        if mixed.returncode or failures:
            sys.exit("\n".join([*failures, told[-500:]]))
    ticks = read_ticks(folder / "ticks", begin_ns, end_ns)
    return ticks, [span for sender in senders for span in sender.spans]


def _print_figures(ticks: list[Tick]) -> None:
    places = {"p50": 0.5, "p99": 0.99, "p99.9": 0.999, "max": 1.0}
    figures: dict[str, Callable[[Tick], float]] = {
        "late": lambda tick: tick.late_ms,
        "own CPU": lambda tick: tick.own_ms,
        "own CPU and lock": lambda tick: tick.ours_ms,
        "wait for a core": lambda tick: tick.core_ms,
    }
    for name, read in figures.items():
        values = sorted(map(read, ticks))
        told = "  ".join(
            f"{at} {values[min(int(len(values) * part), len(values) - 1)]:7.2f}" for at, part in places.items()
        )
        over = sum(value > _LATE_MS for value in values)
        print(f"{name:18} {told} ms   {over} above {_LATE_MS:.0f} ms, of {len(values)}")


def _print_longest(ticks: list[Tick], spans: list[stallsender.Span]) -> list[Tick]:
    longest = sorted(ticks, key=lambda tick: -tick.ours_ms)[:_SHOWN]
    for tick in longest:
        begin_ns = tick.at_ns - int(tick.late_ms * 1e6)
        beside = []
        for span in spans:
            if span.begin_ns < tick.at_ns and span.end_ns > begin_ns:
                # How far into the request, and how long it went on after it.
                into, left = (begin_ns - span.begin_ns) / 1e6, (span.end_ns - tick.at_ns) / 1e6
                beside.append(f"{span.name} ({into:.0f} ms in, {left:.0f} left)")
        parts = f"own {tick.own_ms:.1f}, lock {tick.lock_ms:.1f}, core {tick.core_ms:.1f}"
        print(f"{tick.late_ms:7.1f} ms late ({parts}): {'; '.join(beside)}")
    return longest


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=20.0)
    parser.add_argument("--rate", type=float, default=500.0, help="operations of the mixed load a second")
    parser.add_argument("--objects", type=int, default=5000, help="in a full list")
    parser.add_argument("--only", type=lambda text: text.split(","), default=list(_KINDS), help=", ".join(_KINDS))
    parser.add_argument("--where", action="store_true", help="what ran in the longest stalls")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        ticks, spans = _measure(options, Path(name))
        _print_figures(ticks)
        print(f"{len(spans)} large requests were answered; the longest stalls, and what was on its way:")
        longest = _print_longest(ticks, spans)
        if options.where:
            stallstacks.show(
                Path(name) / "stacks", [(tick.at_ns - int(tick.late_ms * 1e6), tick.at_ns) for tick in longest]
            )


if __name__ == "__main__":
    main()
