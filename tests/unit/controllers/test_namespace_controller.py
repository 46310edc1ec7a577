"""How a namespace that is being deleted is emptied: pods first, what fails is told and tried again, then it goes."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apis.resource import APIResource
from quarterdeck.controllers.namespace import ContentError, NamespaceController
from quarterdeck.registry.builtin import resources, types
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.store import Update
from quarterdeck.storage.cacher import Cacher
from support.garbage import context
from support.memory_store import MemoryStore


class Place:
    """A Terminating namespace `n`, with the pod `p` and the config map `c` in it; the pod has a finalizer."""

    def __init__(self) -> None:
        self.cacher = Cacher(MemoryStore())

    async def start(self) -> Place:
        await self.cacher.start()
        assembly = resources.Assembly(self.cacher.storage, self.cacher, lambda _group, _kind: None)  # type: ignore[arg-type, return-value]
        by_kind = {one.resource.kind: one for one in resources.definitions()}
        namespaces = assembly.build(by_kind["Namespace"])
        pod = APIResource("", "v1", "pods", "pod", "Pod", "PodList", namespaced=True)
        pods = assembly.build(resources.Definition(pod, types.CONFIG_MAP, BuiltinStrategy(namespaced=True)))[""]
        maps = assembly.build(by_kind["ConfigMap"])[""]
        self.namespaces, self.pods, self.maps = namespaces[""], pods, maps
        self.controller = NamespaceController(
            namespaces[""], namespaces["status"], namespaces["finalize"], lambda: [maps, pods]
        )
        await self.create(self.namespaces, "Namespace", {"name": "n"})
        await self.create(pods, "Pod", {"name": "p", "namespace": "n", "finalizers": ["example.com/hold"]})
        await self.create(maps, "ConfigMap", {"name": "c", "namespace": "n"})
        await self.namespaces.store.delete(self.namespaces, "", "n", Options(), context())
        return self

    async def create(self, scope: Scope, kind: str, metadata: dict[str, Any]) -> None:
        obj: dict[str, Any] = {"apiVersion": "v1", "kind": kind, "metadata": metadata}
        scope.codec.normalize(obj, report_unknown=False)
        await scope.store.create(scope, obj, context())

    async def release_pod(self) -> None:
        async def transform(live: dict[str, Any] | None) -> dict[str, Any]:
            assert live is not None
            return {**live, "metadata": {**live["metadata"], "finalizers": []}}

        await self.pods.store.update(self.pods, "n", "p", Update(transform), context())

    def conditions(self) -> dict[str, tuple[str, str, str]]:
        entry = self.namespaces.store.cache.get("", "n")
        assert entry is not None
        found = json_codec.load(entry.data)["status"]["conditions"]
        return {one["type"]: (one["status"], one["reason"], one["message"]) for one in found}


@pytest.fixture
def place(runner: asyncio.Runner) -> Place:
    return runner.run(Place().start())


async def test_while_pods_are_left_nothing_else_goes(place: Place) -> None:
    await place.controller.sync("n")
    assert place.maps.store.cache.get("n", "c") is not None
    assert place.conditions()["NamespaceContentRemaining"] == (
        "True",
        "SomeResourcesRemain",
        "Some resources are remaining: pods has 1 resource instances",
    )
    assert place.conditions()["NamespaceFinalizersRemaining"][2] == (
        "Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances"
    )
    await place.release_pod()
    await place.controller.sync("n")
    assert place.maps.store.cache.get("n", "c") is None
    assert place.namespaces.store.cache.get("", "n") is None


async def test_what_cannot_be_deleted_is_told_and_tried_again(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    await place.release_pod()

    async def refuse(*_: object) -> None:
        raise errors.InternalError("conversion webhook failed")

    with monkeypatch.context() as patch:
        patch.setattr(place.maps.store, "delete", refuse)
        with pytest.raises(ContentError):
            await place.controller.sync("n")
    assert place.conditions()["NamespaceDeletionContentFailure"][:2] == ("True", "ContentDeletionFailed")
    assert place.conditions()["NamespaceDeletionContentFailure"][2].startswith(
        "Failed to delete all resource types, 1 remaining: "
    )
    assert place.conditions()["NamespaceContentRemaining"][0] == "True"
    await place.controller.sync("n")
    assert place.namespaces.store.cache.get("", "n") is None
