"""Definitions of a kind named Thing for tests against a running server, and their installation."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from support.golden.client import Client
from support.server import Server
from support.waiting import wait_for

PATH = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}


def version(schema: dict[str, Any] | None = None, name: str = "v1", *, is_storage: bool = True, **more: Any) -> Any:
    """One version of a definition. `more`: subresources and the like."""
    return {
        "name": name,
        "served": True,
        "storage": is_storage,
        "schema": {"openAPIV3Schema": ANYTHING if schema is None else schema},
        **more,
    }


def of_things(group: str, *versions: dict[str, Any], scope: str = "Namespaced") -> dict[str, Any]:
    """Without `versions` there is one, which takes anything."""
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"things.{group}"},
        "spec": {
            "group": group,
            "scope": scope,
            "names": {"plural": "things", "kind": "Thing"},
            "versions": list(versions) or [version()],
        },
    }


def scaled() -> dict[str, Any]:
    """A version whose objects have a scale."""
    paths = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
    return version(subresources={"scale": paths})


def install(client: Client, definition: dict[str, Any]) -> None:
    """Create the definition and wait until its objects can be listed."""
    answer = client("POST", PATH, definition)
    assert answer.code == 201, answer.text
    spec = definition["spec"]
    address = f"/apis/{spec['group']}/{spec['versions'][0]['name']}/{spec['names']['plural']}"
    wait_for(lambda: client("GET", address).code == 200)


@contextmanager
def serving_scaled_things(group: str) -> Iterator[Client]:
    """A server of its own, over plain HTTP."""
    with Server() as server:
        client = Client("127.0.0.1", server.plain_port)
        install(client, of_things(group, scaled()))
        yield client
