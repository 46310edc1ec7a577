"""What admission knows of a request, and what it may do with the request's object.

Source: apiserver/pkg/admission/{interfaces,attributes}.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Sequence
from typing import Any, Final, NamedTuple, Protocol

from quarterdeck.apimachinery import names
from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource, GroupVersionKind

CREATE: Final = "CREATE"
UPDATE: Final = "UPDATE"
DELETE: Final = "DELETE"
CONNECT: Final = "CONNECT"

Object = dict[str, Any]


class Equivalent(NamedTuple):
    """One address at which the objects of a resource are served, and the kind that is served there."""

    group: str
    version: str
    resource: str
    kind: GroupVersionKind


class MergeError(Exception):
    """Two objects cannot be merged; the text says why."""


class ObjectInterfaces(Protocol):
    """The kind of a request's object (upstream: admission.ObjectInterfaces and its EquivalentResourceMapper)."""

    @property
    def kind(self) -> GroupVersionKind:
        """The kind of the request's object: that of the address, or of its subresource (Scale …)."""

    @property
    def is_custom(self) -> bool:
        """Whether upstream has no Go type for it."""

    def refuse_mutation(self, kind: GroupVersionKind) -> str:
        """Why nothing that a policy makes of an object of that kind can be brought back into the request's; "" where it
        can be."""

    def is_served(self, kind: GroupVersionKind) -> bool:
        """Whether one of the kinds of `equivalents` is served in its version, so that its type is published."""

    def default(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        """What an apply configuration made, with the defaults of the version that it is in; `obj` may be changed. A
        built-in kind is brought into its typed form. `drops_nulls`: a null counts as it does in what is read. Raises
        MergeError where it does not fit its type."""

    def read_mutated(self, value: Any, kind: GroupVersionKind, *, is_strict: bool = False) -> Object:
        """What a JSON patch made of an object of that kind, read as a body is, with its defaults. Raises InternalError
        where it cannot be read, or has unknown fields and `is_strict`, Unreasoned where it is something else by now,
        and, where it `is_strict`, MergeError where that is of another version."""

    def convert(self, obj: Object, kind: GroupVersionKind) -> Object | Awaitable[Object]:
        """The object in another version, or in its own: in the request's version it is pruned, in others nothing is
        done to it. It may share with `obj`, and is another dict where the version is another. Raises APIStatus."""

    def bring_back(self, obj: Object, known: Object) -> Object | Awaitable[Object]:
        """What has become of the request's object `known`, in whatever version it was changed, as `convert` gives it in
        the request's. Raises APIStatus."""

    def merge(self, live: Object, patch: Object) -> Object:
        """What applying `patch` makes of `live`, as far as owners do not count; both are in the version that `live`
        names. Shares with both. Raises MergeError."""

    def equivalents(self) -> Sequence[Equivalent]:
        """All versions and groups that serve the resource (or subresource) from the same storage, this one among
        them."""


class Options(Protocol):
    """The options of a request."""

    def describe(self, operation: str) -> Object:
        """As an AdmissionReview shows them: CreateOptions, UpdateOptions or DeleteOptions of meta.k8s.io/v1."""


class Reinvocation:
    """Whether mutating plugins run a second time, and what they have to remember for it. `values` by plugin."""

    __slots__ = ("is_reinvoke", "is_requested", "values")

    def __init__(self) -> None:
        self.is_reinvoke = False
        self.is_requested = False
        self.values: dict[str, Any] = {}


class Attributes:
    """`obj` is None at a DELETE, `old` at a CREATE; `name` is "" where the server has yet to find one. `verb` of the
    request: that of an UPDATE may be `patch`.

    A mutating plugin gives a new object by `replace_object`, or changes `obj` in place: itself and its metadata, and
    nothing below, which `old` may share: it puts new values there. Nobody changes `old`. `warnings` become headers of
    the answer. `ends_s`: when the request ends, on the clock of the metrics; 0 where nobody has said.
    """

    __slots__ = (
        "annotations",
        "dry_run",
        "ends_s",
        "has_lost_metadata",
        "interfaces",
        "is_replaced",
        "name",
        "namespace",
        "obj",
        "old",
        "operation",
        "options",
        "reinvoking",
        "resource",
        "subresource",
        "user",
        "verb",
        "warnings",
    )

    def __init__(  # noqa: PLR0913 - admission knows this much
        self,
        operation: str,
        resource: APIResource,
        subresource: str,
        namespace: str,
        name: str,
        obj: Object | None,
        old: Object | None,
        user: User,
        options: Options,
        interfaces: ObjectInterfaces,
        warnings: list[str],
        annotations: dict[str, str],
        dry_run: bool,
    ) -> None:
        self.operation = operation
        self.resource = resource
        self.subresource = subresource
        self.namespace = namespace
        self.name = name
        self.obj = obj
        self.old = old
        self.user = user
        self.options = options
        self.interfaces = interfaces
        self.warnings = warnings
        self.annotations = annotations
        self.dry_run = dry_run
        self.verb = ""
        self.ends_s = 0.0
        self.is_replaced = False
        self.has_lost_metadata = False
        self.reinvoking: Reinvocation | None = None

    @property
    def kind(self) -> GroupVersionKind:
        """The kind of `obj` and `old`."""
        return self.interfaces.kind

    def replace_object(self, new: Object) -> None:
        """Make the object what `new` is. It stays the same dict, which others hold."""
        obj = self.obj
        assert obj is not None
        if new is not obj:
            obj.clear()
            obj.update(new)
        self.is_replaced = True

    def read_mutated(self, value: Any, kind: GroupVersionKind, *, is_strict: bool = False) -> Object:
        """What a JSON patch made, as an object of the kind. Its metadata may be no map any more."""
        lacks_metadata = isinstance(value, dict) and not isinstance(value.get("metadata", {}), dict)
        obj = self.interfaces.read_mutated(value, kind, is_strict=is_strict)
        self.has_lost_metadata = self.has_lost_metadata or lacks_metadata
        return obj

    @property
    def reinvocation(self) -> Reinvocation:
        found = self.reinvoking
        if found is None:
            found = self.reinvoking = Reinvocation()
        return found

    def annotate(self, key: str, value: str) -> None:
        """Add an annotation to the audit of the request. Raises ValueError for a bad key, and for another value of one
        that is there."""
        if key.count("/") != 1:
            raise ValueError(
                "annotation key has invalid format, the right format is a DNS subdomain prefix and '/' and key name. "
                "(e.g. 'podsecuritypolicy.admission.k8s.io/admit-policy')"
            )
        if problems := names.qualified_name(key):
            raise ValueError(
                f"annotation key has invalid format {','.join(problems)}. A qualified name like "
                "'podsecuritypolicy.admission.k8s.io/admit-policy' is required."
            )
        if self.annotations.setdefault(key, value) != value:
            raise ValueError(f"admission annotations are not allowd to be overwritten, key:{key!r}")


class Named(Protocol):
    """What `shown_name` needs of Attributes."""

    name: str
    obj: Object | None


def shown_name(attributes: Named) -> str:
    """What a refusal calls the object, which may have no name yet (upstream: extractResourceName)."""
    if attributes.name:
        return attributes.name
    metadata = (attributes.obj or {}).get("metadata") or {}
    return metadata.get("name") or metadata.get("generateName") or "Unknown"
