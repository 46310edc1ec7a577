"""What pruning, defaulting and validating real objects cost, beside orjson.loads and jsonschema-rs on the same object.

    python bench/micro/bench_schema.py                   # CPU times over the examples of the corpus, where present
    python bench/micro/bench_schema.py --count           # instructions of an object made here, by valgrind (repeatable)

Goals: prune + default + validate an object of 1.5 to 2 KB in the time of orjson.loads; validate in half the time of
jsonschema-rs' is_valid; a schema of 15,000 nodes compiled in 20 ms; 100 KB for the program of a median definition.
"""

from __future__ import annotations

import functools
import gzip
import json
import os
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

import jsonschema_rs
import orjson

from quarterdeck.apimachinery.patterns import USES_BEFORE_AUTOMATON
from quarterdeck.schema.engine import Engine
from support import data

MADE = {
    "apiVersion": "bench.dev/v1",
    "kind": "Widget",
    "metadata": {"name": "a", "namespace": "b", "labels": {"app": "x", "tier": "y"}},
    "spec": {
        "replicas": 3,
        "containers": [
            {
                "name": f"container-{i}",
                "image": "registry.example.com/team/image:1.2.3",
                "args": ["--verbose", "--port=8080", "--config=/etc/config.yaml"],
                "ports": [{"containerPort": 8080 + i, "protocol": "TCP"}],
                "env": [{"name": "KEY_" + str(j), "value": "value"} for j in range(6)],
            }
            for i in range(3)
        ],
    },
}


def made_schema() -> dict[str, Any]:
    """A schema for MADE with the kinds of restrictions that real ones have."""
    text = {"type": "string"}
    port = {
        "type": "object",
        "properties": {"containerPort": {"type": "integer", "format": "int32", "minimum": 1}, "protocol": text},
        "required": ["containerPort"],
    }
    variable = {"type": "object", "properties": {"name": {"type": "string", "pattern": "^[A-Z_0-9]+$"}, "value": text}}
    container = {
        "type": "object",
        "properties": {
            "name": {"type": "string", "maxLength": 63},
            "image": text,
            "args": {"type": "array", "items": text},
            "ports": {"type": "array", "items": port},
            "env": {"type": "array", "items": variable, "maxItems": 100},
            "policy": {"type": "string", "default": "Always"},
        },
        "required": ["name"],
    }
    spec = {
        "type": "object",
        "properties": {"replicas": {"type": "integer"}, "containers": {"type": "array", "items": container}},
    }
    return {"type": "object", "properties": {"spec": spec}, "required": ["spec"]}


def corpus_cases() -> Iterator[tuple[dict[str, Any], bytes]]:
    folder = data.find("corpus")
    for path in sorted(folder.iterdir()) if folder else ():
        if not path.is_dir():
            continue
        crds = {crd["metadata"]["name"]: crd for crd in load(path / "crds.json.gz")}
        for entry in load(path / "objects.json.gz"):
            if entry["op"] == "example" and entry["code"] == 201:
                versions = crds[entry["crd"]]["spec"]["versions"]
                version = next(v for v in versions if v["name"] == entry["path"].split("/")[3])
                yield version["schema"]["openAPIV3Schema"], orjson.dumps(entry["request"])


def load(path: Path) -> Any:
    with gzip.open(path) as file:
        return json.load(file)


def best_ns(call: Callable[[], object], rounds: int = 7, times: int = 20) -> float:
    """What a call takes, without what calling nothing takes here."""
    return max(_best_ns(call, rounds, times) - _nothing_ns(), 1.0)


@functools.cache
def _nothing_ns() -> float:
    return _best_ns(lambda: None, 200, 100)


def _best_ns(call: Callable[[], object], rounds: int, times: int) -> float:
    found = []
    for _ in range(rounds):
        started = time.process_time_ns()
        for _ in range(times):
            call()
        found.append((time.process_time_ns() - started) / times)
    return min(found)


def plain(schema: Any) -> Any:
    """The schema in the dialect of jsonschema-rs."""
    made = {k: v for k, v in schema.items() if k not in ("description", "title", "default", "example")}
    for name in ("Minimum", "Maximum"):
        if made.pop(f"exclusive{name}", False):
            made[f"exclusive{name}"] = made.pop(name.lower(), 0)
    if made.pop("nullable", False) and "type" in made:
        made["type"] = [made["type"], "null"]
    if "properties" in made:
        made["properties"] = {key: plain(child) for key, child in made["properties"].items()}
    for name in ("allOf", "anyOf", "oneOf"):
        if name in made:
            made[name] = [plain(clause) for clause in made[name]]
    for name in ("not", "items", "additionalProperties"):
        if isinstance(made.get(name), dict):
            made[name] = plain(made[name])
    return made


def measure(schema: dict[str, Any], body: bytes, engine: Engine) -> tuple[int, float, float, float, float] | None:
    obj = orjson.loads(body)
    engine.prune_and_default(obj, report_unknown=True)
    if engine.validate(obj):
        return None
    for _ in range(USES_BEFORE_AUTOMATON):
        engine.validate(obj)
    try:
        peer = jsonschema_rs.Draft202012Validator(plain(schema))
    except jsonschema_rs.ValidationError:  # a pattern of Go's that is none in ECMA's syntax
        return None
    return (
        len(body),
        best_ns(lambda: orjson.loads(body)),
        best_ns(lambda: engine.prune_and_default(obj, report_unknown=True)),
        best_ns(lambda: engine.validate(obj)),
        best_ns(lambda: peer.is_valid(obj)),
    )


def report(name: str, rows: list[tuple[int, float, float, float, float]]) -> None:
    if not rows:
        return
    median = statistics.median
    ratio = median((prune + validate) / loads for _, loads, prune, validate, _ in rows)
    faster = median(peer / validate for _, _, _, validate, peer in rows)
    print(
        f"{name:24} {len(rows):4} objects, median {median(r[0] for r in rows):6.0f} B: "
        f"loads {median(r[1] for r in rows):6.0f} ns, "
        f"prune+default {median(r[2] for r in rows):6.0f} ns, validate {median(r[3] for r in rows):6.0f} ns, "
        f"together {ratio:.2f} x loads; jsonschema-rs {faster:.2f} x validate"
    )


def report_compilation(schemas: list[dict[str, Any]]) -> None:
    sizes, times = [], []
    for schema in schemas:
        started = time.process_time()
        program = Engine(schema).program
        times.append(time.process_time() - started)
        sizes.append(program.memory_bytes)
    if sizes:
        print(
            f"programs of {len(sizes)} definitions: median {statistics.median(sizes) / 1024:.1f} KB, "
            f"max {max(sizes) / 1024:.1f} KB; "
            f"compiled in {statistics.median(times) * 1e3:.2f} ms, max {max(times) * 1e3:.1f} ms"
        )


def big_schema() -> dict[str, Any]:
    """15,000 nodes."""
    return {"type": "object", "properties": {f"a{i}": branch(i) for i in range(25)}}


def branch(number: int) -> dict[str, Any]:
    children = {}
    for i in range(25):
        leaves = {f"f{j}": {"type": "string", "description": "x" * 60, "maxLength": number * i + j} for j in range(23)}
        children[f"b{i}"] = {"type": "object", "description": "y" * 60, "properties": leaves, "required": ["f1"]}
    return {"type": "object", "properties": children}


def count_instructions() -> None:
    """Instructions an object: a run with many repetitions less one with few (after one that fills caches)."""
    _instructions("loads", 1)
    for name in ("loads", "prune", "validate", "peer"):
        few, many = (_instructions(name, times) for times in (1, 1001))
        print(f"{name:10} {(many - few) / 1000:10.0f} instructions an object")


def _instructions(name: str, times: int) -> int:
    command = [
        "valgrind",
        "--tool=callgrind",
        "--callgrind-out-file=/dev/null",
        sys.executable,
        __file__,
        "--run",
        name,
    ]
    result = subprocess.run(
        [*command, str(times)], capture_output=True, text=True, check=True, env={**os.environ, "PYTHONHASHSEED": "0"}
    )
    found = re.search(r"Collected : (\d+)", result.stderr)
    assert found is not None
    return int(found[1])


def run(name: str, times: int) -> None:
    engine, body, obj = Engine(made_schema()), orjson.dumps(MADE), orjson.loads(orjson.dumps(MADE))
    peer = jsonschema_rs.Draft202012Validator(made_schema())
    engine.prune_and_default(obj, report_unknown=True)
    for _ in range(USES_BEFORE_AUTOMATON):
        engine.validate(obj)
    calls: dict[str, Callable[[], object]] = {
        "loads": lambda: orjson.loads(body),
        "prune": lambda: engine.prune_and_default(obj, report_unknown=True),
        "validate": lambda: engine.validate(obj),
        "peer": lambda: peer.is_valid(obj),
    }
    for _ in range(times):
        calls[name]()


def main() -> None:
    if sys.argv[1:2] == ["--run"]:
        return run(sys.argv[2], int(sys.argv[3]))
    if sys.argv[1:2] == ["--count"]:
        return count_instructions()
    engines: dict[int, Engine] = {}
    schemas, rows = {}, []
    for schema, body in corpus_cases():
        schemas[id(schema)] = schema
        engine = engines.setdefault(id(schema), Engine(schema))
        found = measure(schema, body, engine)
        if found:
            rows.append(found)
    report("corpus", rows)
    report("corpus, 1.5 to 2 KB", [row for row in rows if 1500 <= row[0] <= 2048])
    report_compilation(list(schemas.values()))
    return None


if __name__ == "__main__":
    main()
