"""The namespaces of every cluster, made at each start where they are missing.

Source: pkg/controlplane/controller/systemnamespaces/system_namespaces_controller.go.
"""

from __future__ import annotations

from contextlib import suppress
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.controllers import ownwrites
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope

_NAMES: Final = ("default", "kube-system", "kube-public", "kube-node-lease")


async def create_missing(identity: Identity, namespaces: Scope) -> None:
    """`namespaces` is the scope of namespaces."""
    for name in _NAMES:
        if namespaces.store.cache.get("", name) is None:
            with suppress(errors.AlreadyExists):
                await create(identity, namespaces, name)


async def create(identity: Identity, namespaces: Scope, name: str) -> None:
    """Raises as the store and admission do."""
    obj = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": name}}
    await ownwrites.create(identity, namespaces, obj)
