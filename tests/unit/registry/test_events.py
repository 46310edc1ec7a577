"""Events of both groups: one store, two shapes; what either group asks of them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.table.builtin import convertor_for
from quarterdeck.registry.builtin.assembly import Assembly
from quarterdeck.registry.builtin.core import event, events
from quarterdeck.registry.builtin.core.event import CORE, EVENTS, convert
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.writes import Update, WriteContext
from quarterdeck.storage.cacher import Cacher
from support.memory_store import MemoryStore

Object = dict[str, Any]
NEW: Object = {
    "apiVersion": EVENTS,
    "kind": "Event",
    "metadata": {"name": "e", "namespace": "ns"},
    "eventTime": "2024-01-01T00:00:00.000000Z",
    "reportingController": "a.b/c",
    "reportingInstance": "i",
    "action": "A",
    "reason": "R",
    "regarding": {"kind": "Pod", "namespace": "ns", "name": "p"},
    "note": "n",
    "type": "Normal",
}


async def serve() -> tuple[Scope, Scope]:
    storage = MemoryStore()
    cacher = Cacher(storage)
    await cacher.start()
    assembly = Assembly(storage, cacher, convertor_for)
    scopes = {
        each.resource.group: assembly.build(each)[""] for each in events.definitions() if each.resource.name == "events"
    }
    return scopes[""], scopes["events.k8s.io"]


async def create(scope: Scope, obj: Object) -> Object:
    body = {**obj, "metadata": dict(obj["metadata"])}
    scope.codec.normalize(body, report_unknown=False)
    stored = await scope.store.create(scope, body, WriteContext(dry_run=False, warnings=[]))
    return json_codec.load(scope.object_form.encode(scope.entry_of(stored)))


def test_an_event_of_either_group_is_one_of_both() -> None:
    async def run() -> None:
        core, newer = await serve()
        made = await create(newer, NEW)
        assert (made["note"], made["deprecatedSource"], made["apiVersion"]) == ("n", {}, EVENTS)
        (entry,) = core.store.cache.state.all()
        seen = json_codec.load(core.object_form.encode(entry))
        assert (seen["message"], seen["involvedObject"]["name"], seen["reportingComponent"]) == ("n", "p", "a.b/c")
        assert newer.store.key("ns", "e") == core.store.key("ns", "e")
        core.store.cache.decode(entry)
        assert entry.fields is not None
        assert entry.fields["regarding.name"] == entry.fields["involvedObject.name"] == "p"

    asyncio.run(run())


def test_the_way_there_and_back_gives_the_same() -> None:
    core = {
        "apiVersion": CORE,
        "kind": "Event",
        "metadata": {"name": "e"},
        "involvedObject": {},
        "message": "m",
        "source": {"component": "c"},
        "firstTimestamp": None,
        "lastTimestamp": None,
        "count": 3,
        "eventTime": None,
        "series": {"lastObservedTime": None},
        "reportingComponent": "",
        "reportingInstance": "",
    }
    newer = convert(core, EVENTS)
    assert newer["series"] == {"count": 0, "lastObservedTime": None}
    assert "reportingController" not in newer
    assert newer["deprecatedCount"] == 3
    assert convert(newer, CORE) == core
    assert convert(core, CORE) is core


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"eventTime": None}, ["eventTime: "]),
        ({"type": "Odd"}, ["type: has invalid value: Odd"]),
        ({"deprecatedCount": 2}, ["count: needs to be unset"]),
        ({"deprecatedSource": {"host": "h"}}, ["source: needs to be unset"]),
        ({"series": {"count": 1, "lastObservedTime": None}}, ["series.count", "series.lastObservedTime"]),
        ({"action": ""}, ["action: "]),
        ({"reason": "r" * 129}, ["reason: can have at most 128 characters"]),
        ({"note": "n" * 1025}, ["message: can have at most 1024 characters"]),
        ({"regarding": {}}, ["involvedObject.namespace: does not match event.namespace"]),
        ({"metadata": {"name": "A b", "namespace": "ns"}}, ["metadata.name: a lowercase RFC 1123 subdomain"]),
    ],
)
def test_the_newer_group_asks_for_more(change: Object, expected: list[str]) -> None:
    async def run() -> None:
        _, newer = await serve()
        with pytest.raises(errors.Invalid, match=r'Event "[^"]+" is invalid') as refused:
            await create(newer, {**NEW, **change})
        assert refused.value.details is not None
        causes = refused.value.details["causes"]
        problems = newer.strategy.validate(_decoded(newer, {**NEW, **change}), [])
        assert isinstance(problems, list)
        shown = [f"{one.path}: {one.detail}" for one in problems]
        assert len(causes) == len(shown) == len(expected)
        assert all(text.startswith(start) for text, start in zip(shown, expected, strict=True)), shown

    asyncio.run(run())


ZERO = "0001-01-01T00:00:00Z"
MICRO_ZERO = "0001-01-01T00:00:00.000000Z"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"deprecatedFirstTimestamp": ZERO}, ["firstTimestamp: needs to be unset"]),
        ({"deprecatedLastTimestamp": "0001-01-01T01:00:00+01:00"}, ["lastTimestamp: needs to be unset"]),
        ({"eventTime": MICRO_ZERO}, []),
        ({"eventTime": MICRO_ZERO, "action": ""}, ["action: "]),
        ({"series": {"count": 2, "lastObservedTime": MICRO_ZERO}}, []),
        ({"firstTimestamp": ZERO}, []),
    ],
)
def test_a_zero_time_that_is_written_out_is_set(change: Object, expected: list[str]) -> None:
    async def run() -> None:
        _, newer = await serve()
        problems = newer.strategy.validate(_decoded(newer, {**NEW, **change}), [])
        assert isinstance(problems, list)
        assert [f"{one.path}: {one.detail}" for one in problems] == expected

    asyncio.run(run())


def test_a_core_event_of_the_zero_time_has_to_say_more() -> None:
    legacy = {"apiVersion": CORE, "kind": "Event", "metadata": {"name": "e", "namespace": "ns"}}

    async def run() -> None:
        core, _ = await serve()
        decoded = _decoded(core, {**legacy, "involvedObject": {"namespace": "ns"}, "eventTime": MICRO_ZERO})
        problems = core.strategy.validate(decoded, [])
        assert isinstance(problems, list)
        assert {one.path for one in problems} == {"reportingComponent", "reportingInstance", "action", "reason"}

    asyncio.run(run())


def _decoded(scope: Scope, obj: Object) -> Object:
    body = {**obj, "metadata": dict(obj["metadata"])}
    scope.codec.normalize(body, report_unknown=False)
    return body


def test_names_of_core_events_are_any_segment_of_a_path() -> None:
    legacy = {
        "apiVersion": CORE,
        "kind": "Event",
        "metadata": {"name": "A b", "namespace": "ns"},
        "involvedObject": {"namespace": "ns"},
    }

    async def run() -> None:
        core, _ = await serve()
        assert (await create(core, legacy))["metadata"]["name"] == "A b"
        with pytest.raises(errors.Invalid, match=r"does not match event\.namespace$"):
            await create(core, {**legacy, "metadata": {"namespace": "ns"}, "involvedObject": {}})

    asyncio.run(run())


def test_the_newer_group_changes_only_the_series() -> None:
    async def run() -> None:
        _, newer = await serve()
        await create(newer, NEW)

        async def change(**members: Any) -> None:
            def transform(live: Object | None) -> Object:
                assert live is not None
                new = {**live, "metadata": dict(live["metadata"]), **members}
                newer.codec.normalize(new, report_unknown=False)
                return new

            await newer.store.update(newer, "ns", "e", Update(transform), WriteContext(dry_run=False, warnings=[]))

        await change(series={"count": 2, "lastObservedTime": "2024-01-01T00:00:00.000000Z"})
        with pytest.raises(errors.Invalid) as refused:
            await change(regarding={"kind": "Node", "namespace": "ns"}, note="other")
        shown = (
            '{"Kind":"Node","Namespace":"ns","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""}'
        )
        assert refused.value.message == (
            f'Event "e" is invalid: [involvedObject: Invalid value: {shown}: field is immutable, '
            'message: Invalid value: "other": field is immutable]'
        )
        with pytest.raises(errors.Invalid) as refused:
            await change(related={})
        nothing = '"Kind":"","Namespace":"","Name":"","UID":"","APIVersion":"","ResourceVersion":"","FieldPath":""'
        shown = f"related: Invalid value: {{{nothing}}}: field is immutable"
        assert refused.value.message == f'Event "e" is invalid: {shown}'

    asyncio.run(run())


def test_field_labels_are_those_of_the_version() -> None:
    assert "regarding.kind" in event.selectable_of_events(EVENTS)
    assert "regarding.kind" not in event.selectable_of_events(CORE)


def test_a_write_through_one_group_forgets_who_owns_fields_in_the_other() -> None:
    async def run() -> None:
        core, newer = await serve()
        live: Object = {**json_codec.load(json_codec.encode(NEW))}
        newer.ownership.update(None, live, manager="one", api_version=EVENTS, now="2026-01-01T00:00:00Z")
        live["metadata"] |= {"uid": "u"}
        old = convert(live, CORE)
        new = {**old, "metadata": {**old["metadata"], "labels": {"a": "b"}}}
        core.ownership.update(old, new, manager="two", api_version=CORE, now="2026-01-01T00:00:01Z")
        assert [entry["manager"] for entry in new["metadata"]["managedFields"]] == ["two"]

    asyncio.run(run())


@pytest.mark.parametrize("api_version", ["A", "v2", "events.k8s.io/v9", "é"])
def test_owners_in_a_version_that_events_do_not_have_are_forgotten(api_version: str) -> None:
    async def run() -> None:
        _, newer = await serve()
        live: Object = {**json_codec.load(json_codec.encode(NEW))}
        newer.ownership.update(None, live, manager="one", api_version=EVENTS, now="2026-01-01T00:00:00Z")
        live["metadata"]["managedFields"][0]["apiVersion"] = api_version
        new = {**live, "metadata": {**live["metadata"], "labels": {"a": "b"}}}
        newer.ownership.update(live, new, manager="two", api_version=EVENTS, now="2026-01-01T00:00:01Z")
        assert [entry["manager"] for entry in new["metadata"]["managedFields"]] == ["two"]

    asyncio.run(run())
