"""Admission of writes of a scale: plugins see the Scale before and after, not the object behind it.

Source: apiextensions-apiserver/pkg/registry/customresource/etcd.go (toScaleUpdateValidation),
pkg/registry/apps/deployment/storage/storage.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any, Final, Protocol

from quarterdeck.admission.attributes import Equivalent, MergeError
from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import errors
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry import mutated, mutatedkinds
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.scale import API_VERSION, SCALE_TYPE
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.write_admission import Origin, WriteAdmission
from quarterdeck.registry.writes import WriteContext

SCALE: Final = GroupVersionKind("autoscaling", "v1", "Scale")
CODEC: Final = BuiltinCodec(API_VERSION, "Scale", lambda: SCALE_TYPE, None)


class ScaleInterfaces:
    """A Scale as admission knows it (admission.attributes.ObjectInterfaces): it has one version, whichever the object
    behind it is written in."""

    def __init__(self, scope: Scope) -> None:
        self._scope = scope

    @property
    def kind(self) -> GroupVersionKind:
        return SCALE

    @property
    def is_custom(self) -> bool:
        return False

    def refuse_mutation(self, kind: GroupVersionKind) -> str:
        return ""

    def is_served(self, _kind: GroupVersionKind) -> bool:
        return True

    def default(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        return mutated.default_configured(obj, CODEC)

    def read_mutated(self, value: Any, kind: GroupVersionKind, *, is_strict: bool = False) -> Object:
        if is_strict and self._scope.is_custom:
            raise MergeError(_refuse_custom(value))
        if is_strict:
            mutatedkinds.find(value, kind, SCALE)
        return mutated.read(value, kind, CODEC, is_strict=is_strict)

    def convert(self, obj: Object, kind: GroupVersionKind) -> Object:
        return obj

    def bring_back(self, obj: Object, known: Object) -> Object:
        return obj

    def merge(self, _live: Object, _patch: Object) -> Object:
        raise mutated.no_type(SCALE)

    def equivalents(self) -> Sequence[Equivalent]:
        return [each._replace(kind=SCALE) for each in self._scope.equivalents()]


def _refuse_custom(value: Any) -> str:
    """Upstream knows the Scale of a custom resource as a Go type, and what patches of policies make of it as one of the
    definition's versions (customresource_handler.go, conversion/converter.go). Raises InternalError."""
    try:
        mutated.check_custom(value, SCALE, {str(value.get("apiVersion"))} if isinstance(value, dict) else ())
    except errors.BadRequest as error:
        raise errors.InternalError.of(error.message) from error
    except errors.Unreasoned as error:
        return error.message
    return f"request to convert CR to an invalid group/version: {API_VERSION}"


class ScaleWrite(Protocol):
    """One write of a scale."""

    def write(self, live: Object) -> tuple[Object, Object]:
        """The Scale of the live object, and what is written in its place."""

    def put_back(self, live: Object, written: Object) -> Object:
        """The object with what was written."""

    def show(self, obj: Object) -> Object:
        """The Scale of an object that is to be stored, or was."""


class ScaleAdmission:
    def __init__(self, chain: Chain, scope: Scope, origin: Origin, write: ScaleWrite) -> None:
        self._admission = WriteAdmission(chain, scope, origin, ScaleInterfaces(scope))
        self._write = write

    def context(self) -> WriteContext:
        context = self._admission.context()
        context.admit = self._validate
        return context

    def _validate(self, new: Object, old: Object | None) -> Awaitable[None] | None:
        show: Callable[[Object], Object] = self._write.show
        return self._admission.validate(show(new), show(old) if old is not None else None)

    def transform(self, live: Object | None) -> Object | Awaitable[Object]:
        assert live is not None
        current, written = self._write.write(live)
        waiting = self._admission.mutate(written, current)
        if waiting is not None:
            return self._put_back(waiting, live, written)
        return self._write.put_back(live, written)

    async def _put_back(self, waiting: Awaitable[None], live: Object, written: Object) -> Object:
        await waiting
        return self._write.put_back(live, written)
