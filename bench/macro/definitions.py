"""What definitions cost: the way from POST to being served, a corpus of real ones, a thousand small ones, documents.

    python bench/macro/definitions.py [idle] [corpus] [small] [--json FILE]

One client on plain HTTP, one definition at a time. "Served" is what a client can see: discovery names the resource,
which it does once the definition is Established, and a list of its objects is answered. The client looks every two
milliseconds. Each part has a server of its own, and RSS is told over that of the empty server. Times are of the clock:
on a busy machine look at the CPU beside them.

idle    small definitions with a pause before each, in one group and each in a group of its own
corpus  all real definitions of the test data, as fast as they are served, between the same small ones; then OpenAPI
small   a thousand small definitions; then discovery and OpenAPI, the first time and from kept bytes
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import socket
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

import load

from support import data
from support.server import Server

DEFINITIONS: Final = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
AGGREGATED: Final = "application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList"
SWAGGER_PROTOBUF: Final = "application/com.github.proto-openapi.spec.v2@v1.0+protobuf"
LOOK_S: Final = 0.002
IDLE_S: Final = 0.03
SMALL: Final = 1000
SERVED_S_MAX: Final = 60.0

Definition = dict[str, Any]
Results = dict[str, float]


class Client:
    """One kept connection; `get` and `post` return what was answered in whole."""

    def __init__(self, server: Server) -> None:
        self._connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=120)
        self._connection.connect()
        assert isinstance(self._connection.sock, socket.socket)
        self._connection.sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def get(self, path: str, **headers: str) -> tuple[int, bytes]:
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        self._connection.request("GET", path, headers=named)
        response = self._connection.getresponse()
        return response.status, response.read()

    def post(self, path: str, body: bytes) -> tuple[int, bytes]:
        self._connection.request("POST", path, body, {"Content-Type": "application/json"})
        response = self._connection.getresponse()
        return response.status, response.read()


class Prepared(NamedTuple):
    """A definition as it is sent, and where it is seen once it is served."""

    body: bytes
    plural: str
    version_paths: tuple[str, ...]

    @classmethod
    def of(cls, definition: Definition) -> Prepared:
        spec = definition["spec"]
        paths = [f"/apis/{spec['group']}/{version['name']}" for version in spec["versions"] if version["served"]]
        body = json.dumps(definition, separators=(",", ":"), ensure_ascii=False).encode()
        return cls(body, spec["names"]["plural"], tuple(paths))


def build_small(number: int, group: str) -> Definition:
    properties = {
        "spec": {
            "type": "object",
            "required": ["size"],
            "properties": {
                "size": {"type": "integer", "minimum": 1, "description": "How large it is to be."},
                "color": {"type": "string", "default": "red", "enum": ["red", "green", "blue"]},
                "parts": {"type": "array", "maxItems": 10, "items": {"type": "string", "maxLength": 63}},
            },
        },
        "status": {"type": "object", "properties": {"phase": {"type": "string"}}},
    }
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "additionalPrinterColumns": [{"name": "Size", "type": "integer", "jsonPath": ".spec.size"}],
        "schema": {"openAPIV3Schema": {"type": "object", "properties": properties}},
    }
    names = {"plural": f"things{number}", "singular": f"thing{number}", "kind": f"Thing{number}"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things{number}.{group}"},
        "spec": {"group": group, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def install(client: Client, prepared: Prepared) -> float:
    """Milliseconds from the POST until every served version of it is in discovery and answers a list."""
    begin_s = time.perf_counter()
    status, answer = client.post(DEFINITIONS, prepared.body)
    if status != 201:
        raise RuntimeError(f"{prepared.plural}: {status} {answer[:500]!r}")
    name = f'"name":"{prepared.plural}"'.encode()
    for path in prepared.version_paths:
        while True:
            status, answer = client.get(path)
            if status == 200 and name in answer:
                break
            if time.perf_counter() - begin_s > SERVED_S_MAX:
                raise RuntimeError(f"{prepared.plural} is not served after {SERVED_S_MAX} s")
            time.sleep(LOOK_S)
        status, answer = client.get(f"{path}/{prepared.plural}")
        if status != 200:
            raise RuntimeError(f"{prepared.plural} is in discovery and answers {status}")
    return (time.perf_counter() - begin_s) * 1e3


def percentile(values: list[float], share: float) -> float:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def report_times(label: str, times_ms: list[float]) -> Results:
    p50, p99 = statistics.median(times_ms), percentile(times_ms, 0.99)
    print(f"{label:44} p50 {p50:6.1f} ms   p99 {p99:6.1f} ms   max {max(times_ms):6.1f} ms   of {len(times_ms)}")
    return {f"{label}: p50 ms": p50, f"{label}: p99 ms": p99}


def report(results: Results, label: str, value: float, unit: str) -> None:
    print(f"{label:44} {value:10.2f} {unit}")
    results[f"{label}: {unit}"] = value


def settled_mib(server: Server) -> float:
    """RSS once the server has nothing to do any more."""
    before = -1.0
    while (now := load.cpu_seconds(server.process_id)) != before:
        before = now
        time.sleep(0.3)
    return load.resident_mib(server.process_id)


def measure_idle(server: Server, count: int = 200) -> Results:
    results: Results = {}
    client = Client(server)
    install(client, Prepared.of(build_small(0, "warm.example.com")))
    for label, group_of in {
        "idle, all in one group": lambda _: "one.example.com",
        "idle, each in a group of its own": lambda number: f"g{number}.example.com",
    }.items():
        times_ms = []
        for number in range(count):
            time.sleep(IDLE_S)
            times_ms.append(install(client, Prepared.of(build_small(number, group_of(number)))))
        results |= report_times(label, times_ms)
    return results


def load_corpus() -> Iterator[Definition]:
    corpus = data.find("corpus")
    for path in sorted(corpus.glob("*/crds.json.gz")) if corpus is not None else ():
        yield from json.loads(gzip.decompress(path.read_bytes()))


def measure_corpus(server: Server, probes: int = 40) -> Results:
    definitions: dict[str, Definition] = {}
    for definition in load_corpus():  # the newest of those that several projects carry
        definitions[definition["metadata"]["name"]] = definition
    if not definitions:
        print("the corpus of real definitions is not here: left out")
        return {}
    results: Results = {}
    client = Client(server)
    empty_mib = settled_mib(server)
    prepared = [Prepared.of(definition) for definition in definitions.values()]
    small = [Prepared.of(build_small(number, f"probe{number % 2}.example.com")) for number in range(2 * probes)]
    results |= report_times("small ones before the corpus", [install(client, each) for each in small[::2]])
    begin_cpu_s, begin_s = load.cpu_seconds(server.process_id), time.perf_counter()
    times_ms = [install(client, each) for each in prepared]
    elapsed_s = time.perf_counter() - begin_s
    cpu_s = load.cpu_seconds(server.process_id) - begin_cpu_s
    results |= report_times(f"corpus, {sum(len(each.body) for each in prepared) / 1e6:.1f} MB", times_ms)
    report(results, "corpus: average", elapsed_s / len(prepared) * 1e3, "ms each")
    report(results, "corpus: CPU", cpu_s / len(prepared) * 1e3, "ms each")
    results |= report_times("small ones after the corpus", [install(client, each) for each in small[1::2]])
    report(results, "corpus: memory over empty", settled_mib(server) - empty_mib, "MiB")
    results |= measure_documents(server, client, "corpus")
    check_swagger(client, definitions.values())
    report(results, "corpus: memory over empty with OpenAPI v2", settled_mib(server) - empty_mib, "MiB")
    return results


def measure_small(server: Server) -> Results:
    results: Results = {}
    client = Client(server)
    empty_mib = settled_mib(server)
    prepared = [Prepared.of(build_small(number, f"g{number // 10}.example.com")) for number in range(SMALL)]
    times_ms = [install(client, each) for each in prepared]
    results |= report_times(f"{SMALL} small ones, the first 100", times_ms[:100])
    results |= report_times(f"{SMALL} small ones, the last 100", times_ms[-100:])
    report(results, f"{SMALL} small ones: memory over empty", settled_mib(server) - empty_mib, "MiB")
    results |= measure_documents(server, client, f"{SMALL} small ones")
    report(results, f"{SMALL} small ones: memory with OpenAPI v2", settled_mib(server) - empty_mib, "MiB")
    return results


def measure_documents(server: Server, client: Client, label: str) -> Results:
    """The first answer of each document, the next ones from kept bytes, and the first after one more definition."""
    results: Results = {}
    asked: dict[str, Callable[[], tuple[int, bytes]]] = {
        "discovery": lambda: client.get("/apis", Accept=AGGREGATED),
        "discovery, gzip": lambda: client.get("/apis", Accept=AGGREGATED, Accept_Encoding="gzip"),
        "/openapi/v2 protobuf, gzip": lambda: client.get(
            "/openapi/v2", Accept=SWAGGER_PROTOBUF, Accept_Encoding="gzip"
        ),
        "/openapi/v2 protobuf": lambda: client.get("/openapi/v2", Accept=SWAGGER_PROTOBUF),
        "/openapi/v2 JSON": lambda: client.get("/openapi/v2"),
        "/openapi/v3 index": lambda: client.get("/openapi/v3", Accept_Encoding="gzip"),
    }
    for name, ask in asked.items():
        before_s = load.cpu_seconds(server.process_id)
        first_ms, size = time_request(ask)
        first_cpu_ms = (load.cpu_seconds(server.process_id) - before_s) * 1e3
        kept_ms = statistics.median(time_request(ask)[0] for _ in range(50))
        install(client, Prepared.of(build_small(len(name), f"{label.split()[0]}-{len(name)}.example.com")))
        again_ms, _ = time_request(ask)
        print(
            f"{label + ': ' + name:44} first {first_ms:8.1f} ms ({first_cpu_ms:.0f} of CPU)   kept {kept_ms:6.2f} ms   "
            f"after a change {again_ms:6.1f} ms   {size / 1e6:.2f} MB"
        )
        figures = {"first": first_ms, "first, CPU": first_cpu_ms, "kept": kept_ms, "after a change": again_ms}
        results |= {f"{label}: {name}: {what} ms": value for what, value in figures.items()}
    return results


def time_request(ask: Callable[[], tuple[int, bytes]]) -> tuple[float, int]:
    begin_s = time.perf_counter()
    status, answer = ask()
    elapsed_ms = (time.perf_counter() - begin_s) * 1e3
    assert status == 200, answer[:500]
    return elapsed_ms, len(answer)


def check_swagger(client: Client, definitions: Any) -> None:
    """Every served version of every definition is in the document."""
    known = {
        (gvk["group"], gvk["version"], gvk["kind"])
        for schema in json.loads(client.get("/openapi/v2")[1])["definitions"].values()
        for gvk in schema.get("x-kubernetes-group-version-kind") or ()
    }
    for definition in definitions:
        spec = definition["spec"]
        for version in spec["versions"]:
            if version["served"] and (spec["group"], version["name"], spec["names"]["kind"]) not in known:
                raise RuntimeError(f"/openapi/v2 lacks {definition['metadata']['name']} {version['name']}")


PARTS: Final[dict[str, Callable[[Server], Results]]] = {
    "idle": measure_idle,
    "corpus": measure_corpus,
    "small": measure_small,
}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help="; ".join(PARTS), default=list(PARTS))
    parser.add_argument("--json", type=Path)
    options = parser.parse_args()
    results: Results = {}
    for part in options.parts or PARTS:
        with Server() as server:
            results |= PARTS[part](server)
    results["load average of the machine at the end"] = os.getloadavg()[0]
    if options.json:
        options.json.write_text(json.dumps(results, indent=1) + "\n")


if __name__ == "__main__":
    main()
