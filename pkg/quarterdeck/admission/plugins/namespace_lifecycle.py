"""NamespaceLifecycle: nothing is created in a namespace that is absent or going, and some namespaces stay.

Source: apiserver/pkg/admission/plugin/namespace/lifecycle/admission.go.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Final

from quarterdeck.admission.attributes import CREATE, DELETE, Attributes
from quarterdeck.apimachinery import errors

ACCESS_REVIEWS: Final = "localsubjectaccessreviews"
IMMORTAL: Final = frozenset(("default", "kube-system", "kube-public"))


class Phase(Enum):
    ABSENT = 0
    ACTIVE = 1
    TERMINATING = 2


class NamespaceLifecycle:
    """`phase_of` looks a namespace up in the watch cache."""

    def __init__(self, phase_of: Callable[[str], Phase]) -> None:
        self._phase_of = phase_of

    def admit(self, attributes: Attributes) -> None:
        resource = attributes.resource
        if resource.group == "" and resource.name == "namespaces":
            if attributes.operation == DELETE and attributes.name in IMMORTAL:
                detail = "this namespace may not be deleted"
                raise errors.Forbidden.of("", "namespaces", attributes.name, detail)
            return
        if attributes.operation != CREATE or not resource.namespaced or resource.name == ACCESS_REVIEWS:
            return
        phase = self._phase_of(attributes.namespace)
        if phase is Phase.ABSENT:
            raise errors.NotFound.of("", "namespaces", attributes.namespace)
        if phase is Phase.TERMINATING:
            raise _terminating(attributes)


def _terminating(attributes: Attributes) -> errors.Forbidden:
    resource, namespace = attributes.resource, attributes.namespace
    detail = f"unable to create new content in namespace {namespace} because it is being terminated"
    error = errors.Forbidden.of(resource.group, resource.name, attributes.name, detail)
    cause = {
        "reason": "NamespaceTerminating",
        "message": f"namespace {namespace} is being terminated",
        "field": "metadata.namespace",
    }
    assert error.details is not None
    error.details["causes"] = [cause]
    return error
