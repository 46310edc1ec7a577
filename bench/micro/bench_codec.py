"""What reading and writing an object costs, beside orjson, which does no more than the syntax.

    python bench/micro/bench_codec.py

Objects are the examples of the corpus with 1.5 to 2 KB as JSON where it is present, else one that is made here.
Prints the best of several rounds, in nanoseconds an object, and the ratio to orjson.
"""

from __future__ import annotations

import gzip
import json
import sys
import timeit
from collections import deque
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import jsondecode
from quarterdeck.apimachinery import labels
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.codec import protobuf, yaml
from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body, mergepatch
from support import data

ROUNDS = 300
OBJECTS_MAX = 400
BYTES = range(1_500, 2_048)


def make_object() -> dict[str, object]:
    rules = [
        {"name": f"rule-{n}", "weight": n, "hosts": [f"h{n}.example.com"], "enabled": n % 2 == 0} for n in range(16)
    ]
    metadata = {"name": "example", "namespace": "default", "labels": {"app": "example"}, "generation": 1}
    return {"apiVersion": "example.com/v1", "kind": "Example", "metadata": metadata, "spec": {"rules": rules}}


def load_objects() -> list[bytes]:
    corpus = data.find("corpus")
    texts = []
    for path in sorted(corpus.glob("*/objects.json.gz")) if corpus else []:
        with gzip.open(path) as file:
            for row in json.load(file):
                if row["op"] == "example" and "request" in row:
                    texts.append(orjson.dumps(row["request"]))
    fitting = [text for text in texts if len(text) in BYTES][:OBJECTS_MAX]
    return fitting or [orjson.dumps(make_object())]


def measure(run: Callable[[Any], object], arguments: list[Any]) -> float:
    """Nanoseconds a call. Short rounds, of which the best counts: other work on the machine disturbs few of them."""
    best = min(timeit.repeat(lambda: deque(map(run, arguments), maxlen=0), number=1, repeat=ROUNDS))
    return best / len(arguments) * 1e9


def main() -> None:
    texts = load_objects()
    values = [orjson.loads(text) for text in texts]
    pairs = list(zip(texts, values, strict=True))
    twins = [(value, orjson.loads(text)) for text, value in pairs]
    stored = [codec.encode(codec.canonical_object(value)) for value in values]
    count = len(texts)
    print(f"{count} objects, {sum(map(len, texts)) // count} bytes on average")
    loads, dumps = measure(orjson.loads, texts), measure(orjson.dumps, values)
    rows: list[tuple[str, float, float]] = [
        ("orjson.loads", loads, loads),
        ("codec.json.decode", measure(codec.decode, texts), loads),
        ("  of it: is_exact", measure(lambda pair: kernel.is_exact(*pair), pairs), loads),
        ("jsondecode.decode", measure(lambda text: jsondecode.decode(text, 10_000), texts), loads),
        ("codec.yaml.decode of JSON", measure(yaml.decode, texts), loads),
        ("orjson.dumps", dumps, dumps),
        ("codec.json.encode", measure(codec.encode, values), dumps),
        ("kernel.copy", measure(kernel.copy, values), dumps),
        ("kernel.equal, equal values", measure(lambda pair: kernel.equal(*pair), twins), dumps),
        ("splice_resource_version", measure(lambda value: codec.splice_resource_version(value, 12345), stored), dumps),
    ]
    for name, cost, base in rows:
        print(f"{name:30} {cost:9.0f} ns {cost / base:6.2f} x orjson")
    print_others(texts[0])


def print_others(text: bytes) -> None:
    as_yaml = yaml.encode(orjson.loads(text))
    config_map = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v" * 100}}
    packed = protobuf.encode(config_map)
    assert packed is not None
    patch = jsonpatch_body.decode(b'[{"op":"add","path":"/metadata/labels","value":{"a":"b"}}]')
    selector = labels.parse("a=b,c in (d,e),!f")
    runs: list[tuple[str, Callable[[], object]]] = [
        ("codec.yaml.decode of YAML", lambda: yaml.decode(as_yaml)),
        ("codec.yaml.encode", lambda: yaml.encode(orjson.loads(text))),
        ("protobuf.decode, ConfigMap", lambda: protobuf.decode(packed)),
        ("protobuf.encode, ConfigMap", lambda: protobuf.encode(config_map)),
        ("jsonpatch.apply", lambda: jsonpatch.apply({"metadata": {}}, patch.operations)),
        ("mergepatch.apply", lambda: mergepatch.apply({"metadata": {}}, {"metadata": {"labels": {"a": "b"}}})),
        ("labels.parse", lambda: labels.parse("a=b,c in (d,e),!f")),
        ("labels.Selector.matches", lambda: selector.matches({"a": "b", "c": "d"})),
    ]
    for name, run in runs:
        print(f"{name:30} {min(timeit.repeat(run, number=20, repeat=ROUNDS)) / 20 * 1e9:9.0f} ns")


if __name__ == "__main__":
    main()
