"""Lists: order, selectors, pages that show one revision, resourceVersion and its match, tokens."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import Callable
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.storage.cacher import Limits, shared, tokens
from support.memory_store import MemoryStore
from support.watch_client import Harness, names


async def fill(harness: Harness, *paths: str) -> int:
    revision = 0
    for path in paths:
        namespace, name = path.split("/")
        revision = await harness.put(name, namespace, labels={"app": name})
    return revision


def test_lists_order_by_storage_key(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        await fill(harness, "ns/b", "ns/a-b", "ns/a.b", "ns/a", "ns-b/z", "ns/9", "ns/10")
        assert names(harness.list()) == ["ns-b/z", "ns/10", "ns/9", "ns/a", "ns/a-b", "ns/a.b", "ns/b"]
        assert names(harness.list(namespace="ns-b")) == ["ns-b/z"]

    run(body)


def test_pages_show_the_revision_of_the_first(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        revision = await fill(harness, "ns/a", "ns/b", "ns/c", "ns/d", "ns/e")
        first = harness.list(namespace="ns", limit=2)
        assert (names(first), first.remaining, first.revision) == (["ns/a", "ns/b"], 3, revision)
        await harness.delete("d")
        await harness.put("cc")
        await harness.put("e", n=2)
        await harness.put("aa")
        start = json.loads(base64.urlsafe_b64decode(first.continue_token + "=="))["start"]
        assert start == f"/{names(first)[-1].partition('/')[2]}\0"  # as upstream's, from its cache
        second = harness.list(namespace="ns", limit=2, continue_token=first.continue_token)
        assert (names(second), second.remaining, second.revision) == (["ns/c", "ns/d"], 1, revision)
        third = harness.list(namespace="ns", limit=2, continue_token=second.continue_token)
        assert (names(third), third.remaining, third.continue_token) == (["ns/e"], None, "")
        assert b'"n"' not in third.entries[0].data

    run(body)


def test_a_deleted_and_remade_object_is_its_old_self_in_the_past(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        first = await harness.put("a", n=1)
        await harness.delete("a")
        await harness.put("a", n=2)
        past = harness.list(resource_version=str(first), resource_version_match="Exact")
        assert [entry.revision for entry in past.entries] == [first]
        assert names(harness.list(resource_version=str(first + 1), resource_version_match="Exact")) == []

    run(body)


def test_selected_pages_do_not_count_the_rest(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        for name, app in (("a", "1"), ("b", "2"), ("c", "1"), ("d", "2"), ("e", "1")):
            await harness.put(name, labels={"app": app})
        first = harness.list(namespace="ns", limit=2, label_selector="app=1")
        assert (names(first), first.remaining, bool(first.continue_token)) == (["ns/a", "ns/c"], None, True)
        rest = harness.list(namespace="ns", limit=2, label_selector="app=1", continue_token=first.continue_token)
        assert (names(rest), rest.continue_token) == (["ns/e"], "")

    run(body)


def test_a_list_of_one_key_has_no_pages(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        old = await fill(harness, "ns/a", "ns/b", "ns/c")
        new = await harness.put("b", n=2)
        one = {"namespace": "ns", "limit": 1, "field_selector": "metadata.name=b"}
        found = harness.list(**one)
        assert (names(found), found.continue_token) == (["ns/b"], "")
        # With a limit a revision means that very one, but not here; and a token makes pages of it again.
        found = harness.list(**one, resource_version=str(old))
        assert ([entry.revision for entry in found.entries], found.revision) == ([new], new)
        with pytest.raises(errors.Timeout) as caught:
            await harness.cache.list(harness.list_options(**one, resource_version=str(new + 1)))
        assert caught.value.retry_after_s is None  # as an exact revision would be: nobody waits
        token = harness.list(namespace="ns", limit=1).continue_token
        found = harness.list(**one, continue_token=token)
        assert (names(found), bool(found.continue_token)) == (["ns/b"], True)

    run(body)


@pytest.mark.parametrize("lazy", [False, True])
def test_selectors_look_at_labels_and_fields(run: Callable[..., None], lazy: bool) -> None:
    async def body(harness: Harness) -> None:
        await harness.put("a", labels={"x": "5"}, color="red", lazy=lazy)
        await harness.put("b", labels={"x": "7", "y": ""}, color="blue", lazy=lazy)
        await harness.put("c", lazy=lazy)
        expected = {
            "x": "ab", "!x": "c", "x=5": "a", "x!=5": "bc", "x in (5,7)": "ab", "x notin (5,8)": "bc", "x>5": "b",
            "x<6": "a", "y=": "b", "x,y": "b", "x=5,y": "",
        }  # fmt: skip
        for selector, found in expected.items():
            assert names(harness.list(label_selector=selector)) == [f"ns/{name}" for name in found], selector
        assert names(harness.list(field_selector="spec.color=red")) == ["ns/a"]
        assert names(harness.list(field_selector="spec.color=")) == ["ns/c"]
        assert names(harness.list(field_selector="metadata.name!=b,metadata.namespace=ns")) == ["ns/a", "ns/c"]
        assert names(harness.list(namespace="ns", field_selector="metadata.namespace=other")) == []

    run(body)


def test_resource_version_zero_takes_the_limit_away(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        await fill(harness, "ns/a", "ns/b", "ns/c")
        assert len(harness.list(limit=1, resource_version="0").entries) == 3

    run(body)


def test_limit_with_a_resource_version_means_exactly_that(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        old = await fill(harness, "ns/a", "ns/b")
        await fill(harness, "ns/c")
        assert harness.list(limit=5, resource_version=str(old)).revision == old
        newest = harness.list(limit=5, resource_version=str(old), resource_version_match="NotOlderThan")
        assert len(newest.entries) == 3
        assert len(harness.list(resource_version=str(old)).entries) == 3

    run(body)


def test_a_revision_beyond_the_window_is_read_from_the_store() -> None:
    async def body() -> None:
        harness = await Harness.start(limits=Limits(history_min=2))
        harness.cache.history.capacity = 2
        old = await fill(harness, "ns/a", "ns/b", "ns/c")
        for _ in range(300):
            harness.cache.history.capacity = 2
            await harness.put("b", labels={"app": "b"})
        options = harness.list_options(namespace="ns", limit=2, resource_version=str(old), label_selector="app!=a")
        assert harness.cache.list_now(options) is None
        listing = await harness.cache.list(options)
        assert (names(listing), listing.revision, listing.remaining) == (["ns/b", "ns/c"], old, None)
        options = harness.list_options(namespace="ns", limit=2, resource_version=str(old))
        listing = await harness.cache.list(options)
        assert (names(listing), listing.remaining) == (["ns/a", "ns/b"], 1)
        options = harness.list_options(namespace="ns", limit=2, continue_token=listing.continue_token)
        assert names(await harness.cache.list(options)) == ["ns/c"]
        counts = harness.cache.counts.from_store
        assert (counts.lists, counts.fetched, counts.evaluated, counts.returned) == (3, 6, 6, 5)
        await harness.store.compact(harness.store.revision)
        with pytest.raises(errors.Expired) as caught:
            await harness.cache.list(options)
        token = caught.value.to_status()["metadata"]["continue"]  # type: ignore[index]
        rest = harness.list(namespace="ns", limit=2, continue_token=token)
        assert (names(rest), rest.revision) == (["ns/c"], harness.cacher.revision)
        exact = harness.list_options(resource_version=str(old), resource_version_match="Exact")
        with pytest.raises(errors.Expired, match="The resourceVersion for the provided list is too old"):
            await harness.cache.list(exact)
        await harness.cacher.close()

    asyncio.run(body())


def test_tokens_survive_a_restart() -> None:
    async def body() -> None:
        store = MemoryStore()
        harness = await Harness.start(store)
        await fill(harness, "ns/a", "ns/b", "ns/c")
        first = harness.list(limit=1)
        await harness.put("d")
        await harness.cacher.close()
        store._sink = None
        again = await Harness.start(store)
        listing = await again.cache.list(again.list_options(limit=5, continue_token=first.continue_token))
        assert names(listing) == ["ns/b", "ns/c"]
        await again.cacher.close()

    asyncio.run(body())


def test_a_list_of_the_future_waits_and_then_gives_up(
    run: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(shared, "WAIT_S", 0.05)

    async def body(harness: Harness) -> None:
        revision = await harness.put("a")
        options = harness.list_options(resource_version=str(revision + 1))
        assert harness.cache.list_now(options) is None
        waiting = asyncio.ensure_future(harness.cache.list(options))
        await asyncio.sleep(0)
        await harness.put("b")
        assert names(await waiting) == ["ns/a", "ns/b"]
        with pytest.raises(errors.Timeout) as caught:
            await harness.cache.list(harness.list_options(resource_version="999"))
        assert caught.value.message == f"Timeout: Too large resource version: 999, current: {revision + 1}"
        assert caught.value.retry_after_s == 1
        exact = harness.list_options(resource_version="999", resource_version_match="Exact")
        for options in (exact, harness.list_options(resource_version="999", limit=2)):
            with pytest.raises(errors.Timeout) as caught:
                await harness.cache.list(options)
            assert caught.value.retry_after_s == 1
        # Upstream asks etcd for a single object, which does not wait.
        with pytest.raises(errors.Timeout) as caught:
            await harness.cache.list(exact._replace(is_single=True))
        assert caught.value.retry_after_s is None

    run(body)


def test_bad_versions_are_refused_in_upstreams_words(run: Callable[..., None]) -> None:
    async def body(harness: Harness) -> None:
        for text, problem in (("abc", "invalid syntax"), ("-5", "invalid syntax"), ("9" * 20, "value out of range")):
            with pytest.raises(errors.BadRequest) as caught:
                harness.list(resource_version=text)
            assert caught.value.message == (
                f'invalid resource version: resourceVersion: Invalid value: "{text}": '
                f'strconv.ParseUint: parsing "{text}": {problem}'
            )
        token = tokens.encode_continue("a\0", 5)
        with pytest.raises(errors.BadRequest, match="specifying resource version is not allowed when using continue"):
            harness.list(resource_version="5", continue_token=token)

    run(body)


def make_token(value: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).rstrip(b"=").decode()


@pytest.mark.parametrize(
    ("token", "problem"),
    [
        ("%%", "illegal base64 data at input byte 0"),
        ("a", "illegal base64 data at input byte 0"),
        ("garbage", r"invalid character '\u0081' looking for beginning of value"),
        ("bm90IGpzb24", "invalid character 'o' in literal null (expecting 'u')"),
        ("e30", "server does not recognize this encoded version "),
        ("W10", "json: cannot unmarshal array into Go value of type storage.continueToken"),
        (
            make_token({"v": "meta.k8s.io/v9", "rv": 5, "start": "b"}),
            "server does not recognize this encoded version meta.k8s.io/v9",
        ),
        (
            make_token({"v": "meta.k8s.io/v1", "start": "b"}),
            "incorrect encoded start resourceVersion (version meta.k8s.io/v1)",
        ),
        (make_token({"v": "meta.k8s.io/v1", "rv": 5}), "encoded start key empty (version meta.k8s.io/v1)"),
        (make_token({"v": "meta.k8s.io/v1", "rv": -1, "start": "../../other"}), "../../other"),
        (make_token({"v": "meta.k8s.io/v1", "rv": -1, "start": "//a"}), "//a"),
        (
            make_token({"v": "meta.k8s.io/v1", "rv": "5", "start": "a"}),
            "json: cannot unmarshal string into Go struct field continueToken.rv of type int64",
        ),
    ],
)
def test_bad_tokens_are_refused_in_upstreams_words(token: str, problem: str) -> None:
    with pytest.raises(errors.BadRequest) as caught:
        tokens.decode_continue(token)
    assert caught.value.message == f"invalid continue token: continue key is not valid: {problem}"


@pytest.mark.parametrize("number", ["1.50", "1E5", "0.0", "9223372036854775808", "1e400", "100000000000000000000.5"])
def test_numbers_of_a_token_are_told_as_they_were_sent(number: str) -> None:
    text = f'{{"v":"meta.k8s.io/v1", "rv": {number} ,"start":"a"}}'
    with pytest.raises(errors.BadRequest) as caught:
        tokens.decode_continue(base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode())
    told = f"json: cannot unmarshal number {number} into Go struct field continueToken.rv of type int64"
    assert caught.value.message == f"invalid continue token: continue key is not valid: {told}"


def test_names_in_a_token_are_folded_as_go_folds_them() -> None:
    text = '{"V":"meta.k8s.io/v1","rv":7,"ſTart":"a"}'
    assert tokens.decode_continue(base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()) == ("a", 7)


@pytest.mark.parametrize("more", ['"start":null', '"v":null,"RV":null', '"x":1,"x":{}'])
def test_a_null_in_a_token_leaves_what_stood_before(more: str) -> None:
    text = f'{{"v":"meta.k8s.io/v1","rv":7,"start":"a",{more}}}'
    assert tokens.decode_continue(base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode()) == ("a", 7)


def test_each_of_several_members_of_a_token_has_to_fit() -> None:
    text = '{"v":"meta.k8s.io/v1","rv":1e3,"start":"a","rv":7}'
    with pytest.raises(errors.BadRequest, match="cannot unmarshal number 1e3 into"):
        tokens.decode_continue(base64.urlsafe_b64encode(text.encode()).rstrip(b"=").decode())


def test_tokens_are_upstreams() -> None:
    token = tokens.encode_continue("ns/a\0", 7)
    assert json.loads(base64.urlsafe_b64decode(token + "==")) == {"v": "meta.k8s.io/v1", "rv": 7, "start": "ns/a\0"}
    assert tokens.decode_continue(token) == ("ns/a\0", 7)
