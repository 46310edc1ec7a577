"""What is served follows the definitions; one that cannot be built does not disturb the others."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.apiextensions.build import Builder
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery import fields as field_selectors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.endpoints.handlers.forms import form_of
from quarterdeck.endpoints.negotiation import PARTIAL_METADATA, PROTOBUF, TABLE, Output
from quarterdeck.storage.cacher import Watch, WatchOptions, build_selection, cacher, encode
from support.control import GROUP, World
from support.discovery import versions_in_discovery
from support.waiting import until

NAME = f"widgets.{GROUP}"
OPEN = {"schema": {"openAPIV3Schema": {"type": "object"}}}


async def begin() -> World:
    world = await World().start()
    await world.define("widgets")
    await world.settle()
    return world


def add_version(obj: dict[str, Any]) -> None:
    obj["spec"]["versions"].append({"name": "v2", "served": True, "storage": False, **OPEN})


async def test_a_new_version_is_served_as_a_whole() -> None:
    world = await begin()
    before = world.served.get(GROUP, "widgets")
    await world.change(world.definitions[""], "", NAME, add_version)
    after = world.served.get(GROUP, "widgets")
    assert before is not None and after is not None
    assert (set(before.scopes), set(after.scopes)) == ({"v1"}, {"v1", "v2"})
    assert versions_in_discovery(world.discovery, GROUP) == {"v1": ["widgets"], "v2": ["widgets"]}


async def test_a_version_that_is_not_served_any_more_is_gone() -> None:
    world = await begin()
    await world.change(world.definitions[""], "", NAME, add_version)

    def hide(obj: dict[str, Any]) -> None:
        obj["spec"]["versions"][1]["served"] = False

    await world.change(world.definitions[""], "", NAME, hide)
    assert world.served.find(GROUP, "v2", "widgets") is None
    assert versions_in_discovery(world.discovery, GROUP) == {"v1": ["widgets"]}


async def test_a_change_of_labels_builds_nothing() -> None:
    world = await begin()
    before = world.served.get(GROUP, "widgets")
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].update(labels={"a": "b"}))
    assert world.served.get(GROUP, "widgets") is before


async def test_what_cannot_be_built_is_refused_and_named_without_resources(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await begin()
    await world.define("gadgets")
    await world.settle()
    build = Builder.build

    def fail(self: Builder, definition: dict[str, Any], data: bytes, *more: Any) -> Any:
        if definition["metadata"]["name"] == NAME:
            raise ValueError("broken")
        return build(self, definition, data, *more)

    monkeypatch.setattr(Builder, "build", fail)
    await world.change(world.definitions[""], "", NAME, add_version)
    for version in ("v1", "v2"):
        with pytest.raises(errors.InternalError, match="error resolving resource"):
            world.served.find(GROUP, version, "widgets")
    assert versions_in_discovery(world.discovery, GROUP) == {"v1": ["gadgets"]}
    assert world.published[NAME] is None
    assert world.served.find(GROUP, "v1", "gadgets") is not None

    monkeypatch.undo()
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].update(labels={"a": "b"}))
    assert versions_in_discovery(world.discovery, GROUP) == {"v1": ["gadgets", "widgets"], "v2": ["widgets"]}
    assert world.served.find(GROUP, "v2", "widgets") is not None
    assert world.published[NAME] is not None


async def test_what_fails_to_be_removed_does_not_stop_the_feed(monkeypatch: pytest.MonkeyPatch) -> None:
    world = await begin()

    def fail(*_: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(world.controllers.serving, "_drop", fail)
    await world.delete(world.definitions[""], "", NAME)
    await world.settle()
    assert world.definition("widgets") is None
    monkeypatch.undo()
    await world.define("gadgets")
    await world.settle()
    assert world.served.find(GROUP, "v1", "gadgets") is not None


class Pause:
    """The time for which watches outlive a change: it lasts until `end`."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self._is_over = asyncio.Event()
        self._sleep = asyncio.sleep
        monkeypatch.setattr(cacher, "RETIRED_S", 7777.0)
        monkeypatch.setattr(asyncio, "sleep", self._wait)

    def end(self) -> None:
        self._is_over.set()

    async def _wait(self, delay_s: float) -> None:
        await (self._is_over.wait() if delay_s == cacher.RETIRED_S else self._sleep(delay_s))


async def test_watches_of_a_definition_that_has_changed_end_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    pause = Pause(monkeypatch)
    world = await begin()

    def watch_all() -> list[Watch]:
        served = world.served.get(GROUP, "widgets")
        assert served is not None
        scope = served.scopes["v1"][""]
        outputs = [Output("application/json"), Output("application/json", TABLE, "v1")]
        outputs.append(Output(PROTOBUF, PARTIAL_METADATA, "v1"))
        return [served.store.cache.watch(WatchOptions(), form_of(scope, output, {})) for output in outputs]

    before = watch_all()
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].update(labels={"a": "b"}))
    await world.change(world.definitions[""], "", NAME, add_version)
    after = watch_all()
    assert not any(watch.is_ended for watch in before)
    pause.end()
    await until(lambda: all(watch.is_ended for watch in before))
    assert not any(watch.is_ended for watch in after)
    await world.change(world.definitions[""], "", NAME, lambda obj: obj["metadata"].update(labels={"c": "d"}))
    await asyncio.sleep(0.1)
    assert not any(watch.is_ended for watch in after)


def watch_widgets(world: World) -> Watch:
    served = world.served.get(GROUP, "widgets")
    assert served is not None
    return served.store.cache.watch(WatchOptions(), served.scopes["v1"][""].object_form)


async def ended(watch: Watch) -> None:
    await until(lambda: watch.is_ended)


async def test_watches_end_with_their_definition_after_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    pause = Pause(monkeypatch)
    world = await begin()
    watch = watch_widgets(world)
    await world.delete(world.definitions[""], "", NAME)
    await world.settle()
    assert world.definition("widgets") is None
    assert not watch.is_ended
    pause.end()
    await ended(watch)


async def test_watches_end_when_nothing_can_be_built_of_the_change(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cacher, "RETIRED_S", 0.05)
    world = await begin()
    watch = watch_widgets(world)

    def fail(*_: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(Builder, "build", fail)
    await world.change(world.definitions[""], "", NAME, add_version)
    await ended(watch)


@pytest.mark.parametrize(
    "change",
    [
        lambda obj: obj["metadata"].update(annotations={"a": "b"}),
        lambda obj: obj["status"].update(storedVersions=["v1", "v0"]),
        lambda obj: obj["status"]["conditions"].append(
            {"type": "Terminating", "status": "True", "reason": "x", "message": "", "lastTransitionTime": None}
        ),
    ],
    ids=["metadata", "stored-versions", "terminating"],
)
async def test_watches_outlive_changes_of_anything_but_spec_and_accepted_names(
    change: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cacher, "RETIRED_S", 0.02)
    world = await begin()
    watch = watch_widgets(world)
    changed = world.definition("widgets")
    assert changed is not None
    change(changed)
    world.controllers.serving.put(changed, json_codec.encode(changed))
    later = asyncio.get_running_loop().create_future()
    asyncio.get_running_loop().call_later(0.1, later.set_result, None)  # timers run in the order of their times
    await later
    assert not watch.is_ended


@pytest.mark.parametrize("part", ["spec", "names"])
async def test_watches_end_after_changes_of_spec_and_accepted_names(part: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cacher, "RETIRED_S", 0.02)
    world = await begin()
    watch = watch_widgets(world)
    changed = world.definition("widgets")
    assert changed is not None
    if part == "spec":
        changed["metadata"]["generation"] += 1
    else:
        changed["status"]["acceptedNames"]["shortNames"] = ["w"]
    world.controllers.serving.put(changed, json_codec.encode(changed))
    await ended(watch)


async def test_nothing_is_kept_of_how_objects_were_shown_before(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cacher, "RETIRED_S", 0.02)
    world = await begin()
    await world.change(world.definitions[""], "", NAME, add_version)
    served = world.served.get(GROUP, "widgets")
    assert served is not None
    await world.add_object("widgets", "a")
    (entry,) = served.store.cache.state.all()
    form = served.scopes["v2"][""].object_form
    encode(entry, form)
    assert entry.encoding(form) is not None

    def hide(obj: dict[str, Any]) -> None:
        obj["spec"]["versions"][1]["served"] = False

    await world.change(world.definitions[""], "", NAME, hide)
    await until(lambda: entry.encoding(form) is None)


async def test_a_watch_by_a_field_that_is_not_selectable_any_more_ends() -> None:
    world = await begin()

    def select(*paths: str) -> Any:
        def change(obj: dict[str, Any]) -> None:
            version = obj["spec"]["versions"][0]
            properties = {name: {"type": "string"} for name in ("a", "b")}
            version["schema"]["openAPIV3Schema"]["properties"] = {"spec": {"type": "object", "properties": properties}}
            version["selectableFields"] = [{"jsonPath": path} for path in paths]

        return change

    await world.change(world.definitions[""], "", NAME, select(".spec.a", ".spec.b"))
    served = world.served.get(GROUP, "widgets")
    assert served is not None
    scope = served.scopes["v1"][""]
    assert scope.selectable_fields == ("spec.a", "spec.b")
    watches = [
        served.store.cache.watch(
            WatchOptions(build_selection(field_selector=field_selectors.parse(text))), scope.object_form
        )
        for text in ("spec.a=x", "spec.b=x", "metadata.name!=x")
    ]
    await world.change(world.definitions[""], "", NAME, select(".spec.a"))
    assert [watch.is_ended for watch in watches] == [False, True, False]
