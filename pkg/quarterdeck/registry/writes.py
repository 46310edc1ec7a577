"""The values that handlers and the generic store exchange: what a write is made of, and what it gives."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Protocol

from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.strategy import Codec, Object, Reservation, Strategy


class WriteResult:
    """An object as it stands in the store (or would stand, at a dry run). `data` is JSON in the storage version with
    its resourceVersion. `deleted` tells that the write removed it; a delete tells the `uid` of what is gone, so that
    nobody has to read it again."""

    __slots__ = ("created", "data", "deleted", "name", "namespace", "revision", "uid")

    def __init__(
        self,
        namespace: str,
        name: str,
        revision: int,
        data: bytes,
        created: bool = False,
        deleted: bool = False,
        uid: str = "",
    ) -> None:
        self.namespace = namespace
        self.name = name
        self.revision = revision
        self.data = data
        self.created = created
        self.deleted = deleted
        self.uid = uid


class Version(Protocol):
    """What the store needs to know of the version that a request came in."""

    @property
    def resource(self) -> APIResource: ...
    @property
    def codec(self) -> Codec: ...
    @property
    def strategy(self) -> Strategy: ...


class Unseen:
    """What of a write's object nobody will see. `may_hold_unknown`: perhaps it holds what its schema does not have
    (Codec.reread), since it came as one of another kind, or from an apply, or admission has made it another one.
    `is_stored_otherwise`: upstream would store more or less than is shown (emptymembers.py).

    Handlers, admission and the store all add to it. By itself: admission and the context of a write would hold each
    other, and the object, until the collector comes."""

    __slots__ = ("is_stored_otherwise", "may_hold_unknown")

    def __init__(self) -> None:
        self.is_stored_otherwise = False
        self.may_hold_unknown = False

    def clear(self) -> None:
        """The write begins again, with another object."""
        self.is_stored_otherwise = self.may_hold_unknown = False


class WriteContext:
    """What belongs to one write beside the object. `warnings` is filled for the client.

    `admit` is called with (new, old or None) after the object is prepared and valid: validating admission; it raises.
    It answers at once (None) or hands back what is to be awaited. `is_large`: the body or the live object is, so that
    the steps of the write that take long are run beside the event loop (offload.py). `reserved`: what the write holds
    now.
    """

    __slots__ = ("admit", "dry_run", "is_large", "reserved", "unseen", "warnings")

    def __init__(
        self,
        dry_run: bool,
        warnings: list[str],
        admit: Callable[[Object, Object | None], Awaitable[None] | None] | None = None,
        is_large: bool = False,
        unseen: Unseen | None = None,
    ) -> None:
        self.dry_run = dry_run
        self.warnings = warnings
        self.admit = admit
        self.is_large = is_large
        self.reserved: Reservation | None = None
        self.unseen = Unseen() if unseen is None else unseen

    def reserve(self, reserved: Reservation | None) -> Awaitable[None] | None:
        """Hold it; what has to be awaited before it is held."""
        self.reserved = reserved
        return None if reserved is None else reserved.claim()

    def keep(self) -> None:
        """The write has stored what is reserved."""
        if self.reserved is not None:
            self.reserved.keep()

    def release(self) -> Awaitable[None] | None:
        """The outcome of the write is known, or it was never tried. What is to be awaited until all is free."""
        reserved, self.reserved = self.reserved, None
        return None if reserved is None else reserved.release()


class Update:
    """`transform` makes the new object from the live one (None: absent), at once or when it is awaited; it is called
    again after a conflict.

    `creates`: an absent object is created from what `transform(None)` gives. `precondition_uid`: "" for any.
    `transform_current` is called instead for an object in which `normalize` would change nothing (Codec.is_current).
    """

    __slots__ = ("creates", "precondition_uid", "transform", "transform_current")

    def __init__(
        self,
        transform: Callable[[Object | None], Object | Awaitable[Object]],
        creates: bool = False,
        precondition_uid: str = "",
        transform_current: Callable[[Object | None], Object | Awaitable[Object]] | None = None,
    ) -> None:
        self.transform = transform
        self.creates = creates
        self.precondition_uid = precondition_uid
        self.transform_current = transform_current
