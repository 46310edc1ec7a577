"""The same random requests to the whole server in its compiled and in its interpreted form: both must answer the same.

python tests/fuzz/compare_forms.py -max_total_time=60
python tests/fuzz/compare_forms.py --seed 7             one case again

Each form runs in a process of its own (`--form`), which makes the requests of a seed (fuzz_requests.py) and prints a
line for each answer: status, headers, body. Times, UIDs and generated names are made the same before. Where nothing is
compiled, both are interpreted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import subprocess
import sys
import time
from pathlib import Path
from tempfile import TemporaryDirectory

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS), str(TESTS / "golden"), str(TESTS / "fuzz")]

FORMS = ("compiled", "interpreted")
_UID = re.compile(rb"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_TIME = re.compile(rb"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_GENERATED = re.compile(rb"(?<=[a-z0-9-]-)[bcdfghjklmnpqrstvwxz2456789]{5}(?=[\"\\])")
_HEADERS = ("content-type", "warning", "location", "allow", "etag")
# Numbers of the process, and documents that tell them.
_UNLIKE = ("/metrics", "/version")


def steady(body: bytes) -> bytes:
    for pattern, name in ((_UID, b"UID"), (_TIME, b"TIME"), (_GENERATED, b"NAME")):
        body = pattern.sub(name, body)
    return body


async def _answer(seed: int, known: dict[str, list[dict[str, object]]]) -> None:
    import fuzz_requests

    from quarterdeck.transport.messages import Stream
    from support import in_process

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
                    told = [answer.status, headers, steady(body).decode("utf-8", "replace")]
                if not request.path.startswith(_UNLIKE):
                    print(json.dumps([seed, number, described, told]), flush=True)


def answer_seeds() -> None:
    """For each seed on standard input a server's answers on standard output, then an empty line."""
    import logging

    import fuzz_requests

    logging.disable(logging.CRITICAL)
    known = fuzz_requests.bodies()
    for line in sys.stdin:
        asyncio.run(_answer(int(line), known))
        print(flush=True)


class Form:
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


def differences(forms: list[Form], seed: int) -> int:
    """How many answers of the case differ; each is printed."""
    for form in forms:
        form.ask(seed)
    first, second = (form.answers() for form in forms)
    found = len(first) != len(second)
    if found:
        print(f"--seed {seed}: {len(first)} answers and {len(second)}")
    for left, right in zip(first, second, strict=False):
        if left != right:
            found += 1
            _, number, described, told = json.loads(left)
            print(f"--seed {seed}, request {number}: {described}\n  {told}\n  {json.loads(right)[3]}")
    return found


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
    forms = [Form(name) for name in FORMS]
    seed = random.randrange(2**40) if arguments.seed is None else arguments.seed
    end, first, found = time.monotonic() + arguments.max_total_time, seed, 0
    try:
        while seed == first or (arguments.seed is None and time.monotonic() < end):
            found += differences(forms, seed)
            seed += 1
    finally:
        for form in forms:
            form.close()
    print(f"{seed - first} cases, {found} answers differ")
    return found > 0


if __name__ == "__main__":
    sys.exit(main())
