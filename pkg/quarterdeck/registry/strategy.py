"""What one resource does of its own while its objects are written: the seam between the generic store and a kind.

A strategy works on decoded objects in the version of the request. It never stores and never answers.
Source: apiserver/pkg/registry/rest/{create,update,delete}.go (RESTCreateStrategy, RESTUpdateStrategy).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from quarterdeck._kernels import json as json_kernel
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apis.resource import APIResource, GroupVersionKind
from quarterdeck.registry.deletion import Options

Object = dict[str, Any]


class Reservation(Protocol):
    """What a write holds until its outcome is known (addresses, ports …)."""

    def claim(self) -> Awaitable[None] | None:
        """Called first, and awaited where other servers may take the same. Raises APIStatus."""

    def keep(self) -> None:
        """The object was stored with it."""

    def release(self) -> Awaitable[None] | None:
        """The write is over: what it stored is known from the store, anything else is free again."""


class WriteHooks(Protocol):
    """What a kind does before an object is prepared and validated: it fills in what has to be reserved for it.

    Each gives the reservation of one write, None where nothing is reserved; a dry run reserves nothing. Each may refuse
    the object (APIStatus), and then holds nothing. The store releases a reservation after the commit or the failure of
    the write, and keeps it where the outcome is unknown.
    """

    def begin_create(self, obj: Object, *, dry_run: bool) -> Reservation | None: ...

    def begin_update(self, new: Object, old: Object, *, dry_run: bool) -> Reservation | None: ...


# What is wrong with an object; a function where finding out takes long, for a thread to run.
Problems = list[FieldError] | Callable[[], list[FieldError]]


class NotConvertible(Exception):
    """What server-side apply made is no object of the kind; the text says why. `told`: what could not be done, with a
    place for the object."""

    def __init__(self, text: str, told: str = "failed to convert new object ({}) to proper version") -> None:
        super().__init__(text)
        self.told = told


class NotDefaultable(BadRequest):
    """Defaulting cannot read an object of the kind; `text` says why, without the kind."""

    text = ""


class Strategy(Protocol):
    """`allow_unconditional_update`: a PUT without resourceVersion replaces whatever is there.
    `allow_create_on_update`: a PUT to an absent name creates. `is_applied_whole`: so does an apply to this subresource.
    `generates_names`: a name that is made of generateName ends with something that nobody has guessed.
    `hooks`: None for a kind that reserves nothing."""

    allow_unconditional_update: bool
    allow_create_on_update: bool
    is_applied_whole: bool
    generates_names: bool
    hooks: WriteHooks | None

    def prepare_for_create(self, obj: Object) -> None:
        """Set what the server owns and drop what a client may not set."""

    def prepare_for_update(self, new: Object, old: Object) -> None: ...

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        """Whether upstream stores the object without something that whoever reads it finds set (emptymembers.py), and
        that is set here, as is whatever else admission does not see. It is asked last, of what is about to be stored,
        and may be asked again."""

    def validate(self, obj: Object, warnings: list[str]) -> Problems:
        """All reasons to refuse a new object, its metadata included. Texts for the client go to `warnings`."""

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> Problems: ...

    def check_preconditions(
        self, group: str, resource: APIResource, metadata: dict[str, Any], revision: int, options: Options
    ) -> None:
        """Raises Conflict where a delete names another uid or resourceVersion, in the words of the resource."""

    def mark(self, obj: Object, options: Options) -> Object | None:
        """What a delete leaves: None (nothing), or the object as it waits for its finalizers; `obj` itself where an
        earlier delete has done all that there is to do."""

    def is_finished(self, obj: Object) -> bool:
        """Whether an update has taken the last thing that held an object under deletion."""


class Codec(Protocol):
    """Between a version's decoded objects and the stored bytes.

    `normalize` prunes, defaults and type-checks a body in place and returns the unknown fields' paths; it raises
    BadRequest where the body cannot be read as the kind. `decode` gives a stored object in this version (fresh, the
    caller may change it). `encode` gives the value to store: canonical member order, no resourceVersion.
    `waits`: `decode` and `encode` may need a conversion that has to be awaited (awaited.ConversionNeeded).
    `awaited_version`: the apiVersion to which `encode` awaits conversions; "" where it awaits none.
    `reads_what_it_writes`: `decode` can be given what it would read of a value that `encode` made (hotobjects.py).
    """

    waits: bool
    awaited_version: str
    reads_what_it_writes: bool

    def normalize(self, obj: Object, *, report_unknown: bool) -> list[str]: ...

    def normalize_applied(self, obj: Object, *, is_kept: bool = False) -> tuple[bool, bool]:
        """`normalize` for what server-side apply made, which upstream does not decode: it refuses no null. Whether
        `reread` may drop something, and whether upstream would store what is dropped here: empty members of metadata.
        `is_kept`: it is what there was. Raises NotConvertible."""

    def normalize_foreign(self, obj: Object, *, report_unknown: bool) -> list[str]:
        """`normalize` for a body of another kind or version, as far as upstream decodes one before it refuses it."""

    def decode(self, data: bytes, read: Object | None = None) -> Object:
        """`read`: what the text of `data` is, where that is known already; the caller gives it up. Nobody changes in
        place what is below metadata.managedFields."""

    def is_current(self, data: bytes) -> bool:
        """Whether `decode` gives the object as `normalize` leaves one, so that a patched one may share with it."""

    def encode(self, obj: Object) -> bytes: ...

    def as_stored(self, obj: Object) -> Object:
        """The object as whoever reads it will find what storing does not tell apart; itself where that is all."""

    def default(self, obj: Object, unknown: list[str] | None = None) -> Object:
        """What a JSON patch of admission made of an object: with the defaults of the version that it is in. `unknown`:
        where to tell of the fields that the kind does not have. Raises BadRequest."""

    def default_configured(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        """The same of what an apply configuration made, which upstream does not read as JSON: with `drops_nulls` it is
        as if it did. Raises NotConvertible."""

    def check_mutated(self, value: Any, kind: GroupVersionKind) -> Object:
        """What a JSON patch of admission made of an object of the kind. Raises BadRequest, Unreasoned (mutated.py)."""

    def convert(self, obj: Object, api_version: str) -> Object | Awaitable[Object]:
        """The object in another version, or its own; for admission. Nothing is pruned."""

    def bring_back(self, obj: Object, known: Object, api_version: str) -> Object | Awaitable[Object]:
        """What admission made of the object `known`, in whatever version, as `convert` gives it in this one."""

    def reread(self, obj: Object) -> bool:
        """Make an object that is to be stored what reading it would make of it: without what the version does not have,
        and with its defaults. Whether upstream stores another."""

    def encode_unconverted(self, obj: Object) -> bytes:
        """As `encode`, but in this version: for an answer with an object that is stored no more. Converting it to the
        stored version would lose what that version does not have."""


def copy_object(obj: Object) -> Object:
    """A copy that a writer may change down to the members of metadata: nobody changes deeper in place."""
    copied = dict(obj)
    metadata = copied.get("metadata")
    if isinstance(metadata, dict):
        copied["metadata"] = dict(metadata)
    return copied


def copy_value(obj: Object) -> Object:
    """A copy of all of it, at any depth."""
    copied: Object = json_kernel.copy(obj)
    return copied
