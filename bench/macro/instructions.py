"""Instructions that a whole server takes for one request of each kind: the same on a busy machine and on an idle one.

    python bench/macro/instructions.py [--json FILE] [--compare FILE] [--coverage]

The server runs in this process under valgrind's callgrind, which counts between two marks what all its threads do,
commits included. Requests go to its application, 32 at a time, as from that many connections; reading them from a
socket and sending the answers is not counted (floor/compare.py measures that). Each row is the mean of several
rounds after a first one that is not counted; `--compare` fails where a row costs 3 % more than the file says of this
build of Python, twice in a row: other work on the machine adds up to 2 %, so the saved figures are those of a busy one.
`--coverage`: of a server with --enable-api-coverage.
"""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import gc
import json
import logging
import os
import platform
import socket
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

import callgrind
from callgrind import Marks
from fanout import SocketWriter
from verbs import BASE, DEFINITION, build_object

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.transport.messages import Request, Stream
from support import in_process

_TOGETHER = 32
_ROUNDS = 4
_MORE_MAX = 1.03
_QUIET_S = 3.0
_WATCHER_COUNT = 100
_EVENT_BYTES_MIN = 1_000
_WATCHED: Final = "create, to 100 watchers"
_POLICIES: Final = {"create, a policy": 1, "create, ten policies": 10}
_ADMISSION: Final = "/apis/admissionregistration.k8s.io/v1/validatingadmissionpolic"
# Another build of the same version takes other instructions for the same work.
_INTERPRETER: Final = f"{platform.machine()}, Python {sys.version}"
_COVERAGE: Final = "INSTRUCTIONS_COVERAGE"  # in the environment: whether coverage is on
_CONFIGMAPS = "/api/v1/namespaces/default/configmaps"
_PODS = "/api/v1/namespaces/default/pods"
_PROTOBUF = "application/vnd.kubernetes.protobuf"
_MERGE = "application/merge-patch+json"
_APPLY = "application/apply-patch+yaml"

Row = Callable[[in_process.InProcess, int], Request]


def _configmap(name: str) -> dict[str, Any]:
    """As large as build_object's, with as many entries."""
    data = {f"VARIABLE_{position:02}": f"some-value-{position:04}, {'x' * 30}" for position in range(18)}
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, "labels": {"a": "b"}}, "data": data}


def _pod(name: str) -> dict[str, Any]:
    env = [{"name": f"VARIABLE_{position:02}", "value": f"some-value-{position:04}"} for position in range(18)]
    container = {"name": "c", "image": "registry.example.com/some/image:1.2.3", "env": env}
    spec = {"containers": [container], "serviceAccountName": "default"}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name, "labels": {"a": "b"}}, "spec": spec}


def _in_protobuf(obj: dict[str, Any]) -> bytes:
    written = protobuf.encode_message(obj, obj["apiVersion"], obj["kind"])
    head, end = protobuf.envelope_ends(obj["apiVersion"], obj["kind"], len(written))
    return head + written + end


def _update(server: in_process.InProcess, number: int) -> Request:
    obj: dict[str, Any] = build_object(f"o-{number}", replicas=2)
    obj["metadata"] = {**obj["metadata"], "resourceVersion": _revisions[f"o-{number}"]}
    return server.request("PUT", f"{BASE}/o-{number}", obj)


def _merge_patch(server: in_process.InProcess, number: int) -> Request:
    return server.request("PATCH", f"{BASE}/o-{number}", {"spec": {"replicas": number + 3}}, _MERGE)


def _apply(server: in_process.InProcess, number: int, replicas: int, more: str = "") -> Request:
    address = f"{BASE}/o-{number}?fieldManager=applier{more}"
    return server.request("PATCH", address, build_object(f"o-{number}", replicas), _APPLY)


_revisions: dict[str, str] = {}
_ROWS: dict[str, Row] = {
    "create": lambda server, n: server.request("POST", BASE, build_object(f"o-{n}")),
    "get": lambda server, n: server.request("GET", f"{BASE}/o-{n}"),
    "list of 100": lambda server, _: server.request("GET", f"{BASE}?limit=100"),
    "update": _update,
    "merge patch": _merge_patch,
    "first apply": lambda server, n: _apply(server, n, 1, "&force=true"),
    "apply": lambda server, n: _apply(server, n, 2),
    "create a configmap": lambda server, n: server.request("POST", _CONFIGMAPS, _configmap(f"o-{n}")),
    "create a pod": lambda server, n: server.request("POST", _PODS, _pod(f"o-{n}")),
    "get a pod": lambda server, n: server.request("GET", f"{_PODS}/o-{n}"),
    "create a pod, protobuf": lambda server, n: server.request(
        "POST", _PODS, _in_protobuf(_pod(f"p-{n}")), _PROTOBUF, accept=_PROTOBUF
    ),
    "get a pod, protobuf": lambda server, n: server.request("GET", f"{_PODS}/p-{n}", accept=_PROTOBUF),
    _WATCHED: lambda server, n: server.request("POST", BASE, build_object(f"w-{n}")),
    **{
        name: lambda server, n, name=name: server.request("POST", BASE, build_object(f"{name[8]}-{n}"))
        for name in _POLICIES
    },
    "delete": lambda server, n: server.request("DELETE", f"{BASE}/o-{n}"),
}


async def _add_policies(server: in_process.InProcess, count: int) -> None:
    rule = {"operations": ["CREATE"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*"]}
    expression = "object.metadata.name != 'looked-for' && object.spec.replicas < 1000"
    for number in range(count):
        policy = {"matchConstraints": {"resourceRules": [rule]}, "validations": [{"expression": expression}]}
        bound = {"policyName": f"p-{number}", "validationActions": ["Deny"]}
        for ending, spec in (("ies", policy), ("ybindings", bound)):
            answer = await server.call("POST", _ADMISSION + ending, {"metadata": {"name": f"p-{number}"}, "spec": spec})
            assert answer.status == 201, answer.body


async def _remove_policies(server: in_process.InProcess) -> None:
    for ending in ("ybindings", "ies"):
        answer = await server.call("DELETE", _ADMISSION + ending)
        assert answer.status == 200, answer.body


class _Watchers:
    """Watches of the collection, each with a socket of its own whose other end throws away what comes."""

    def __init__(self) -> None:
        self._readers: list[socket.socket] = []
        self._served: list[tuple[Stream, socket.socket]] = []

    async def open(self, server: in_process.InProcess, count: int) -> None:
        listed = json.loads(b"".join(_pieces(await server.call("GET", f"{BASE}?limit=1"))))
        address = f"{BASE}?watch=1&resourceVersion={listed['metadata']['resourceVersion']}"
        for _ in range(count):
            reader, served = socket.socketpair()
            reader.setblocking(False)
            served.setblocking(False)
            stream = await server.call("GET", address)
            assert isinstance(stream, Stream), stream.status
            stream.opened(SocketWriter(served.fileno()))
            self._readers.append(reader)
            self._served.append((stream, served))

    def drain(self) -> int:
        """Bytes that came since the last time."""
        count = 0
        for reader in self._readers:
            with contextlib.suppress(BlockingIOError):
                while data := reader.recv(1 << 20):
                    count += len(data)
        return count

    def close(self) -> None:
        for stream, served in self._served:
            stream.closed()
            served.close()
        for reader in self._readers:
            reader.close()


async def _round(server: in_process.InProcess, requests: list[Request]) -> None:
    for answer in await asyncio.gather(*(server.send(request) for request in requests)):
        assert answer.status < 300, answer.body


async def _measure(server: in_process.InProcess, marks: Marks) -> None:
    """All rows, in their order: each works on what those before it wrote."""
    for name, make in _ROWS.items():
        if name == "update":
            listed = json.loads(b"".join(_pieces(await server.call("GET", BASE))))
            _revisions.update(
                (each["metadata"]["name"], each["metadata"]["resourceVersion"]) for each in listed["items"]
            )
        watchers = _Watchers()
        if name == _WATCHED:
            await watchers.open(server, _WATCHER_COUNT)
        if name in _POLICIES:
            await _add_policies(server, _POLICIES[name])
        rounds = [
            [make(server, number) for number in range(first, first + _TOGETHER)]
            for first in range(0, (_ROUNDS + 1) * _TOGETHER, _TOGETHER)
        ]
        await _round(server, rounds[0])
        gc.collect()
        for requests in rounds[1:]:
            marks.begin()
            await _round(server, requests)
            marks.end(name)
            received = watchers.drain()
            assert name != _WATCHED or received > _TOGETHER * _WATCHER_COUNT * _EVENT_BYTES_MIN, received
        watchers.close()
        if name in _POLICIES:
            await _remove_policies(server)


async def _settle(server: in_process.InProcess) -> None:
    """What controllers write at the start is done when nothing has been written for a while."""
    before, now = "", await _revision(server)
    while before != now:
        await asyncio.sleep(_QUIET_S)
        before, now = now, await _revision(server)


async def _revision(server: in_process.InProcess) -> str:
    listed = json.loads(b"".join(_pieces(await server.call("GET", "/api/v1/namespaces?limit=1"))))
    return str(listed["metadata"]["resourceVersion"])


def _pieces(answer: Any) -> Iterator[bytes]:
    yield from [answer.body] if isinstance(answer.body, bytes) else answer.body


async def _serve_and_measure(folder: Path) -> None:
    logging.disable(logging.CRITICAL)
    with tempfile.TemporaryDirectory() as data:
        async with in_process.running(Path(data), has_coverage=_COVERAGE in os.environ) as server:
            await server.define(DEFINITION)
            await _settle(server)
            gc.disable()  # when a collection comes is chance; what it costs is cachecosts.py's
            await _measure(server, Marks(folder))


def _count() -> dict[str, float]:
    """Instructions of a request by row; the rounds of the least and the most are left out."""
    rounds = callgrind.count(__file__)
    middle = {name: sorted(found)[1:-1] for name, found in rounds.items()}
    return {name: sum(middle[name]) / len(middle[name]) / _TOGETHER for name in _ROWS}


def _saved(path: Path) -> dict[str, float]:
    """Figures of this build of Python."""
    saved: dict[str, dict[str, float]] = json.loads(path.read_text())
    if _INTERPRETER not in saved:
        print(f"{path} has no figures of {_INTERPRETER}: nothing is compared")
    return saved.get(_INTERPRETER, {})


def _save(path: Path, counts: dict[str, float]) -> None:
    saved = json.loads(path.read_text()) if path.exists() else {}
    saved[_INTERPRETER] = {name: round(count) for name, count in counts.items()}
    path.write_text(json.dumps(saved, indent=2) + "\n")


def _grown(counts: dict[str, float], before: dict[str, float]) -> set[str]:
    return {name for name, count in counts.items() if count > before.get(name, count) * _MORE_MAX}


def main() -> int:
    if (folder := callgrind.folder()) is not None:
        asyncio.run(_serve_and_measure(folder))
        return 0
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="write the figures into this file")
    parser.add_argument("--compare", type=Path, help="fail where a row costs 3 %% more than this file says")
    parser.add_argument("--coverage", action="store_true", help="measure a server that notes its coverage")
    arguments = parser.parse_args()
    if arguments.coverage:
        os.environ[_COVERAGE] = "1"
    counts = _count()
    before = _saved(arguments.compare) if arguments.compare else {}
    if _grown(counts, before):
        print("some rows cost more than saved: they are counted once more")
        again = _count()
        counts = {name: min(count, again[name]) for name, count in counts.items()}
    if arguments.json:
        _save(arguments.json, counts)
    grown = _grown(counts, before)
    for name, count in counts.items():
        told = f"   {count / before[name]:5.3f} of {before[name] / 1000:.0f}" if name in before else ""
        print(f"{name:24} {count / 1000:9.1f} thousand instructions{told}{'   MORE' if name in grown else ''}")
    return 1 if grown else 0


if __name__ == "__main__":
    sys.exit(main())
