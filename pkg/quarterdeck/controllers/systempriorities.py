"""Makes the priority classes that every server has, where they are missing at its start.

Source: pkg/registry/scheduling/rest/storage_scheduling.go (AddSystemPriorityClasses).
"""

from __future__ import annotations

from quarterdeck.apimachinery import errors
from quarterdeck.controllers import ownwrites
from quarterdeck.registry.builtin.scheduling.priorityclass import SYSTEM_CLASSES
from quarterdeck.registry.identity import Identity
from quarterdeck.registry.scope import Scope


async def create_missing(identity: Identity, classes: Scope) -> None:
    """`classes` is the scope of priority classes."""
    for name, value, description in SYSTEM_CLASSES:
        if classes.store.cache.get("", name) is not None:
            continue
        obj = {
            "apiVersion": "scheduling.k8s.io/v1",
            "kind": "PriorityClass",
            "metadata": {"name": name},
            "value": value,
            "description": description,
        }
        try:
            await ownwrites.create(identity, classes, obj)
        except errors.AlreadyExists:
            continue
