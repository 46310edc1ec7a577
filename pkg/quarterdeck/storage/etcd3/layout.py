"""Which key of etcd holds what is kept under a key of ours.

    ours                                         etcd's, as kube-apiserver lays it out
    /registry/core/pods/NS/NAME                  PREFIX/pods/NS/NAME
    /registry/core/services/NS/NAME              PREFIX/services/specs/NS/NAME
    /registry/apps/deployments/NS/NAME           PREFIX/deployments/NS/NAME
    /registry/apiextensions.k8s.io/…             PREFIX/apiextensions.k8s.io/…
    /registry/GROUP/RESOURCE/…                   PREFIX/GROUP/RESOURCE/…

Keys below PREFIX that belong to no known resource are nobody's here.

Source: kubernetes/pkg/kubeapiserver/default_storage_factory_builder.go (SpecialDefaultResourcePrefixes);
apiserver/pkg/server/storage/storage_factory.go (ResourcePrefix).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from quarterdeck.storage.etcd3.settings import ROOT
from quarterdeck.storage.value.resources import KeyPrefixes


class Layout(Protocol):
    def to_etcd(self, key: str) -> bytes:
        """Of a key, or of the beginning of keys that ends behind a resource's name."""

    def from_etcd(self, key: bytes) -> str | None:
        """None: nobody's."""

    def span(self, prefix: str) -> tuple[bytes, bytes]:
        """First key, and the first one behind, of all that begin with a prefix."""


def end_of(prefix: bytes) -> bytes:
    """The first key behind all that begin with `prefix`, whose last byte is not 0xff."""
    return prefix[:-1] + bytes((prefix[-1] + 1,))


class SameKeys:
    """Keys as they are."""

    def __init__(self, prefix: str = ROOT) -> None:
        self._prefix = prefix

    def to_etcd(self, key: str) -> bytes:
        return (self._prefix + key.removeprefix(ROOT)).encode()

    def from_etcd(self, key: bytes) -> str | None:
        try:
            text = key.decode()
        except UnicodeDecodeError:
            return None
        return ROOT + text[len(self._prefix) :] if text.startswith(self._prefix) else None

    def span(self, prefix: str) -> tuple[bytes, bytes]:
        first = self.to_etcd(ROOT if ROOT.startswith(prefix) else prefix)
        return first, end_of(first)


class KubernetesKeys(SameKeys):
    """`builtin`: group and resource of all kinds that are not custom ones. `has_custom`: the others are here too."""

    def __init__(self, builtin: Iterable[tuple[str, str]], prefix: str = ROOT, *, has_custom: bool = True) -> None:
        super().__init__(prefix)
        self._has_custom = has_custom
        self._there: dict[str, str] = {}  # what keys of a resource begin with, ours to etcd's, without the roots
        self._here: dict[str, str] = {}
        for group, resource in builtin:
            place = KeyPrefixes(f"{ROOT}{group or 'core'}/{resource}/")
            here, there = place.here[len(ROOT) :], place.upstream[len(ROOT) :]
            self._there[here] = there
            self._here.setdefault(there, here)

    def to_etcd(self, key: str) -> bytes:
        here = _first_two(key, len(ROOT))
        there = self._there.get(here)
        if there is None:
            return super().to_etcd(key)
        return (self._prefix + there + key[len(ROOT) + len(here) :]).encode()

    def from_etcd(self, key: bytes) -> str | None:
        try:
            text = key.decode()
        except UnicodeDecodeError:
            return None
        at = len(self._prefix)
        if not text.startswith(self._prefix):
            return None
        two = _first_two(text, at)
        one = two[: two.find("/") + 1]
        for there in (two, one):
            here = self._here.get(there)
            if here is not None:
                return ROOT + here + text[at + len(there) :]
        is_custom = self._has_custom and "." in one and two.count("/") == 2 and len(text) > at + len(two)
        return ROOT + text[at:] if is_custom else None


def _first_two(key: str, at: int) -> str:
    """ "GROUP/RESOURCE/" of a key, whose root ends at `at`; less where there is less."""
    first = key.find("/", at)
    second = key.find("/", first + 1) if first >= 0 else -1
    return key[at : second + 1] if second >= 0 else key[at:]
