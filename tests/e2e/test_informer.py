"""A real Python client that lists and watches as informers do, through a restart of the server."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any

import pytest
from kubernetes_asyncio import client, config, watch

from support.server import Server
from support.waiting import PATIENCE_S, until

pytestmark = pytest.mark.e2e

GROUP, PLURAL = "informer.example.com", "things"
DEFINITION = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"{PLURAL}.{GROUP}"},
    "spec": {
        "group": GROUP,
        "scope": "Namespaced",
        "names": {"plural": PLURAL, "kind": "Thing"},
        "versions": [
            {
                "name": "v1",
                "served": True,
                "storage": True,
                "schema": {"openAPIV3Schema": {"type": "object", "x-kubernetes-preserve-unknown-fields": True}},
            }
        ],
    },
}


class Informer:
    """list, then watch from the list's resourceVersion; when the watch ends, watch on from the last one seen, and list
    again when that is too old or the server is away."""

    def __init__(self, api: client.CustomObjectsApi) -> None:
        self._api = api
        self.known: dict[str, int] = {}
        self.lists = 0

    async def run(self) -> None:
        while True:
            try:
                await self._list_and_watch()
            except Exception:
                await asyncio.sleep(0.05)

    async def _list_and_watch(self) -> None:
        listing = await self._api.list_cluster_custom_object(GROUP, "v1", PLURAL)
        self.lists += 1
        self.known = {item["metadata"]["name"]: item["spec"]["n"] for item in listing["items"]}
        revision = listing["metadata"]["resourceVersion"]
        async with watch.Watch().stream(
            self._api.list_cluster_custom_object, GROUP, "v1", PLURAL, resource_version=revision
        ) as stream:
            async for event in stream:
                self._apply(event)

    def _apply(self, event: dict[str, Any]) -> None:
        name = event["object"]["metadata"]["name"]
        if event["type"] == "DELETED":
            self.known.pop(name, None)
        else:
            self.known[name] = event["object"]["spec"]["n"]


async def retry(call: Callable[[], Awaitable[Any]]) -> Any:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            try:
                return await call()
            except client.ApiException as error:
                if error.status != 404:
                    raise
                await asyncio.sleep(0.02)


def thing(name: str, n: int) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {"n": n}}


async def follow(server: Server) -> None:
    await config.load_kube_config(str(server.kubeconfig))
    async with client.ApiClient() as connection:
        await client.ApiextensionsV1Api(connection).create_custom_resource_definition(DEFINITION)
        api = client.CustomObjectsApi(connection)
        await retry(lambda: api.list_cluster_custom_object(GROUP, "v1", PLURAL))
        informer = Informer(api)
        task = asyncio.create_task(informer.run())
        await until(lambda: informer.lists > 0)
        await api.create_namespaced_custom_object(GROUP, "v1", "default", PLURAL, thing("a", 1))
        await api.create_namespaced_custom_object(GROUP, "v1", "default", PLURAL, thing("b", 1))
        await until(lambda: informer.known == {"a": 1, "b": 1})
        await asyncio.to_thread(server.terminate)
        await asyncio.to_thread(server.start)
        lists_before = informer.lists
        await api.patch_namespaced_custom_object(
            GROUP, "v1", "default", PLURAL, "a", {"spec": {"n": 2}}, _content_type="application/merge-patch+json"
        )
        await api.delete_namespaced_custom_object(GROUP, "v1", "default", PLURAL, "b")
        await until(lambda: informer.known == {"a": 2})
        assert informer.lists >= lists_before
        task.cancel()


def test_informer_survives_a_restart(tmp_path: Path) -> None:
    with Server(tmp_path / "data", keeps_port=True) as server:
        asyncio.run(follow(server))
