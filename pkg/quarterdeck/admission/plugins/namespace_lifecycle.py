"""NamespaceLifecycle: nothing is created in a namespace that is absent or going, nothing is updated in an absent one,
and some namespaces stay.

Source: apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from quarterdeck.admission.attributes import CONNECT, CREATE, DELETE, Attributes
from quarterdeck.admission.namespacemetadata import ACTIVE, Phase
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors, gofmt, names

ACCESS_REVIEWS: Final = "localsubjectaccessreviews"
IMMORTAL: Final = frozenset(("default", "kube-system", "kube-public"))
# Whatever a namespace is like: what is left of its content has to be deleted.
_ALLOWED: Final = frozenset((DELETE, CONNECT))


class NamespaceLifecycle:
    """`phase_of` and `exists` look a namespace up in the watch cache. `catch_up`: returns when that shows what other
    servers have made; None where there are none."""

    def __init__(
        self,
        phase_of: Callable[[str], Phase],
        exists: Callable[[str], bool],
        catch_up: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._phase_of = phase_of
        self._exists = exists
        self._catch_up = catch_up

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        resource = attributes.resource
        if resource.group == "" and resource.name == "namespaces":
            if attributes.operation == DELETE and attributes.name in IMMORTAL:
                detail = "this namespace may not be deleted"
                raise errors.Forbidden.of("", "namespaces", attributes.name, detail)
            return None
        if not resource.namespaced or attributes.operation in _ALLOWED or resource.name == ACCESS_REVIEWS:
            return None
        if not attributes.namespace:  # which is for the object's own checks to say
            return None
        refusal = self._refuse(attributes)
        if refusal is None:
            return None
        if self._catch_up is not None and not self._exists(attributes.namespace):
            return self._admit_later(self._catch_up, attributes)
        raise refusal

    async def _admit_later(self, catch_up: Callable[[], Awaitable[None]], attributes: Attributes) -> None:
        """Another server may have made it a moment ago."""
        await catch_up()
        refusal = self._refuse(attributes)
        if refusal is not None:
            raise refusal

    def _refuse(self, attributes: Attributes) -> errors.APIStatus | None:
        """An update only needs the namespace to be there: what is left in one that is going can still change."""
        if attributes.operation != CREATE and self._exists(attributes.namespace):
            return None
        phase = self._phase_of(attributes.namespace)
        return None if phase is ACTIVE else _refusal(phase, attributes)


def _refusal(phase: Phase, attributes: Attributes) -> errors.APIStatus:
    if phase is Phase.TERMINATING:
        return _terminating(attributes)
    namespace = attributes.namespace
    if problems := names.path_segment_name(namespace):  # upstream's client asks the server for none of these
        return errors.InternalError.of(f"invalid resource name {gofmt.quote(namespace)}: [{' '.join(problems)}]")
    return errors.NotFound.of("", "namespaces", namespace)


def _terminating(attributes: Attributes) -> errors.Forbidden:
    namespace = attributes.namespace
    detail = f"unable to create new content in namespace {namespace} because it is being terminated"
    error = forbidden(attributes, detail)
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    assert error.details is not None
    error.details["causes"] = [cause]
    return error
