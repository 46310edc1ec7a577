"""Selectors: parsed, compared with one object, and picking some of many."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from bench.micro import bench_index
from bench.suite.groups import group

from quarterdeck._kernels import watchobject
from quarterdeck.apimachinery import labels
from quarterdeck.storage.cacher import picking

TERMS = "a=b,c=d,f=g"


@group("100 of 10,000 by label")
def test_select_floor(benchmark: Any) -> None:
    entries = [{"app": f"app-{number % 100}", "tier": "x"} for number in range(10_000)]
    benchmark(lambda: [each for each in entries if each.get("app") == "app-3"])


@group("100 of 10,000 by label")
@pytest.mark.parametrize("is_indexed", [False, True], ids=["looking", "index"])
def test_select(benchmark: Any, is_indexed: bool) -> None:
    async def prepare() -> Any:
        cache = await bench_index.Bench(10_000).start()
        asked = bench_index.options("", "app=app-3")
        for _ in range(4):
            await bench_index.wait_for_list(cache, asked)
        return cache, asked

    cache, asked = asyncio.run(prepare())
    if is_indexed:
        assert picking.INDEXED_MIN <= 10_000
        benchmark(cache.list_now, asked)
    else:
        everything = cache.state.all()
        benchmark(lambda: cache.select(asked.selection, everything))


@group("labels of one object")
def test_match_floor(benchmark: Any) -> None:
    own = {"a": "b", "c": "d"}
    benchmark(lambda: own.get("a") == "b" and own.get("c") in ("d", "e") and "f" not in own)


@group("labels of one object")
def test_match(benchmark: Any) -> None:
    selection = watchobject.Selection(
        "", "", (("a", 0, frozenset("b")), ("c", 0, frozenset("de")), ("f", 3, frozenset()))
    )
    entry = watchobject.Entry("n/o", "n", b"{}", 1, 1, {"a": "b", "c": "d"}, {})
    benchmark(watchobject.matches, None, selection, entry)


@group("labels of one object")
def test_match_of_a_selector(benchmark: Any) -> None:
    assert benchmark(labels.parse("a=b,c in (d,e),!f").matches, {"a": "b", "c": "d"})


@group("parse a selector")
def test_parse_floor(benchmark: Any) -> None:
    benchmark(lambda: [each.split("=") for each in TERMS.split(",")])


@group("parse a selector")
def test_parse(benchmark: Any) -> None:
    benchmark(labels.parse, TERMS)
