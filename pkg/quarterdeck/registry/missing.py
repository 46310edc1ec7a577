"""Why an object was not found, where that is not that there is none."""

from __future__ import annotations

from typing import Protocol

from quarterdeck.registry import keynames
from quarterdeck.registry.errors import interpret
from quarterdeck.storage.cacher import ResourceCache


class Objects(Protocol):
    """A store."""

    group: str
    resource: str
    namespaced: bool
    key_prefix: str
    shown_prefix: str
    cache: ResourceCache


def explain(objects: Objects, namespace: str, name: str, path: str) -> None:
    """Nothing is at the path that the namespace and the name make. Raises Unreasoned where nothing can be there,
    InternalError where it cannot be read."""
    if objects.namespaced:
        keynames.check_namespace(objects.shown_prefix, namespace, name)
    if objects.cache.damaged and objects.cache.is_unreadable(path):
        raise interpret(objects.cache.damage_of(objects.key_prefix + path), objects.group, objects.resource, name)
