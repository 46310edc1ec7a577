"""Lists and watches by selector show what looking at every object shows, while the index is made and ever after."""

from __future__ import annotations

import asyncio
from random import Random
from typing import Any
from unittest import mock

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery import fields, labels
from quarterdeck.storage.cacher import index, picking, stored
from reference.selector_reference import EveryState, Thing
from support.memory_store import MemoryStore
from support.watch_client import Harness, make_object

KEYS = ["app", "tier", "number"]
VALUES = ["", "1", "2", "30", "x"]
COLORS = ["", "red", "blue"]
NAMESPACES = ["a", "b", "b-2"]
NAMES = [f"o{number}" for number in range(20)]
_STEPS = 80

Selector = tuple[str, str, str]  # namespace, label selector, field selector


def label_term(chance: Random) -> str:
    key, value, other = chance.choice(KEYS), chance.choice(VALUES), chance.choice(VALUES)
    forms = (f"{key}={value}", f"{key}!={value}", f"{key} in ({value},{other})", f"{key} notin ({value},{other})")
    return chance.choice((*forms, key, f"!{key}", f"{key}>1", f"{key}<3"))


def field_term(chance: Random) -> str:
    field, values = chance.choice(
        [("spec.color", COLORS), ("spec.color", COLORS), ("metadata.name", NAMES), ("metadata.namespace", NAMESPACES)]
    )
    return field + chance.choice(["=", "!="]) + chance.choice(values)


def some_selector(chance: Random) -> Selector:
    label_count, field_count = chance.choice([(1, 0), (1, 0), (2, 0), (0, 1), (1, 1), (3, 2)])
    label_text = ",".join(label_term(chance) for _ in range(label_count))
    return chance.choice(["", "", *NAMESPACES]), label_text, ",".join(field_term(chance) for _ in range(field_count))


def some_labels(chance: Random) -> dict[str, str]:
    return {key: chance.choice(VALUES) for key in KEYS if chance.random() < 0.6}


class Run:
    def __init__(self, harness: Harness, every: EveryState) -> None:
        self.harness = harness
        self.every = every
        self.pages: tuple[Any, int, int, str, list[Any]] | None = None

    def expected(self, selector: Selector, revision: int = 0) -> list[tuple[str, int]]:
        namespace, label_text, field_text = selector
        return self.every.select(
            revision or self.every.newest, namespace, labels.parse(label_text), fields.parse(field_text)
        )

    async def list(self, selector: Selector, **options: Any) -> Any:
        asked = self.harness.list_options(*selector, **options)
        return self.harness.cache.list_now(asked) or await self.harness.cache.list(asked)

    async def put(self, namespace: str, name: str, own: dict[str, str], color: str, lazy: bool) -> None:
        revision = await self.harness.put(name, namespace, labels=own, color=color, lazy=lazy)
        self.every.put(f"{namespace}/{name}", Thing(own, {"spec.color": color}, revision))

    async def delete(self, namespace: str, name: str) -> None:
        if self.harness.cache.get(namespace, name) is not None:
            self.every.remove(f"{namespace}/{name}", await self.harness.delete(name, namespace))

    async def check_list(self, selector: Selector, limit: int) -> None:
        found: list[tuple[str, int]] = []
        token = ""
        while True:
            listing = await self.list(selector, limit=limit, continue_token=token)
            assert not limit or len(listing.entries) <= limit
            found += shown(listing)
            token = listing.continue_token
            if not token:
                break
        assert found == self.expected(selector)

    async def check_past(self, selector: Selector, back: int) -> None:
        known = [*self.every.states][-back - 1 :]
        if known and self.harness.list_options(*selector).selection.path is None:
            listing = await self.list(selector, resource_version=str(known[0]), resource_version_match="Exact")
            assert shown(listing) == self.expected(selector, known[0])

    async def begin_pages(self, selector: Selector, limit: int) -> None:
        listing = await self.list(selector, limit=limit)
        self.pages = (selector, limit, listing.revision, listing.continue_token, shown(listing))
        self.end_pages()

    async def next_page(self) -> None:
        if self.pages is None:
            return
        selector, limit, revision, token, found = self.pages
        listing = await self.list(selector, limit=limit, continue_token=token)
        assert listing.revision == revision
        self.pages = (selector, limit, revision, listing.continue_token, found + shown(listing))
        self.end_pages()

    def end_pages(self) -> None:
        assert self.pages is not None
        selector, _, revision, token, found = self.pages
        if not token:
            self.pages = None
            if revision in self.every.states:
                assert found == self.expected(selector, revision)

    async def watch(self, selector: Selector) -> None:
        namespace, label_text, field_text = selector
        watch, writer = self.harness.watch(
            namespace=namespace, label_selector=label_text, field_selector=field_text, resource_version="0"
        )
        wanted = [f"ADDED {path} {revision}" for path, revision in self.expected(selector)]
        for _ in range(1000):
            if len(writer.shown) >= len(wanted) and not watch._preparing:
                break
            await asyncio.sleep(0)
        assert writer.shown == wanted
        watch.closed()

    async def other_fields(self) -> None:
        """The definition names the same fields by another function."""
        self.harness.cacher.resource("test.io", "widgets", lambda obj: {"spec.color": obj["spec"].get("color", "")})


def shown(listing: Any) -> list[tuple[str, int]]:
    return [(entry.path, entry.revision) for entry in listing.entries]


async def play(chance: Random, loaded: int) -> None:
    """A cache that has loaded so many objects, undecoded; then writes, and all that can be asked, in any order."""
    store, every = MemoryStore(), EveryState()
    for number in range(loaded):
        own, color = some_labels(chance), chance.choice(COLORS)
        value = make_object(f"l{number}", "a", labels=own, color=color)
        revision = await store.create(f"/registry/test.io/widgets/a/l{number}", value)
        every.put(f"a/l{number}", Thing(own, {"spec.color": color}, revision))
    run = Run(await Harness.start(store), every)
    try:
        await run.put("a", "o0", {}, "red", False)
        for _ in range(_STEPS):
            await step(run, chance)
    finally:
        await run.harness.cacher.close()


async def step(run: Run, chance: Random) -> None:
    selector = some_selector(chance)
    namespace, name = chance.choice(NAMESPACES), chance.choice(NAMES)
    match chance.randrange(20):
        case 0 | 1 | 2 | 3 | 4 | 5 | 6:
            await run.put(
                namespace, name, some_labels(chance), chance.choice(COLORS), lazy=chance.choice([False, False, True])
            )
        case 7 | 8:
            await run.delete(namespace, name)
        case 9:
            await run.begin_pages(selector, chance.choice([1, 2]))
        case 10 | 11:
            await run.next_page()
        case 12:
            await run.check_past(selector, chance.randrange(10))
        case 13 | 14:
            await run.watch(selector)
        case 15 if chance.random() < 0.3:
            await run.other_fields()
        case _:
            await run.check_list(selector, chance.choice([0, 0, 1, 2, 5]))


@settings(max_examples=200, deadline=None)
@given(
    seed=st.integers(0, 1 << 32),
    loaded=st.sampled_from([0, 3, 60]),
    step_objects=st.sampled_from([20, 100, 5000]),
    cost=st.sampled_from([0, 0, 0, 1, 4]),
    bytes_min=st.sampled_from([1 << 20, 1 << 20, 3000]),
)
def test_the_index_shows_what_looking_at_every_object_shows(
    seed: int, loaded: int, step_objects: int, cost: int, bytes_min: int
) -> None:
    with (
        mock.patch.object(picking, "INDEXED_MIN", 0),
        mock.patch.object(picking, "FETCH_COST", cost),
        mock.patch.object(stored, "STEP_OBJECTS", step_objects),
        mock.patch.object(index, "BYTES_MIN", bytes_min),
    ):
        asyncio.run(play(Random(seed), loaded))


def test_only_what_is_selected_is_looked_at() -> None:
    async def body() -> None:
        harness = await Harness.start(MemoryStore())
        for number in range(2000):
            own = {"app": f"a{number % 400}", "tier": "x" if number % 2 else "y"}
            await harness.put(f"o{number:04}", labels=own, color="red" if number == 7 else "blue")
        cases = [("app=a7", "", 5), ("app in (a7,a8),tier=x", "", 5), ("", "spec.color=red", 1), ("!app", "", 0)]
        for label_text, field_text, count in cases:
            options = harness.list_options("", label_text, field_text)
            assert harness.cache.list_now(options) is not None
            before = harness.cache.counts.fetched
            listing = harness.cache.list_now(options)
            assert listing is not None
            assert len(listing.entries) == count
            assert harness.cache.counts.fetched - before <= 2 * count
        await harness.cacher.close()

    asyncio.run(body())


def test_an_index_that_nobody_asks_is_given_up() -> None:
    async def body() -> None:
        harness = await Harness.start(MemoryStore())
        with mock.patch.object(picking, "INDEXED_MIN", 0):
            await harness.put("o", labels={"app": "x"})
            harness.list(label_selector="app=x")
            assert harness.cache.index is not None
            assert harness.cache.index.size_bytes > 0
            for number in range(11_000):
                await harness.put("o", labels={"app": str(number % 7)})
            assert harness.cache.index is None
        await harness.cacher.close()

    asyncio.run(body())


def test_labels_that_would_take_too_much_are_evaluated() -> None:
    async def body() -> None:
        harness = await Harness.start(MemoryStore())
        with mock.patch.object(picking, "INDEXED_MIN", 0), mock.patch.object(index, "BYTES_MIN", 60_000):
            for number in range(300):
                await harness.put(f"o{number}", labels={"own": str(number), "app": str(number % 100)})
            with mock.patch.object(index, "BYTES_AN_OBJECT_MAX", 250):
                for _ in range(3):
                    assert len(harness.list(label_selector="own=7,app=7").entries) == 1
                assert harness.cache.index is not None
                assert harness.cache.index.size_bytes <= 75_000
        await harness.cacher.close()

    asyncio.run(body())
