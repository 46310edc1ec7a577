"""What a KMS provider tells of its work, for metrics."""

from __future__ import annotations

from typing import Protocol


class Observer(Protocol):
    """Ids of keys are told as they are: whoever shows them hashes them."""

    def call(self, provider: str, method: str, code: str, seconds: float) -> None:
        """A call of the plugin; `method` as gRPC names it, `code` "OK" or that of the error."""

    def key_used(self, provider: str, direction: str, key_id: str) -> None:
        """A value was sealed or opened with this key."""

    def key_told(self, provider: str, key_id: str) -> None:
        """The plugin names this as its key."""

    def key_refused(self, provider: str, reason: str) -> None:
        """The plugin named a key by an id that cannot be."""

    def cache_missed(self) -> None:
        """The plugin has to be asked for a key."""

    def keys_cached(self, provider: str, count: int) -> None:
        """How many keys are held."""
