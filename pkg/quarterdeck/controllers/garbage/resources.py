"""What the garbage collector asks of a resource's metadata, wherever its objects are: here (local.py), or at the server
behind an APIService (remote.py).

Objects are found in the newest state that there is. What cannot be told is raised, so that nothing is ever taken for
gone that is not.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, Protocol

from quarterdeck.controllers.garbage.circuitbreaker import CircuitBreaker
from quarterdeck.controllers.garbage.graph import Node, Reference
from quarterdeck.registry.deletion import FINALIZER_FOREGROUND, Options

Metadata = dict[str, Any]


class UnknownKind(Exception):
    """An owner's kind is not served, or its record cannot be read: nothing can be said of the owner."""


class StoredMetadata(NamedTuple):
    """An object's metadata as of a revision. `is_large`: it is gone through beside the event loop."""

    metadata: Metadata
    revision: str
    is_large: bool = False


class OwnerState(NamedTuple):
    """`is_foreground`: under deletion, and waiting for its dependents."""

    uid: str
    is_foreground: bool


# The owners that one look at an object has read: thousands of references may name the same one.
Known = dict[object, OwnerState | None]


class OwnerKind(Protocol):
    """Where the owners of a kind are. `breaker` is that of the server that holds its objects; None: this one does. What
    is asked of another server raises ServerUnavailable where there is no answer."""

    @property
    def namespaced(self) -> bool: ...

    @property
    def breaker(self) -> CircuitBreaker | None: ...

    async def find_owner(self, namespace: str, reference: Reference, known: Known) -> OwnerState | None:
        """None: it is gone, or another object has its name. Raises UnknownKind where that cannot be told."""

    async def has(self, namespace: str, reference: Reference, known: Known) -> bool:
        """Whether that owner is known to be in a namespace."""


class Resource(OwnerKind, Protocol):
    """`key` names it in the graph. `api_versions`: those in which its kind is served."""

    @property
    def key(self) -> str: ...

    @property
    def api_version(self) -> str: ...

    @property
    def api_versions(self) -> frozenset[str]: ...

    @property
    def kind(self) -> str: ...

    async def find(self, namespace: str, name: str) -> StoredMetadata | None: ...

    async def delete(self, node: Node, options: Options) -> None:
        """Raises NotFound, Conflict."""

    async def change(self, node: Node, change: Callable[[Metadata], None]) -> None:
        """Store what `change` makes of the newest metadata. An object that is gone is fine."""


def read_state(metadata: Metadata) -> OwnerState:
    is_foreground = FINALIZER_FOREGROUND in (metadata.get("finalizers") or ())
    return OwnerState(metadata.get("uid") or "", is_foreground and bool(metadata.get("deletionTimestamp")))
