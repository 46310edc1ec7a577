"""Encryption at rest in etcd: what is stored is sealed behind its encoding, as kube-apiserver does it.

    stored = seal(encoded object, context = the key of etcd)

So a kube-apiserver with the same EncryptionConfiguration and prefix reads what was written here, and the other way
round. Values of etcd are at most some 1.5 MiB: they are sealed and opened on the loop.

Source: apiserver/pkg/storage/etcd3/store.go (transformer, authenticatedDataString);
pkg/registry/core/rest/storage_core.go (serviceStorageConfig).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.storage import interface
from quarterdeck.storage.etcd3.values import Defaults, KubernetesValues
from quarterdeck.storage.value import resources
from quarterdeck.storage.value.transformer import IDENTITY, DecryptedValue, Transformer, TransformError

# The servers' own records, which kube-apiserver stores past its transformers.
_OWN: Final = frozenset(("/registry/core/ranges/", "/registry/core/masterleases/"))


class SealedValues:
    """`inner` makes the encoding. `transformers` may be replaced at any time; without any, values are stored as they
    are encoded, and what others have encrypted cannot be read."""

    def __init__(self, inner: KubernetesValues, transformers: resources.Transformers) -> None:
        self._inner = inner
        self.set_transformers(transformers)

    def use_defaults(self, defaults: Defaults) -> None:
        self._inner.use_defaults(defaults)

    def set_transformers(self, transformers: resources.Transformers) -> None:
        """From now on values are written by these, and read by them."""
        self._seals = bool(transformers)
        self._chosen = resources.TransformerLookup(transformers)

    @property
    def is_identity(self) -> bool:
        return not (self._seals or self._inner.has_old)

    def seal(self, key: str, there: bytes, value: bytes) -> bytes:
        """Raises Untransformable."""
        encoded = self._inner.seal(key, there, value)
        try:
            return self._find(key).seal(encoded, there)
        except TransformError as error:
            raise interface.Untransformable(key, str(error)) from error

    def open(self, key: str, there: bytes, stored: bytes) -> bytes:
        """Raises Untransformable, KeyWanted, ValueError."""
        return self._inner.open(key, there, self._opened(key, there, stored).data)

    def is_stale(self, key: str, there: bytes, stored: bytes) -> bool:
        """Whether it would be sealed otherwise now, or cannot be opened any more. Raises KeyWanted."""
        try:
            opened = self._opened(key, there, stored)
        except interface.Untransformable:
            return True
        return opened.is_stale or self._inner.is_old(key, opened.data)

    def _opened(self, key: str, there: bytes, stored: bytes) -> DecryptedValue:
        try:
            return self._find(key).open(stored, there)
        except TransformError as error:
            raise interface.Untransformable(key, str(error)) from error

    def _find(self, key: str) -> Transformer:
        return IDENTITY if resources.prefix_of(key) in _OWN else self._chosen.of(key)[1]
