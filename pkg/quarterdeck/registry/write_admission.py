"""Admission of one write: mutating plugins run before the object is complete, validating ones after.

Both see the same attributes. They finish at once (None) unless a plugin has to be awaited, so that a write without
webhooks runs from the request to the store without a coroutine for each step.

Source: apiserver/pkg/endpoints/handlers/{create,update,patch,delete}.go, fieldmanager/admission.go,
apiserver/pkg/registry/rest/{create,update,delete}.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from quarterdeck.admission.attributes import CREATE, DELETE, UPDATE, Attributes, ObjectInterfaces, Options
from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors, offload, questions
from quarterdeck.apimachinery.questions import Unanswered
from quarterdeck.apimachinery.user import User
from quarterdeck.fieldmanager import managed
from quarterdeck.registry import awaited, owners
from quarterdeck.registry.deletion_options import DeletionOptions
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.writes import Unseen, WriteContext

_BAD_MANAGED_FIELDS: Final = (
    ".metadata.managedFields was in an invalid state after admission; this could be caused by an outdated mutating "
    "admission controller; please fix your requests: "
)


class Origin:
    """Where writes come from: who makes them, and what belongs to the request that they are part of. `name` is "" where
    each object tells its own. `ends_s` is that of admission's Attributes."""

    __slots__ = (
        "annotations",
        "dry_run",
        "ends_s",
        "name",
        "namespace",
        "options",
        "user",
        "verb",
        "warnings",
    )

    def __init__(
        self,
        user: User,
        namespace: str,
        name: str,
        options: Options,
        *,
        dry_run: bool,
        warnings: list[str],
        annotations: dict[str, str],
        verb: str = "",
    ) -> None:
        self.user = user
        self.verb = verb
        self.namespace = namespace
        self.name = name
        self.options = options
        self.dry_run = dry_run
        self.warnings = warnings
        self.annotations = annotations
        self.ends_s = 0.0


class WriteAdmission:
    """Admission of a create, an update or a patch. After a conflict of writers it starts again with `mutate`.
    `interfaces`: of the object that admission is shown, where that is not the scope's (a Scale). `confirm_create`: what
    an update or a patch calls before it validates an object that is not there yet; it raises where the user may not
    create any."""

    __slots__ = (
        "_attributes",
        "_chain",
        "_interfaces",
        "_is_unnamed",
        "_origin",
        "_scope",
        "_unseen",
        "confirm_create",
    )

    def __init__(self, chain: Chain, scope: Scope, origin: Origin, interfaces: ObjectInterfaces | None = None) -> None:
        self._chain = chain
        self._scope = scope
        self._origin = origin
        self._interfaces: ObjectInterfaces = scope if interfaces is None else interfaces
        self._attributes: Attributes | None = None
        self._is_unnamed = False
        self._unseen = Unseen()
        self.confirm_create: Callable[[], None] | None = None

    def context(self, *, is_large: bool = False) -> WriteContext:
        origin = self._origin
        return WriteContext(origin.dry_run, origin.warnings, self.validate, is_large, self._unseen)

    def mutate(self, new: Object, old: Object | None) -> Awaitable[None] | None:
        """Raises Forbidden before any plugin is asked where nothing can be created now."""
        attributes = self._describe(new, old)
        if old is None and (refusal := self._scope.create_refusal):
            resource = self._scope.resource
            raise errors.Forbidden.of(resource.group, resource.name, attributes.name, refusal)
        before = new["metadata"].get("managedFields")
        waiting = self._chain.admit(attributes)
        if waiting is not None or owners.has_many(new):
            return self._mutate(waiting, attributes, new, before)
        self._finish(attributes, new, before)
        return None

    async def _mutate(
        self, waiting: Awaitable[None] | None, attributes: Attributes, new: Object, before: list[Object] | None
    ) -> None:
        if waiting is not None:
            await waiting
        if owners.has_many(new):
            await offload.run(self._finish, attributes, new, before)
        else:
            self._finish(attributes, new, before)

    def _finish(self, attributes: Attributes, new: Object, before: list[Object] | None) -> None:
        warnings = self._origin.warnings
        if attributes.has_lost_metadata and attributes.operation == CREATE and self._scope.is_custom:
            raise errors.InternalError.of("system metadata was not initialized")
        if attributes.is_replaced:
            self._unseen.may_hold_unknown = True
            _check_managed_fields(new, before, warnings)
            if not self._origin.dry_run:  # nobody stores it
                new["metadata"].pop("selfLink", None)
        owners.drop_repeated(new, warnings, is_admitted=True)

    def transform(self, new: Object, old: Object | None) -> Object | Awaitable[Object]:
        """`new` after the mutating pass."""
        waiting = self.mutate(new, old)
        return new if waiting is None else _result_of(waiting, new)

    def transform_made(
        self, make: Callable[[Object | None], Object], context: WriteContext, old: Object | None
    ) -> Object | Awaitable[Object]:
        """What `make` gives of the live object, after the mutating pass. `make` is no function nested in a handler:
        compiled, two nested functions of which one calls the other hold each other, and all that they work on, until
        the collector comes."""
        if self._scope.codec.waits or context.is_large:
            return self.transform_aside(make, old)
        return self.transform(make(old), old)

    async def transform_aside(self, make: Callable[[Object | None], Object], old: Object | None) -> Object:
        """What `make` gives, run beside the event loop or with the conversions that it needs, after the mutating
        pass."""
        new = await awaited.run(make, old, waits=self._scope.codec.waits)
        waiting = self.mutate(new, old)
        if waiting is not None:
            await waiting
        return new

    def validate(self, new: Object, old: Object | None) -> Awaitable[None] | None:
        if old is None and self.confirm_create is not None:
            try:
                self.confirm_create()
            except Unanswered:
                return self._confirm_and_validate(self.confirm_create, new)
        return self._validate(new, old)

    async def _confirm_and_validate(self, confirm: Callable[[], None], new: Object) -> None:
        await questions.settle(confirm)
        waiting = self._validate(new, None)
        if waiting is not None:
            await waiting

    def _validate(self, new: Object, old: Object | None) -> Awaitable[None] | None:
        attributes = self._attributes
        if attributes is None or (old is None) != (attributes.old is None):
            attributes = self._describe(new, old)
        else:
            attributes.obj, attributes.old = new, old
            if self._is_unnamed:  # the name has been generated meanwhile
                attributes.name = new["metadata"].get("name", "")
        return self._chain.validate(attributes)

    def _describe(self, new: Object, old: Object | None) -> Attributes:
        found = describe(self._scope, self._origin, UPDATE if old is not None else CREATE, new, old, self._interfaces)
        self._attributes = found
        self._is_unnamed = not found.name
        return found


async def _result_of(waiting: Awaitable[None], new: Object) -> Object:
    await waiting
    return new


class DeletionAdmission:
    """Admission of deletions: both passes see the object that is to go. `of_collection`: the options are those of many,
    and told as they were sent, since each deletion sets its own in a copy."""

    __slots__ = ("_chain", "_of_collection", "_origin", "_scope")

    def __init__(self, chain: Chain, scope: Scope, origin: Origin, *, of_collection: bool = False) -> None:
        self._chain = chain
        self._scope = scope
        self._origin = origin
        self._of_collection = of_collection

    def context(self) -> WriteContext:
        origin = self._origin
        return WriteContext(origin.dry_run, origin.warnings, self.admit)

    def admit(self, obj: Object, found: Object | None) -> Awaitable[None] | None:
        """`found`: the object before the deletion marked it, from which its options follow."""
        attributes = describe(self._scope, self._origin, DELETE, None, obj, self._scope)
        if not self._of_collection:
            resource = self._scope.resource
            attributes.options = DeletionOptions(self._origin.options, (resource.group, resource.name), found or obj)
        waiting = self._chain.admit(attributes)
        if waiting is None:
            return self._chain.validate(attributes)
        return _validate_after(waiting, self._chain, attributes)


async def _validate_after(waiting: Awaitable[None], chain: Chain, attributes: Attributes) -> None:
    await waiting
    again = chain.validate(attributes)
    if again is not None:
        await again


def describe(
    scope: Scope,
    origin: Origin,
    operation: str,
    obj: Object | None,
    old: Object | None,
    interfaces: ObjectInterfaces,
) -> Attributes:
    """What admission is told of a write."""
    name = origin.name
    if not name and obj is not None:
        name = obj["metadata"].get("name", "")
    resource = scope.resource
    namespace = origin.namespace
    if not resource.namespaced:  # a namespace counts as being in itself
        namespace = name if resource.name == "namespaces" and not resource.group else ""
    found = Attributes(
        operation,
        resource,
        scope.subresource,
        namespace,
        name,
        obj,
        old,
        origin.user,
        origin.options,
        interfaces,
        origin.warnings,
        origin.annotations,
        origin.dry_run,
    )
    found.verb = origin.verb
    found.ends_s = origin.ends_s
    return found


def _check_managed_fields(new: Object, before: list[Object] | None, warnings: list[str]) -> None:
    """What plugins made of managedFields stands only where it says who owns what."""
    metadata = new["metadata"]
    try:
        managed.decode(metadata.get("managedFields") or [], trusted=False)
    except ValueError as error:
        if before is None:
            metadata.pop("managedFields", None)
        else:
            metadata["managedFields"] = before
        warnings.append(f"{_BAD_MANAGED_FIELDS}{error}")
