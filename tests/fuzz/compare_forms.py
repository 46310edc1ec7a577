"""The same random requests to the whole server in its compiled and in its interpreted form: both must answer the same.

python tests/fuzz/compare_forms.py -max_total_time=60
python tests/fuzz/compare_forms.py --seed 7             one case again

Each form runs in a process of its own (`--form`), which makes the requests of a seed (fuzz_requests.py) and prints a
line for each answer: status, headers, body. Before that, what chance or time decides is made the same (leveling.py).
What controllers have done by then may still differ from run to run. So a case with a difference runs again, and
a difference counts where no answer of one form is ever among those of the other. Where nothing is compiled, both are
interpreted, which shows whether the comparison itself is steady.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Protocol

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fuzz import leveling

FORMS = ("compiled", "interpreted")
RUNS_MAX = 6  # of a case in which answers differ
_HEADERS = ("content-type", "warning", "location", "allow", "etag")
# Numbers of the process, and documents that tell them.
_UNLIKE = ("/metrics", "/version")


async def _answer(seed: int, known: dict[str, list[dict[str, object]]]) -> None:
    from fuzz import fuzz_requests
    from quarterdeck.transport.messages import Stream
    from support import in_process

    random.seed(seed)
    maker = fuzz_requests.Maker(seed, known)
    with TemporaryDirectory() as folder:
        async with in_process.running(Path(folder)) as server:
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": fuzz_requests.NAMESPACE}}
            await server.call("POST", "/api/v1/namespaces", namespace)
            await server.define(fuzz_requests.definition())
            await server.call("POST", fuzz_requests.THINGS, fuzz_requests.thing())
            for number in range(fuzz_requests.REQUESTS):
                request = maker.request(server)
                if maker.before is not None:
                    await server.call("POST", *maker.before)
                described = f"{request.method} {request.path}?{request.query} {request.headers} {request.body[:1000]!r}"
                answer = await asyncio.wait_for(server.send(request), fuzz_requests.ANSWER_MAX_S)
                if isinstance(answer, Stream):
                    answer.closed()
                    told: object = [answer.status]
                else:
                    body = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)
                    headers = [f"{name}: {value}" for name, value in answer.headers if name.lower() in _HEADERS]
                    told = [answer.status, headers, leveling.level(body).decode("utf-8", "replace")]
                if not request.path.startswith(_UNLIKE):
                    print(json.dumps([seed, number, described, told]), flush=True)


def answer_seeds() -> None:
    """For each seed on standard input a server's answers on standard output, then an empty line."""
    import logging

    from fuzz import fuzz_requests

    logging.disable(logging.CRITICAL)
    known = fuzz_requests.bodies()
    for line in sys.stdin:
        asyncio.run(_answer(int(line), known))
        print(flush=True)


class Form(Protocol):
    """One that answers the requests of a seed, a line for each answer."""

    def ask(self, seed: int) -> None: ...

    def answers(self) -> list[str]: ...


class Process:
    def __init__(self, name: str) -> None:
        environment = {**os.environ, "PYTHONHASHSEED": "0"}
        command = [sys.executable, __file__, "--form", name]
        self._process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )

    def ask(self, seed: int) -> None:
        assert self._process.stdin is not None
        self._process.stdin.write(f"{seed}\n")
        self._process.stdin.flush()

    def answers(self) -> list[str]:
        assert self._process.stdout is not None
        lines = []
        while line := self._process.stdout.readline().rstrip("\n"):
            lines.append(line)
        return lines

    def close(self) -> None:
        self._process.communicate()


def differences(forms: Sequence[Form], seed: int) -> list[str]:
    """A text for each answer of the case that always differs."""
    seen: tuple[dict[int, set[str]], ...] = tuple({} for _ in forms)
    for _ in range(RUNS_MAX):
        for form in forms:
            form.ask(seed)
        for form, answers in zip(forms, seen, strict=True):
            for number, line in enumerate(form.answers()):
                answers.setdefault(number, set()).add(line)
        first, second = seen
        unlike = [at for at in sorted({*first, *second}) if not first.get(at, set()) & second.get(at, set())]
        if not unlike:
            return []
    return [describe(seed, first.get(at, set()), second.get(at, set())) for at in unlike]


def describe(seed: int, *answers: set[str]) -> str:
    """The request, which each answer repeats, and an answer of each form."""
    chosen = [json.loads(min(each)) if each else None for each in answers]
    _, number, request, _ = next(each for each in chosen if each is not None)
    told = "\n".join(f"  {each[3] if each is not None else 'no answer'}" for each in chosen)
    return f"--seed {seed}, request {number}: {request}\n{told}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-max_total_time", type=float, default=60)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--form", choices=FORMS)
    arguments = parser.parse_args()
    if arguments.form:
        if arguments.form == "interpreted":
            from support import interpreted

            interpreted.install()
        answer_seeds()
        return 0
    forms = [Process(name) for name in FORMS]
    seed = random.randrange(2**40) if arguments.seed is None else arguments.seed
    end, first, found = time.monotonic() + arguments.max_total_time, seed, 0
    try:
        while seed == first or (arguments.seed is None and time.monotonic() < end):
            for text in differences(forms, seed):
                print(text, flush=True)
                found += 1
            seed += 1
    finally:
        for form in forms:
            form.close()
    print(f"{seed - first} cases, {found} answers differ")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
