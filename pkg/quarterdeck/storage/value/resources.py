"""Which transformer a resource's values go through, and what they are bound to.

Source: apiserver/pkg/server/options/encryptionconfig/config.go (transformerFromOverrides);
kubeapiserver/default_storage_factory_builder.go (where upstream stores what is not at the resource's own name).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from quarterdeck.apimachinery.typetables import reader
from quarterdeck.storage.value.transformer import IDENTITY, Transformer

GroupResource = tuple[str, str]
ANY: Final = "*"
_ROOT: Final = "/registry/"
_CORE: Final = "core"  # stands for the empty group in our keys
_GROUPS_IN_KEYS: Final = frozenset(("apiextensions.k8s.io", "apiregistration.k8s.io"))
_NAMES_IN_KEYS: Final = {
    "ingresses": "ingress",
    "services": "services/specs",
    "endpoints": "services/endpoints",
    "nodes": "minions",
    "replicationcontrollers": "controllers",
}
_BUILTIN_GROUPS: Final = frozenset(group for group, _ in reader.TABLES) - _GROUPS_IN_KEYS

Transformers = Mapping[GroupResource, Transformer]


def find(transformers: Transformers, group: str, resource: str) -> Transformer:
    """The one of the resource itself, of its group, or of everything; other values are left as they are."""
    return (
        transformers.get((group, resource))
        or transformers.get((group, ANY))
        or transformers.get((ANY, ANY))
        or IDENTITY
    )


class KeyPrefixes:
    """What the keys of one resource begin with here, and in upstream's etcd."""

    __slots__ = ("group", "here", "is_builtin", "resource", "upstream")

    def __init__(self, prefix: str) -> None:
        """`prefix`: "/registry/<group>/<resource>/"."""
        group, resource = prefix[len(_ROOT) : -1].split("/")
        self.group = "" if group == _CORE else group
        self.resource = resource
        self.here = prefix
        self.is_builtin = self.group in _BUILTIN_GROUPS
        self.upstream = f"{_ROOT}{_NAMES_IN_KEYS.get(resource, resource)}/" if self.is_builtin else prefix

    def context(self, key: str) -> bytes:
        return (self.upstream + key[len(self.here) :]).encode()


def prefix_of(key: str) -> str:
    """ "/registry/<group>/<resource>/" of a key; empty for one that is laid out otherwise."""
    parts = key.split("/", 4)
    return "/".join(parts[:4]) + "/" if len(parts) == 5 and key.startswith(_ROOT) else ""


class TransformerLookup:
    """What is to be used for a key, found once for each resource."""

    def __init__(self, transformers: Transformers) -> None:
        self._transformers = transformers
        self._known: dict[str, tuple[KeyPrefixes, Transformer]] = {}

    def of(self, key: str) -> tuple[KeyPrefixes, Transformer]:
        prefix = prefix_of(key)
        known = self._known.get(prefix)
        if known is None:
            if not prefix:
                return _NOWHERE, IDENTITY
            place = KeyPrefixes(prefix)
            known = place, find(self._transformers, place.group, place.resource)
            if len(self._known) < _RESOURCES_MAX:
                self._known[prefix] = known
        return known


_NOWHERE: Final = KeyPrefixes("/registry/core//")
_RESOURCES_MAX: Final = 20_000
