"""What a storage backend promises: etcd's meaning in a small interface.

A store has one revision, which rises with every write. A key has the revision of its last write; writes compare it
(compare-and-swap). Ranges can be read at an older revision until it is compacted away. Every commit is fed to one
sink, in revision order, before the futures of its writes resolve: a caller that awaited a write reads it back.

Nothing is visible (through a read, the feed or a resolved future) before it is durable.

The freshness contract between a store and the cache that its feed fills. The embedded store has one writer, this
process, and tells its sink of a commit before anybody else: the cache is never behind. Other processes write to a store
that `lags`: the cache shows some older revision of it, at every moment a state that was, and never goes back.

    kind of read            may be answered from the cache
    get, list at "0"        as it is
    get, list at N          once it has reached N (`Shared.wait_for`; the store is asked to hasten by `seek`)
    list, exactly N         where its window of changes reaches N; else read from the store
    list without a revision once it has reached the store's revision of after the request came (`current_revision`);
                            where the store's feed cannot be hastened: read from the store
    get without a revision  the same; where the cache does not come so far within a moment: read from the store
    update, delete          as a guess: the write compares the revision, so that no stale object is ever replaced. Any
                            other outcome of the guess (a refusal, no change, no object) counts only once the store
                            has said that the object is the newest; else all is done again with the newest

A write's future resolves after its event was fed, so that who awaited it reads it back; a store that lags gives up
waiting for its feed after a bound, and the write's revision tells how new a read has to be.

Keys are laid out as kube-apiserver lays them out (`/registry/<group>/<resource>[/<namespace>]/<name>`), values are
the object as JSON in its storage version, without `metadata.resourceVersion`.

Source of the semantics: etcd's API guarantees (v3.6); apiserver/pkg/storage/interfaces.go.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple, Protocol

VALUE_BYTES_MAX: Final = 4 << 20
"""What a value may have at most (a body of 3 MiB, with room for managedFields); more is TooLarge."""


class KeyValue(NamedTuple):
    """`value` as it was written; `revision` of its last write; `create_revision` of the write that made the key."""

    key: str
    value: bytes
    revision: int
    create_revision: int


class Event(NamedTuple):
    """One write. `value` is None for a deletion. `created` tells a create from an update.

    `hint` is what the writer passed along for the sink (attributes it had at hand, so that the value need not be
    decoded again); a backend that other processes write to gives None for their writes. What another one wrote and
    cannot be read here has the Corrupt that says why as its hint, and no value.
    """

    key: str
    value: bytes | None
    revision: int
    created: bool
    hint: object


Sink = Callable[[Sequence[Event], int], None]
"""Called on the event loop with the events of one commit, in revision order, and the store's revision after it. A store
that lags may give several commits at once, deletions of one revision (leases that ran out), and no events at all."""

Told = Callable[[int, BaseException | None], None]
"""What is told a revision, or 0 and why there is none."""


@dataclass(frozen=True, slots=True)
class RangeResult:
    """`items` in key order, all as of `revision`; `remaining` counts the keys after the last item (0: none)."""

    items: list[KeyValue]
    revision: int
    remaining: int


class StorageError(Exception):
    """Internal: registry/errors.py alone turns these into answers."""


class KeyExists(StorageError):
    def __init__(self, key: str) -> None:
        super().__init__(f"key exists: {key}")
        self.key = key


class KeyNotFound(StorageError):
    def __init__(self, key: str) -> None:
        super().__init__(f"key not found: {key}")
        self.key = key


class RevisionConflict(StorageError):
    """The key's revision is another than the expected one. `current` is that other."""

    def __init__(self, key: str, expected: int, current: int) -> None:
        super().__init__(f"revision of {key} is {current}, expected {expected}")
        self.key, self.expected, self.current = key, expected, current


class Compacted(StorageError):
    """The asked revision has been compacted away."""

    def __init__(self, revision: int, compacted: int) -> None:
        super().__init__(f"revision {revision} is compacted (up to {compacted})")
        self.revision, self.compacted = revision, compacted


class FutureRevision(StorageError):
    """The asked revision is newer than the store's."""

    def __init__(self, revision: int, current: int) -> None:
        super().__init__(f"revision {revision} is in the future (current {current})")
        self.revision, self.current = revision, current


class Corrupt(StorageError):
    """A stored record does not match its checksum. `is_key_certain` False: it may be any object's of that resource."""

    def __init__(self, key: str, detail: str, *, is_key_certain: bool = True) -> None:
        super().__init__(f"corrupt record of {key}: {detail}")
        self.key = key
        self.detail = detail
        self.is_key_certain = is_key_certain


class Untransformable(Corrupt):
    """A value cannot be encrypted, or decrypted with the keys that there are now. `detail` tells nothing of the value;
    clients see it. What cannot be read may become readable."""

    def __str__(self) -> str:
        return f"unable to transform {self.key}: {self.detail}"


class Lost(StorageError):
    """The store, or writes that it acknowledged, are missing from its files. Nothing has been touched."""


class SpaceExceeded(StorageError):
    """The disk is full: the write was rolled back and certainly did not happen."""


class TooLarge(StorageError):
    """The value is larger than the backend takes; the write certainly did not happen."""


class Unavailable(StorageError):
    """The outcome of the write is unknown, or the store has stopped acknowledging (a failed fsync)."""


class StoreFailed(Unavailable):
    """A store of several machines says why, in words that clients and operators know: `text`."""

    def __init__(self, text: str) -> None:
        super().__init__(text)
        self.text = text


class InUse(StorageError):
    """Another process has the store open."""

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is in use by another process")
        self.path = path


class UnknownFormat(StorageError):
    """The store was written by a newer release or by another program; it has not been touched."""


class Storage(Protocol):
    """A backend. All methods run on the event loop's thread; what they hand back is awaited for the durable answer."""

    @property
    def lags(self) -> bool:
        """Whether other processes write to the store, so that `revision` may be behind it. Never changes."""

    @property
    def revision(self) -> int:
        """The newest durable revision; of a store that lags, the newest one that the feed has told."""

    def current_revision(self) -> Awaitable[int]:
        """The store's revision at some moment between the call and its answer. Raises Unavailable."""

    @property
    def tell_revision(self) -> Callable[[Told], None] | None:
        """As `current_revision`, by a call in a later turn of the loop: with the revision, or with 0 and what was
        raised. None of a store that does not lag: it has `revision`."""

    def seek(self, revision: int) -> bool:
        """Have the feed tell soon that it has come to `revision` (the sink gets no events then). False: it cannot be
        hastened, and may stay silent until the next write."""

    @property
    def is_stale(self) -> Callable[[str], Awaitable[bool]] | None:
        """Tells of a key whether its value would be stored as other bytes now, so that even an update without a change
        has to be written; None where values are stored as they are given."""

    @property
    def compacted_revision(self) -> int:
        """Reads below this revision raise Compacted."""

    def create(self, key: str, value: bytes, hint: object = None) -> Awaitable[int]:
        """Write a key that must not exist. Returns its revision. Raises KeyExists, TooLarge, SpaceExceeded,
        Unavailable."""

    def update(self, key: str, value: bytes, expected_revision: int, hint: object = None) -> Awaitable[int]:
        """Replace a key whose revision must be `expected_revision`. Raises KeyNotFound, RevisionConflict, …"""

    def delete(self, key: str, expected_revision: int, hint: object = None) -> Awaitable[int]:
        """Remove a key whose revision must be `expected_revision`. Returns the deletion's own revision."""

    async def get(self, key: str, revision: int = 0) -> KeyValue | None:
        """The key as of `revision` (0: newest durable). Raises Compacted, FutureRevision, Corrupt."""

    async def range(self, prefix: str, *, start_key: str = "", limit: int = 0, revision: int = 0) -> RangeResult:
        """The keys that begin with `prefix`, from `start_key` on, as of `revision` (0: newest durable).

        `limit` 0 means all. Raises Compacted, FutureRevision, Corrupt.
        """

    def load_all(
        self, batch_rows: int = 1000, corrupt: Callable[[Corrupt], None] | None = None
    ) -> AsyncIterator[list[KeyValue]]:
        """Everything that lives, batch by batch, in no particular order: how a cache fills itself at the start.

        All as of `revision` when the first batch is asked for. A record that cannot be read is told to `corrupt` and
        left out; without it, it is raised. Raises Compacted if the store is compacted beyond that revision meanwhile.
        """

    async def events(self, prefix: str, after_revision: int, *, limit: int = 0) -> list[Event]:
        """The writes below `prefix` with a revision greater than `after_revision`, oldest first; hints are None.

        `limit` 0 means all. Raises Compacted when some of them may be gone (`after_revision` < compacted_revision).
        """

    def subscribe(self, sink: Sink) -> None:
        """Name the one sink of the feed; called once, before the first write."""

    async def compact(self, revision: int) -> None:
        """Forget what was superseded at or before `revision`. Raises Compacted, FutureRevision."""

    async def close(self) -> None:
        """Finish the commits under way and release the store."""
