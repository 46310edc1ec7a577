"""CPU of a request through the transport against the floor, both in one run, in alternating rounds.

    python bench/floor/compare.py [--rounds N] [--requests N] [--headers]

What counts is the CPU time of the serving process (user and system) for each request: the figure that survives a noisy
machine best; the minimum over the rounds is the one to compare. `--headers` sends what kubectl sends.
"""

from __future__ import annotations

import argparse
import json
import socket
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

FOLDER = Path(__file__).parent
PROGRAMS = {"floor": "http_floor.py", "transport": "transport.py"}
HEADERS = (
    "User-Agent: kubectl/v1.36.0 (linux/amd64) kubernetes/0123456",
    "Accept: application/json;as=Table;v=v1;g=meta.k8s.io,application/json",
    "Authorization: Bearer 0123456789abcdef",
    "Accept-Encoding: gzip",
    "Kubectl-Command: kubectl get",
    "Kubectl-Session: 5f0e7d0c-2a8e-4b7f-9a53-6c1f5a0f9b11",
)


def compile_c(name: str, folder: Path) -> Path:
    program = folder / name
    subprocess.run(["cc", "-O2", "-o", str(program), str(FOLDER / f"{name}.c")], check=True)
    return program


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextmanager
def serving(program: str) -> Iterator[tuple[int, int]]:
    """The process id and the port of a server that accepts connections."""
    port = free_port()
    process = subprocess.Popen([sys.executable, str(FOLDER / program), str(port)])
    try:
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", port)).close()
                break
            except ConnectionRefusedError:
                time.sleep(0.02)
        yield process.pid, port
    finally:
        process.kill()
        process.wait()


def cpu_us(process_id: int) -> float:
    """The scheduler's account in nanoseconds is finer than the clock ticks of /proc/PID/stat."""
    return int(Path(f"/proc/{process_id}/schedstat").read_text(encoding="ascii").split()[0]) / 1000


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--requests", type=int, default=40_000)
    parser.add_argument("--headers", action="store_true")
    arguments = parser.parse_args()
    spent: dict[str, list[float]] = {name: [] for name in PROGRAMS}
    with ExitStack() as stack:
        load = compile_c("load", Path(stack.enter_context(tempfile.TemporaryDirectory())))
        servers = {name: stack.enter_context(serving(program)) for name, program in PROGRAMS.items()}
        for _ in range(arguments.rounds):
            for name, (process_id, port) in servers.items():
                before = cpu_us(process_id)
                command = [str(load), str(port), "32", str(arguments.requests), "/api/v1/namespaces/default/widgets/a"]
                done = subprocess.run(
                    command + list(HEADERS if arguments.headers else ()), capture_output=True, text=True, check=True
                )
                assert json.loads(done.stdout)["errors"] == 0
                spent[name].append((cpu_us(process_id) - before) / arguments.requests)
    result: dict[str, object] = {
        name: {"min_us": round(min(values), 2), "median_us": round(statistics.median(values), 2)}
        for name, values in spent.items()
    }
    result["ratio_of_min"] = round(min(spent["transport"]) / min(spent["floor"]), 2)
    print(json.dumps(result))


if __name__ == "__main__":
    main()
