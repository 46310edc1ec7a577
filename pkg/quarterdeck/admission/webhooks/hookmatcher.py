"""Whether a webhook's match conditions hold for a request, and what they may ask of it.

Source: apiserver/pkg/admission/plugin/webhook/generic/webhook.go (ShouldCallHook),
apiserver/pkg/admission/plugin/cel/{condition,activation}.go.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from quarterdeck.admission import expressions
from quarterdeck.admission.matching import LabelsOf, Matched
from quarterdeck.admission.webhooks.hooks import Hook
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.cel.lib_authz import Answer, Authorizer, Check, ResourceCheck

Authorize = Callable[[User, Check], Answer]


class HookMatcher:
    """What lies outside of a request: `labels_of` looks namespaces up, `authorize` answers what conditions ask."""

    __slots__ = ("_authorize", "labels_of")

    def __init__(self, labels_of: LabelsOf, authorize: Authorize) -> None:
        self.labels_of = labels_of
        self._authorize = authorize

    def fit_conditions(self, hook: Hook, seen: VersionedAttributes) -> bool:
        """Raises Forbidden where that cannot be told and the webhook must not be passed over."""
        fits, problem = hook.conditions.evaluate(partial(self._bind, seen))
        if problem:
            attributes = seen.attributes
            resource = attributes.resource
            raise errors.Forbidden.of(resource.group, resource.name, attributes.name, problem)
        return fits

    def _bind(self, seen: VersionedAttributes, name: str) -> object:
        attributes = seen.attributes
        if name == "object":
            return seen.obj
        if name == "oldObject":
            return seen.old
        if name == "request":
            return _describe(seen)
        authorize = partial(self._authorize, attributes.user)
        if name == "authorizer":
            return Authorizer(authorize)
        return (
            ResourceCheck(authorize, expressions.check_of(attributes)) if name == "authorizer.requestResource" else None
        )


def _describe(seen: VersionedAttributes) -> dict[str, object]:
    """The request, of the resource that it was sent to, whatever the webhook's rules took it for."""
    resource = seen.attributes.resource
    return expressions.describe(seen, Matched(resource.group, resource.version, resource.name, seen.kind))
