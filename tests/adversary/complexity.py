"""How the instructions that a request takes grow with its size: at n and at 2n, for every request of growing.py.

    make complexity                                       all; fails where doubling a size costs more than 2.3 times
    python tests/adversary/complexity.py [NAME …]         those whose names begin so
    python tests/adversary/complexity.py --check          no counting: only that every request is answered as it says

One server runs in this process under valgrind, which counts instructions. Each request is sent to the server's
application in a child of its own, forked when the server is up, so that imports and the start are paid once and no
request finds what another left. What a child has counted contains the start; that of a child that sends the smallest
request is subtracted. A child has the loop's thread and no other: its requests store nothing (dry runs, reads).
"""

from __future__ import annotations

import argparse
import asyncio
import dataclasses
import gc
import json
import logging
import os
import queue
import re
import signal
import subprocess
import sys
import tempfile
import threading
import traceback
from concurrent.futures import ThreadPoolExecutor
from contextvars import Context
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from adversary.growing import LIVE, Growing, definition, table
from quarterdeck.apimachinery import offload
from quarterdeck.transport.messages import Request
from support import in_process

# Below this a request's own cost is lost in what differs from run to run.
_INSTRUCTIONS_MIN = 200_000
_COUNTS = "COMPLEXITY_COUNTS"  # in the environment: where valgrind's files are
_SEED = "0"
_SMALLEST = 10
_TRIES = 6
_CHILD_S = 300


def _name(step: Growing, count: int) -> str:
    return re.sub("[^a-z0-9]+", "-", f"{step.name} {count}".lower())


def _encoded(made: Any, name: str) -> bytes:
    data = made if isinstance(made, bytes) else json.dumps(made).encode()
    return data.replace(LIVE.encode(), name.encode())


def _request(server: in_process.InProcess, step: Growing, count: int, revision: str) -> Request:
    headers = {"accept": step.accept, **(step.headers(count) if step.headers else {})}
    made = step.body(count) if step.body else b""
    if step.method == "PUT":
        made["metadata"]["resourceVersion"] = revision
    name = _name(step, count)
    address = step.address(count).replace(LIVE, name)
    return server.request(step.method, address, _encoded(made, name), step.media_type, **headers)


async def _create_live(server: in_process.InProcess, step: Growing, count: int) -> str:
    """Its revision; where it has been made before, the one that it has."""
    if step.live is None:
        return ""
    name = _name(step, count)
    making = server.call("POST", step.collection, _encoded(step.live(count), name))
    # What it holds goes with its task, and not with this one, which goes on.
    answer = await asyncio.get_running_loop().create_task(making, context=Context())
    if answer.status == 409:
        answer = await server.call("GET", f"{step.collection}/{name}")
    data = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)
    assert answer.status in (200, 201), (step.name, data[:500])
    return str(json.loads(data)["metadata"]["resourceVersion"])


async def _in_child(server: in_process.InProcess, step: Growing, count: int, revision: str) -> int:
    """The child's process id, when it has ended. Its request's body is made before the fork: it costs nothing there."""
    request = _request(server, step, count, revision)
    loop = asyncio.get_running_loop()
    child = os.fork()
    if child == 0:
        code = 1
        try:
            signal.alarm(_CHILD_S)
            asyncio._set_running_loop(loop)  # which asyncio knows by its process
            loop.set_default_executor(ThreadPoolExecutor(1))  # the other's threads are not here
            _begin_anew(offload._thread)
            answer = await server.send(request)
            code = 0 if answer.status == step.status or count == _SMALLEST else 2
            if code:
                print(step.name, count, answer.status, str(answer.body)[:300], file=sys.stderr, flush=True)
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    if status:
        raise AssertionError(f"{step.name} was not answered {step.status}")
    return child


def _begin_anew(executor: ThreadPoolExecutor) -> None:
    """It may have had a thread before the fork, and would wait for that one."""
    executor._threads.clear()
    executor._idle_semaphore = threading.Semaphore(0)  # type: ignore[attr-defined]
    executor._work_queue = queue.SimpleQueue()


def _counted(folder: Path, child: int) -> int:
    file = folder / str(child)
    match = re.search(rb"^summary: (\d+)", file.read_bytes()[-200:], re.MULTILINE)
    assert match is not None
    file.unlink()
    return int(match[1])


async def _measure(server: in_process.InProcess, step: Growing, folder: Path) -> tuple[int, int]:
    """Instructions at n and at 2n, without those of the smallest request and of what came before. What the server does
    by itself meanwhile (a timer is due) only adds: what looks bad is counted again, and the least counts."""
    least: list[int] = []
    for _ in range(_TRIES):
        counts = [await _count(server, step, size, folder) for size in (_SMALLEST, step.size, 2 * step.size)]
        least = list(map(min, least, counts)) if least else counts
        if not _is_bad(step, least[1] - least[0], least[2] - least[0]):
            break
    return least[1] - least[0], least[2] - least[0]


async def _count(server: in_process.InProcess, step: Growing, size: int, folder: Path) -> int:
    revision = await _create_live(server, step, size)
    while not offload.is_idle():  # a thread frees what the creation has left: that counts for this process
        await asyncio.sleep(0.1)
    nothing = _counted(folder, await _nothing_in_child())
    return _counted(folder, await _in_child(server, step, size, revision)) - nothing


async def _nothing_in_child() -> int:
    child = os.fork()
    if child == 0:
        os._exit(0)
    os.waitpid(child, 0)
    return child


async def _run(steps: list[Growing], folder: Path | None) -> int:
    failures = 0
    with tempfile.TemporaryDirectory() as data:
        async with in_process.running(Path(data)) as server:
            await server.define(definition())
            gc.disable()  # here, and so in each child: a collection is nobody's cost
            for step in steps:
                try:
                    if folder is None:
                        await _check(server, step)
                        continue
                    small, large = await _measure(server, step, folder)
                except AssertionError as error:
                    print(f"FAILED {error}", flush=True)
                    failures += 1
                    continue
                is_bad = _is_bad(step, small, large)
                failures += is_bad
                told = f"{_ratio(small, large):5.2f}  {small / 1e6:9.1f} {large / 1e6:9.1f}  {step.size:5} {step.name}"
                print(f"{told}{'   MORE THAN LINEAR' if is_bad else ''}", flush=True)
    return failures


def _ratio(small: int, large: int) -> float:
    return large / small if small > 0 else 0.0


def _is_bad(step: Growing, small: int, large: int) -> bool:
    return _ratio(small, large) > step.ratio_max and large > _INSTRUCTIONS_MIN


async def _check(server: in_process.InProcess, step: Growing) -> None:
    for size in (_SMALLEST, step.size, 2 * step.size):
        await _in_child(server, step, size, await _create_live(server, step, size))


def _under_valgrind(arguments: list[str]) -> int:
    with tempfile.TemporaryDirectory() as folder:
        valgrind = ["valgrind", "-q", "--tool=cachegrind", "--cache-sim=no", "--branch-sim=no"]
        valgrind += [f"--cachegrind-out-file={folder}/%p", "--log-file=/dev/null"]
        environment = {**os.environ, _COUNTS: folder, "PYTHONHASHSEED": _SEED}
        return subprocess.run(
            [*valgrind, sys.executable, __file__, *arguments], env=environment, check=False
        ).returncode


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", default=[""])
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--times", type=int, default=1, help="so many times the sizes: whether a ratio grows with them")
    arguments = parser.parse_args()
    folder = os.environ.get(_COUNTS)
    if folder is None and not arguments.check:
        print("ratio  millions of instructions at n and 2n, n", flush=True)
        return _under_valgrind(sys.argv[1:])
    logging.disable(logging.CRITICAL)
    steps = [
        dataclasses.replace(step, size=step.size * arguments.times)
        for step in table()
        if step.name.startswith(tuple(arguments.names))
    ]
    failures = asyncio.run(_run(steps, Path(folder) if folder else None))
    print(f"{len(steps)} requests, {failures} failures")
    return failures > 0


if __name__ == "__main__":
    if os.environ.get("QUARTERDECK_INTERPRETED"):
        from support import interpreted

        interpreted.install()
    sys.exit(main())
