"""Whole requests to the whole server, in this process and without sockets: definitions, built-in objects, patches of
all kinds, queries and headers, each taken from the recordings and then spoiled in a few places.

No request may be answered by a panic or take longer than ANSWER_MAX_S; and in the end the cache is what the store is.

python tests/fuzz/fuzz_requests.py -max_total_time=60   with atheris where it is installed, without it by seeds
python tests/fuzz/fuzz_requests.py --seed 7             one case again
"""

from __future__ import annotations

import argparse
import asyncio
import copy
import json
import logging
import random
import sys
import time
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))

import recordings

from quarterdeck.transport.messages import Request, Response, Stream
from support import definitions, in_process

REQUESTS = 40  # of a case, on one server
ANSWER_MAX_S = 10.0
NAMESPACE = "fuzzed"
AREAS = ("crd", "core", "validation", "strict", "fuzz/builtin", "fuzz/crd")
AREA_RECORDINGS_MAX = 150
ROOTS = (
    "/api/v1/",
    "/apis/apps/",
    "/apis/coordination",
    "/apis/events",
    "/apis/apiextensions",
    "/apis/apiregistration",
)
GROUP = "fuzz.example.com"
THINGS = f"/apis/{GROUP}/v1/namespaces/{NAMESPACE}/things"
PATCHES = (
    "application/json-patch+json",
    "application/merge-patch+json",
    "application/strategic-merge-patch+json",
    "application/apply-patch+yaml",
)
# In the place of whatever stands somewhere: nothing, the wrong type, empty, too much.
WRONG: tuple[Any, ...] = (
    None, True, False, 0, -1, 1 << 31, 1 << 63, 1 << 70, 0.5, 1e300,
    "", "x", "-", "\0", "é" * 300, "a" * 70_000, "1Gi", "null",
    [], {}, [None], [[]], [{}], {"": None}, {"a": None}, {"a": {"b": [None]}}, ["x", "x"],
    [{"name": "a"}, {"name": "a"}],
)  # fmt: skip
WORDS = (
    "a",
    "x",
    "",
    "0",
    "-1",
    "1",
    "true",
    "null",
    "%00",
    "%",
    "v1",
    "default",
    "9" * 30,
    "a=b",
    "!a",
    "a in (b",
    "é",
)
QUERIES = (
    "limit", "continue", "resourceVersion", "resourceVersionMatch", "labelSelector", "fieldSelector", "watch",
    "timeoutSeconds", "sendInitialEvents", "allowWatchBookmarks", "fieldManager", "fieldValidation", "force", "dryRun",
    "pretty", "propagationPolicy", "gracePeriodSeconds", "orphanDependents", "timeout", "includeObject",
)  # fmt: skip
ACCEPTED = (
    "*/*",
    "application/json;as=Table;v=v1;g=meta.k8s.io",
    "application/json;as=PartialObjectMetadata;v=v1;g=meta.k8s.io",
    "application/json;as=APIGroupDiscoveryList;v=v2;g=apidiscovery.k8s.io",
    "application/yaml",
    "application/vnd.kubernetes.protobuf",
    ";",
    "a/b;q=",
    ",,,",
)
SENT = ("application/yaml", "application/json", "text/plain", "", ";", "application/vnd.kubernetes.protobuf", *PATCHES)
HEADERS = {
    "accept": ACCEPTED,
    "content-type": SENT,
    "accept-encoding": ("gzip", "gzip;q=0", "br", ""),
    "if-none-match": ("*", '"', "W/"),
    "impersonate-user": ("", "x", "system:serviceaccount:a:b", "é"),
    "impersonate-group": ("", "system:masters", "a, b"),
    "impersonate-uid": ("", "1"),
    "impersonate-extra-%": ("x",),
    "user-agent": ("", "/", "é" * 2000),
    "x-http-method-override": ("DELETE",),
}


def bodies() -> dict[str, list[dict[str, Any]]]:
    """Objects that recordings send, by where they are sent to."""
    found: dict[str, list[dict[str, Any]]] = {}
    for area in AREAS:
        for recording in recordings.of_area(area)[:AREA_RECORDINGS_MAX]:
            scenario = recording.content["scenario"]
            for step in [*(scenario.get("setup") or []), *scenario["steps"]]:
                if isinstance(step.get("crd"), dict):
                    found.setdefault(definitions.PATH, []).append(step["crd"])
                elif step.get("method") == "POST" and isinstance(step.get("body"), dict):
                    path = step["path"].partition("?")[0].replace("${NS}", NAMESPACE)
                    if "$" not in path and path.startswith(ROOTS) and step["body"].get("metadata"):
                        found.setdefault(path, []).append(step["body"])
    return found


class Maker:
    """Makes requests by a seed."""

    def __init__(self, seed: int, known: dict[str, list[dict[str, Any]]]) -> None:
        self.rng = random.Random(seed)
        self._known = known
        self.before: tuple[str, Any] | None = None  # what is to be created, so that the request finds it

    def spoil(self, value: Any) -> Any:
        """A copy with wrong things in a few places."""
        value = copy.deepcopy(value)
        for _ in range(self.rng.choice((1, 1, 1, 2, 4))):
            places = list(walk(value))
            if not places:
                return self.rng.choice(WRONG)
            holder, key = self.rng.choice(places)
            how = self.rng.random()
            if how < 0.8:
                holder[key] = copy.deepcopy(self.rng.choice(WRONG))
            elif how < 0.9:
                del holder[key]
            else:  # something of elsewhere
                other, at = self.rng.choice(places)
                holder[key] = copy.deepcopy(other.get(at) if isinstance(other, dict) else None)
        return value

    def body(self, path: str) -> Any:
        text = json.dumps(self.rng.choice(self._known[path]))
        return json.loads(text.replace("${GROUP}", f"g{self.rng.randrange(3)}.example.com").replace("${NS}", NAMESPACE))

    def query(self) -> str:
        if self.rng.random() < 0.6:
            return ""
        names = self.rng.choices(QUERIES, k=self.rng.randint(1, 3))
        return "?" + "&".join(f"{name}={self.rng.choice(WORDS)}" for name in names)

    def headers(self) -> dict[str, str]:
        if self.rng.random() < 0.8:
            return {}
        names = self.rng.choices(list(HEADERS), k=self.rng.randint(1, 2))
        return {name: self.rng.choice(HEADERS[name]) for name in names}

    def request(self, server: in_process.InProcess) -> Request:
        self.before = None
        kind = self.rng.choice((self._write, self._write, self._patch, self._patch, self._read))
        method, path, body, content_type = kind()
        data = body if isinstance(body, bytes) or body is None else encode(body)
        return server.request(method, path + self.query(), data, content_type, **self.headers())

    def _write(self) -> tuple[str, str, Any, str]:
        is_definition = self.rng.random() < 0.4
        path = definitions.PATH if is_definition else self.rng.choice([*self._known, THINGS])
        obj = thing() if path == THINGS else self.body(path)
        spoiled = self.spoil(obj)
        if self.rng.random() < 0.3:
            self.before = (path, obj)
            return "PUT", f"{path}/{name_of(obj)}", spoiled, in_process.JSON
        return "POST", path, spoiled, in_process.JSON

    def _patch(self) -> tuple[str, str, Any, str]:
        path = self.rng.choice([definitions.PATH, *self._known, THINGS])
        obj = thing() if path == THINGS else self.body(path)
        self.before = (path, obj)
        content_type = self.rng.choice(PATCHES)
        patch: Any = self.spoil(obj)
        if content_type == PATCHES[0]:
            places = list(pointers(obj))
            patch = [
                {
                    "op": self.rng.choice(("add", "remove", "replace", "move", "copy", "test")),
                    "path": self.rng.choice(places),
                    "from": self.rng.choice(places),
                    "value": copy.deepcopy(self.rng.choice(WRONG)),
                }
                for _ in range(self.rng.randint(1, 3))
            ]
            if self.rng.random() < 0.3:
                patch = self.spoil(patch)
        subresource = self.rng.choice(("", "", "", "/status", "/scale"))
        manager = "?fieldManager=f&force=true" if content_type == PATCHES[3] else ""
        return "PATCH", f"{path}/{name_of(obj)}{subresource}{manager}", patch, content_type

    def _read(self) -> tuple[str, str, Any, str]:
        path = self.rng.choice([*self._known, THINGS, "/apis", "/openapi/v3", "/openapi/v2", "/metrics"])
        name = self.rng.choice(("", "", "/a", "/%00", "/things." + GROUP, "/x/y/z"))
        return self.rng.choice(("GET", "GET", "GET", "DELETE", "HEAD", "FROB")), path + name, None, in_process.JSON


def thing() -> dict[str, Any]:
    spec = {"replicas": 1, "list": [{"name": "a", "n": 1}], "set": ["a"], "map": {"a": "b"}}
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": "a", "labels": {"a": "b"}}, "spec": spec}


def definition() -> dict[str, Any]:
    item = {"type": "object", "properties": {"name": {"type": "string", "default": "d"}, "n": {"type": "integer"}}}
    keyed = {"type": "array", "items": item, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["name"]}
    rule = {"rule": "self.replicas >= 0", "messageExpression": "string(self.replicas)"}
    spec = {
        "type": "object",
        "x-kubernetes-validations": [rule],
        "properties": {
            "replicas": {"type": "integer", "default": 1},
            "list": keyed,
            "set": {"type": "array", "items": {"type": "string"}, "x-kubernetes-list-type": "set"},
            "map": {"type": "object", "additionalProperties": {"type": "string"}},
        },
    }
    scale = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    status = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
    schema = {"type": "object", "properties": {"spec": spec, "status": status}}
    return definitions.of_things(GROUP, definitions.version(schema, subresources={"status": {}, "scale": scale}))


def walk(value: Any) -> Iterator[tuple[Any, Any]]:
    """Every place in it: what holds it, and where."""
    pending = [value]
    while pending:
        holder = pending.pop()
        if isinstance(holder, (dict, list)):
            for key in list(holder) if isinstance(holder, dict) else range(len(holder)):
                yield holder, key
                pending.append(holder[key])


def pointers(value: Any) -> Iterator[str]:
    pending = [("", value)]
    while pending:
        path, inner = pending.pop()
        yield path
        members = inner.items() if isinstance(inner, dict) else enumerate(inner) if isinstance(inner, list) else ()
        pending += [(f"{path}/{str(key).replace('~', '~0').replace('/', '~1')}", member) for key, member in members]


def name_of(obj: Any) -> str:
    metadata = obj.get("metadata")
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) and name else "a"


def encode(value: Any) -> bytes:
    return json.dumps(value).encode("utf-8", "surrogatepass")


async def run(seed: int, known: dict[str, list[dict[str, Any]]]) -> None:
    maker = Maker(seed, known)
    with TemporaryDirectory() as folder:
        async with in_process.running(Path(folder)) as server:
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": NAMESPACE}}
            await server.call("POST", "/api/v1/namespaces", namespace)
            await server.define(definition())
            await server.call("POST", THINGS, thing())
            for _ in range(REQUESTS):
                request = maker.request(server)
                if maker.before is not None:
                    await server.call("POST", *maker.before)
                described = f"{request.method} {request.path}?{request.query} {request.headers} {request.body[:2000]!r}"
                try:
                    answer = await asyncio.wait_for(server.send(request), ANSWER_MAX_S)
                except Exception as error:
                    raise AssertionError(f"{type(error).__name__}: {described}") from error
                check(answer, described)
            assert server.server.application.panics == 0
            await check_cache(server)


def check(answer: Response, described: str) -> None:
    if isinstance(answer, Stream):
        answer.closed()
        return
    body = answer.body if isinstance(answer.body, bytes) else b""
    assert not (answer.status == 500 and b"panic" in body), described


async def check_cache(server: in_process.InProcess) -> None:
    for cache in server.server._cacher.caches():
        mismatch = await server.server._checker.check(cache)
        assert mismatch is None, mismatch


def cases() -> Callable[[int], None]:
    logging.disable(logging.WARNING)
    known = bodies()
    return lambda seed: asyncio.run(run(seed, known))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-max_total_time", type=float, default=60)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    run_one = cases()
    if arguments.seed is not None:
        run_one(arguments.seed)
        return 0
    end, first = time.monotonic() + arguments.max_total_time, random.randrange(2**40)
    seed, failures = first, 0
    while time.monotonic() < end:
        try:
            run_one(seed)
        except Exception:
            traceback.print_exc()
            print(f"--seed {seed} finds it again")
            failures += 1
        seed += 1
    print(f"{seed - first} cases of {REQUESTS} requests, {failures} found something")
    return failures > 0


if __name__ == "__main__":
    try:
        import atheris
    except ImportError:
        sys.exit(main())
    if "--seed" in sys.argv:
        sys.exit(main())
    ONE = cases()
    atheris.Setup(sys.argv, lambda data: ONE(int.from_bytes(data[:8], "big")))
    atheris.Fuzz()
