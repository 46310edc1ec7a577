"""Reading, writing and patching an object of 1.5 KB, beside libraries that do the like."""

from __future__ import annotations

from typing import Any

import jsonpatch as jsonpatch_library
import orjson
import pytest
from bench.suite.groups import group

from quarterdeck._kernels import json as kernel
from quarterdeck._kernels import jsondecode
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.codec import protobuf, yaml
from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body, mergepatch

RULES = [{"name": f"rule-{n}", "weight": n, "hosts": [f"h{n}.example.com"], "enabled": n % 2 == 0} for n in range(16)]
OBJECT = {
    "apiVersion": "example.com/v1",
    "kind": "Example",
    "metadata": {"name": "example", "namespace": "default", "labels": {"app": "example"}, "generation": 1},
    "spec": {"rules": RULES},
}
TEXT = orjson.dumps(OBJECT)
CONFIG_MAP = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v" * 100}}
PATCH = (
    b'[{"op":"replace","path":"/spec/rules/3/weight","value":9},{"op":"add","path":"/metadata/labels/b","value":"c"}]'
)
READERS = {
    "floor orjson": orjson.loads,
    "codec": codec.decode,
    "jsondecode": lambda text: jsondecode.decode(text, 10_000),
    "YAML's reader of JSON": yaml.decode,
}
WRITERS = {"floor orjson": orjson.dumps, "codec": codec.encode, "copy": kernel.copy}


@group("read JSON")
@pytest.mark.parametrize("read", READERS.values(), ids=READERS)
def test_read(benchmark: Any, read: Any) -> None:
    benchmark(read, TEXT)


@group("read JSON")
def test_is_exact(benchmark: Any) -> None:
    benchmark(kernel.is_exact, TEXT, OBJECT)


@group("write JSON")
@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_write(benchmark: Any, write: Any) -> None:
    benchmark(write, OBJECT)


@group("write JSON")
def test_equal(benchmark: Any) -> None:
    assert benchmark(kernel.equal, OBJECT, orjson.loads(TEXT))


@group("write JSON")
def test_splice_resource_version(benchmark: Any) -> None:
    benchmark(codec.splice_resource_version, codec.encode(codec.canonical_object(orjson.loads(TEXT))), 12345)


@group("YAML")
def test_yaml_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, TEXT)


@group("YAML")
def test_read_yaml(benchmark: Any) -> None:
    benchmark(yaml.decode, yaml.encode(OBJECT))


@group("YAML")
def test_write_yaml(benchmark: Any) -> None:
    benchmark(yaml.encode, OBJECT)


@group("protobuf of a ConfigMap")
def test_protobuf_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, orjson.dumps(CONFIG_MAP))


@group("protobuf of a ConfigMap")
def test_read_protobuf(benchmark: Any) -> None:
    packed = protobuf.encode(CONFIG_MAP)
    assert packed is not None
    benchmark(protobuf.decode, packed)


@group("protobuf of a ConfigMap")
def test_write_protobuf(benchmark: Any) -> None:
    benchmark(protobuf.encode, CONFIG_MAP)


@group("JSON patch of two operations")
def test_json_patch_floor(benchmark: Any) -> None:
    patch = jsonpatch_library.JsonPatch.from_string(PATCH.decode())
    benchmark(lambda: patch.apply(orjson.loads(TEXT), in_place=True))


@group("JSON patch of two operations")
def test_json_patch(benchmark: Any) -> None:
    patch = jsonpatch_body.decode(PATCH)
    benchmark(lambda: jsonpatch.apply(orjson.loads(TEXT), patch.operations))


@group("merge patch")
def test_merge_patch_floor(benchmark: Any) -> None:
    benchmark(orjson.loads, TEXT)


@group("merge patch")
def test_merge_patch(benchmark: Any) -> None:
    patch = {"metadata": {"labels": {"b": "c"}}, "spec": {"mode": "x", "rules": None}}
    benchmark(lambda: mergepatch.apply(orjson.loads(TEXT), patch))
