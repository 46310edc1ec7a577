"""NamespaceLifecycle: nothing is created in a namespace that is absent or going, and some namespaces stay.

Source: apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Final

from quarterdeck.admission.attributes import CREATE, DELETE, Attributes, shown_name
from quarterdeck.admission.namespacemetadata import ACTIVE, Phase
from quarterdeck.apimachinery import errors

ACCESS_REVIEWS: Final = "localsubjectaccessreviews"
IMMORTAL: Final = frozenset(("default", "kube-system", "kube-public"))


class NamespaceLifecycle:
    """`phase_of` looks a namespace up in the watch cache. `catch_up`: returns when that shows what other servers have
    made; None where there are none."""

    def __init__(self, phase_of: Callable[[str], Phase], catch_up: Callable[[], Awaitable[None]] | None = None) -> None:
        self._phase_of = phase_of
        self._catch_up = catch_up

    def admit(self, attributes: Attributes) -> Awaitable[None] | None:
        resource = attributes.resource
        if resource.group == "" and resource.name == "namespaces":
            if attributes.operation == DELETE and attributes.name in IMMORTAL:
                detail = "this namespace may not be deleted"
                raise errors.Forbidden.of("", "namespaces", attributes.name, detail)
            return None
        if attributes.operation != CREATE or not resource.namespaced or resource.name == ACCESS_REVIEWS:
            return None
        if not attributes.namespace:  # which is for the object's own checks to say
            return None
        phase = self._phase_of(attributes.namespace)
        if phase is not ACTIVE:
            if phase is Phase.ABSENT and self._catch_up is not None:
                return self._admit_later(self._catch_up, attributes)
            raise _refusal(phase, attributes)
        return None

    async def _admit_later(self, catch_up: Callable[[], Awaitable[None]], attributes: Attributes) -> None:
        """Another server may have made it a moment ago."""
        await catch_up()
        phase = self._phase_of(attributes.namespace)
        if phase is not ACTIVE:
            raise _refusal(phase, attributes)


def _refusal(phase: Phase, attributes: Attributes) -> errors.APIStatus:
    if phase is Phase.TERMINATING:
        return _terminating(attributes)
    return errors.NotFound.of("", "namespaces", attributes.namespace)


def _terminating(attributes: Attributes) -> errors.Forbidden:
    resource, namespace = attributes.resource, attributes.namespace
    detail = f"unable to create new content in namespace {namespace} because it is being terminated"
    error = errors.Forbidden.of(resource.group, resource.name, shown_name(attributes), detail)
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    assert error.details is not None
    error.details["causes"] = [cause]
    return error
