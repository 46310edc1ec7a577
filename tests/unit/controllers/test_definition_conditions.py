"""Establishing, approval and the structural schema: the conditions that each controller keeps."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from quarterdeck.apiextensions import conditions
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.controllers.nonstructuralschema import judge_schemas
from support.control import GROUP, World, build_definition

ESTABLISHED = ("True", "InitialNamesAccepted", "the initial names have been accepted")
APPROVED = "https://example.com/pull/1"
NAME = f"widgets.{GROUP}"
PRESERVES = "spec.preserveUnknownFields: Invalid value: true: must be false"
UNTYPED = (
    "spec.versions[0].schema.openAPIV3Schema.properties[spec].type: Required value: must not be empty for specified "
    "object fields"
)


async def test_a_definition_is_established_in_three_writes() -> None:
    world = await World().start()
    created = await world.define("widgets")
    before = int(created["metadata"]["resourceVersion"])
    await world.settle()
    found = world.definition("widgets")
    assert found is not None
    assert [one["type"] for one in found["status"]["conditions"]] == ["NamesAccepted", "Established"]
    assert world.condition("widgets", "Established") == ESTABLISHED
    assert int(found["metadata"]["resourceVersion"]) == before + 2
    assert all(not queue.depth for queue in world.queues())


async def test_who_sees_a_definition_established_finds_it_served() -> None:
    world = await World().start()
    seen = []
    world.definitions[""].store.cache.listeners.append(
        lambda change: seen.append(
            (
                conditions.is_true(json_codec.load(change.entry.data), "Established") if change.entry else None,
                world.served.get(GROUP, "widgets") is not None,
            )
        )
    )
    await world.define("widgets")
    await world.settle()
    assert seen == [(False, False), (False, True), (True, True)]


async def begin_with_bundle(bundle: str) -> World:
    world = await World().start()
    client = {"url": "https://localhost/convert", "caBundle": bundle}
    obj = build_definition("widgets")
    obj["spec"]["conversion"] = {
        "strategy": "Webhook",
        "webhook": {"clientConfig": client, "conversionReviewVersions": ["v1"]},
    }
    await world.create(world.definitions[""], obj)
    await world.settle()
    wanted = ("False", "InvalidCABundle", "The conversion webhook CABundle is invalid")
    assert world.condition("widgets", "Established") == wanted
    return world


async def test_a_blank_ca_bundle_leaves_a_definition_served() -> None:
    world = await begin_with_bundle("IAo=")
    assert world.served.find(GROUP, "v1", "widgets") is not None


async def test_a_bad_ca_bundle_keeps_a_definition_from_being_established() -> None:
    world = await begin_with_bundle("bm8=")
    with pytest.raises(Exception, match="error resolving resource"):
        world.served.find(GROUP, "v1", "widgets")

    def mend(obj: dict[str, Any]) -> None:
        obj["spec"]["conversion"] = {"strategy": "None"}

    await world.change(world.definitions[""], "", NAME, mend)
    await world.settle()
    assert world.condition("widgets", "Established") == ESTABLISHED
    assert world.served.find(GROUP, "v1", "widgets") is not None


@pytest.mark.parametrize(
    ("value", "status", "reason"),
    [(APPROVED, "True", "ApprovedAnnotation"), ("unapproved, experimental", "False", "UnapprovedAnnotation")],
)
async def test_definitions_of_protected_groups_tell_of_their_approval(value: str, status: str, reason: str) -> None:
    world = await World().start()
    annotations = {"api-approved.kubernetes.io": value}
    await world.define("widgets", group="x.k8s.io", annotations=annotations)
    await world.settle()
    entry = world.definitions[""].store.cache.get("", "widgets.x.k8s.io")
    assert entry is not None
    found = conditions.find(json_codec.load(entry.data), conditions.KUBERNETES_API_APPROVAL)
    assert found is not None
    assert (found["status"], found["reason"]) == (status, reason)
    assert conditions.is_true(json_codec.load(entry.data), "Established")


async def test_other_groups_have_no_condition_of_approval() -> None:
    world = await World().start()
    await world.define("widgets")
    await world.settle()
    assert world.condition("widgets", conditions.KUBERNETES_API_APPROVAL) is None


async def test_the_condition_of_approval_is_left_to_others_until_the_annotation_changes() -> None:
    world = await World().start()
    annotations = {"api-approved.kubernetes.io": APPROVED}
    await world.define("widgets", group="x.k8s.io", annotations=annotations)
    await world.settle()

    def find() -> Any:
        entry = world.definitions[""].store.cache.get("", "widgets.x.k8s.io")
        assert entry is not None
        return conditions.find(json_codec.load(entry.data), conditions.KUBERNETES_API_APPROVAL)

    def take_out(obj: dict[str, Any]) -> None:
        kept = conditions.without_condition(obj["status"]["conditions"], conditions.KUBERNETES_API_APPROVAL)
        obj["status"]["conditions"] = kept

    def annotate(obj: dict[str, Any]) -> None:
        obj["metadata"]["annotations"] = {"api-approved.kubernetes.io": "unapproved"}

    assert find() is not None
    await world.change(world.definitions["status"], "", "widgets.x.k8s.io", take_out)
    await world.settle()
    assert find() is None
    await world.change(world.definitions[""], "", "widgets.x.k8s.io", annotate)
    await world.settle()
    assert find()["reason"] == "UnapprovedAnnotation"
    await world.delete(world.definitions[""], "", "widgets.x.k8s.io")
    await world.settle()
    await world.define("widgets", group="x.k8s.io", annotations={"api-approved.kubernetes.io": "unapproved"})
    await world.settle()
    assert find()["reason"] == "UnapprovedAnnotation"


async def test_a_condition_of_schemas_that_a_client_wrote_is_taken_back_once_in_a_generation() -> None:
    world = await World().start()
    await world.define("widgets")
    await world.settle()

    def spoil(obj: dict[str, Any]) -> None:
        one = {"type": "NonStructuralSchema", "status": "True", "reason": "Violations", "message": "made up"}
        obj["status"]["conditions"].append(one)

    def change_names(obj: dict[str, Any]) -> None:
        obj["spec"]["names"]["shortNames"] = ["w"]

    await world.change(world.definitions["status"], "", NAME, spoil)
    assert world.condition("widgets", "NonStructuralSchema") is not None
    await world.settle()
    assert world.condition("widgets", "NonStructuralSchema") is None
    await world.change(world.definitions["status"], "", NAME, spoil)
    await world.settle()
    assert world.condition("widgets", "NonStructuralSchema") == ("True", "Violations", "made up")
    await world.change(world.definitions[""], "", NAME, change_names)
    await world.settle()
    assert world.condition("widgets", "NonStructuralSchema") is None


async def change_stored(world: World, change: Callable[[dict[str, Any]], None]) -> None:
    """By another hand than the server's."""
    key = f"/registry/apiextensions.k8s.io/customresourcedefinitions/{NAME}"
    stored = await world.store.get(key)
    assert stored is not None
    obj = json_codec.load(stored.value)
    change(obj)
    await world.store.update(key, json_codec.encode(obj), stored.revision)


async def test_a_stored_schema_that_is_not_structural_is_told() -> None:
    world = await World().start()
    await world.define("widgets")
    await world.settle()

    def spoil(obj: dict[str, Any]) -> None:
        obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = {"spec": {"description": "no type"}}
        obj["spec"]["preserveUnknownFields"] = True

    world.store.subscribe(lambda _events, _revision: None)  # the server is not there to see it
    await change_stored(world, spoil)
    restarted = await World(world.store).start()
    await restarted.settle()
    assert restarted.condition("widgets", "NonStructuralSchema") == ("True", "Violations", f"[{PRESERVES}, {UNTYPED}]")
    assert restarted.condition("widgets", "Established") == ESTABLISHED


async def test_what_another_hand_stores_while_the_server_runs_is_judged() -> None:
    world = await World().start()
    await world.define("widgets")
    await world.settle()

    async def put(properties: object, *, preserves: bool) -> None:
        def change(obj: dict[str, Any]) -> None:
            obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]["properties"] = properties
            obj["spec"]["preserveUnknownFields"] = preserves
            obj["metadata"]["generation"] += 1

        await change_stored(world, change)
        await world.settle()

    def published() -> set[str]:
        served = world.served.get(GROUP, "widgets")
        assert served is not None
        return {str(part.read_schema()) for part in served.published}

    await put({"spec": {"description": "no type"}}, preserves=False)
    assert world.condition("widgets", "NonStructuralSchema") == ("True", "Violations", UNTYPED)
    assert published() == {"None"}
    await put({"spec": {"type": "object"}}, preserves=True)
    assert world.condition("widgets", "NonStructuralSchema") == ("True", "Violations", PRESERVES)
    structural = {str({"type": "object", "properties": {"spec": {"type": "object"}}})}
    assert published() == structural
    await put({"spec": {"type": "object"}}, preserves=False)
    assert world.condition("widgets", "NonStructuralSchema") is None
    assert published() == structural


async def test_a_stored_definition_without_a_generation_is_judged_again_when_it_has_one() -> None:
    world = await World().start()
    await world.define("widgets")
    await world.settle()

    def spoil(obj: dict[str, Any]) -> None:
        obj["spec"]["preserveUnknownFields"] = True
        del obj["metadata"]["generation"]

    await change_stored(world, spoil)
    await world.settle()
    assert world.condition("widgets", "NonStructuralSchema") == ("True", "Violations", PRESERVES)

    def mend(obj: dict[str, Any]) -> None:
        obj["spec"]["preserveUnknownFields"] = False

    await world.change(world.definitions[""], "", NAME, mend)
    await world.settle()
    assert world.condition("widgets", "NonStructuralSchema") is None


async def test_what_this_server_has_accepted_is_not_judged_again(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[object] = []
    monkeypatch.setattr("quarterdeck.controllers.nonstructuralschema.judge_schemas", judged.append)
    world = await World().start()
    await world.define("widgets")
    await world.settle()
    assert world.condition("widgets", "Established") == ESTABLISHED
    assert not judged


def test_a_schema_that_cannot_be_read_is_unknown() -> None:
    obj = build_definition("widgets")
    assert judge_schemas(obj) is None
    obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"] = {"type": "object", "not": {"items": [{}, {}]}}
    found = judge_schemas(obj)
    assert found is not None
    text = "failed to check validation schema for version v1: OpenAPIV3Schema 'items' must be a schema, but is an array"
    assert (found["status"], found["reason"], found["message"]) == ("Unknown", "StructuralError", text)


@pytest.mark.parametrize("group", [GROUP, "x.k8s.io"])
async def test_a_definition_without_a_uid_lives_as_others_do(group: str) -> None:
    world = await World().start()
    annotations = {"api-approved.kubernetes.io": APPROVED}
    await world.define("widgets", group=group, annotations=annotations)
    name = f"widgets.{group}"
    key = f"/registry/apiextensions.k8s.io/customresourcedefinitions/{name}"
    stored = await world.store.get(key)
    assert stored is not None
    obj = json_codec.load(stored.value)
    del obj["metadata"]["uid"], obj["status"]["conditions"]
    await world.store.update(key, json_codec.encode(obj), stored.revision)
    await world.settle()
    entry = world.definitions[""].store.cache.get("", name)
    assert entry is not None
    found = json_codec.load(entry.data)
    assert conditions.is_true(found, "Established")
    assert "uid" not in found["metadata"]
    await world.delete(world.definitions[""], "", name)
    await world.settle()
    assert world.definitions[""].store.cache.get("", name) is None
