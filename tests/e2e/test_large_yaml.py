"""Large YAML bodies, which are read in slices: what is answered to them is what small ones get."""

from __future__ import annotations

import json

import pytest

from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e

CONFIG_MAP = "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: {name}\ndata:\n"
YAML = {"Content-Type": "application/yaml"}
MAPS = "/api/v1/namespaces/default/configmaps"


def build(name: str, keys: int) -> bytes:
    lines = [f"  key-{number:06}: value {number}\n" for number in range(keys)]
    return (CONFIG_MAP.format(name=name) + "".join(lines)).encode()


def test_it_is_read_whole() -> None:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        answer = call("POST", MAPS, build("large", 20_000), headers=YAML)
    assert answer.code == 201
    assert len(json.loads(answer.text)["data"]) == 20_000


@pytest.mark.parametrize("count", [10, 2000])
def test_errors_of_small_and_large_bodies_are_the_same(count: int) -> None:
    filler = "".join(f"  k{number}: v\n" for number in range(count))
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        broken = call("POST", MAPS, (CONFIG_MAP.format(name="a") + filler + "x: [").encode(), headers=YAML)
        twice = CONFIG_MAP.format(name="a") + filler + "  k1: w\n"
        strict = call("POST", f"{MAPS}?fieldValidation=Strict", twice.encode(), headers=YAML)
        warned = call("POST", MAPS, twice.encode(), headers=YAML)
        apply = {"Content-Type": "application/apply-patch+yaml"}
        applied = call("PATCH", f"{MAPS}/a?fieldManager=m&force=true", twice.encode(), headers=apply)
        options = "propagationPolicy: Background\n" + "# no more\n" * count
        deleted = call("DELETE", f"{MAPS}/a", options.encode(), headers=YAML)
    assert broken.code == 400
    assert "yaml: line " in broken.text
    assert "did not find expected node content" in broken.text
    assert strict.code == 400
    assert 'key \\"k1\\" already set in map' in strict.text
    assert (warned.code, applied.code, deleted.code) == (201, 200, 200)


def test_a_root_that_is_no_map_is_refused_alike_whatever_its_size() -> None:
    """Compiled code checks the types that it is told of."""
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        for root in ("[1, 2]", '"text"', "5", "null", "true"):
            small, large = (call("POST", MAPS, (root + "\n" + "# x\n" * n).encode(), headers=YAML) for n in (20, 4000))
            assert (large.code, large.text) == (small.code, small.text)
            assert 400 <= large.code < 500
            applied = call(
                "PATCH",
                f"{MAPS}/a?fieldManager=m",
                (root + "\n" + "# x\n" * 4000).encode(),
                headers={"Content-Type": "application/apply-patch+yaml"},
            )
            assert 400 <= applied.code < 500
