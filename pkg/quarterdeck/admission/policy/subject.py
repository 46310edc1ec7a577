"""What expressions see of a request.

Source: apiserver/pkg/admission/plugin/cel/{activation,condition}.go.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from quarterdeck.admission import expressions
from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import Matched
from quarterdeck.admission.policy.lookups import Lookups
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.apimachinery import errors
from quarterdeck.cel.lib_authz import Authorizer, ResourceCheck

Object = dict[str, Any]
_HIDDEN = ("managedFields", "ownerReferences", "selfLink")


class Subject:
    """A request as a policy's rules took it. `obj` and `old` are in the version of its kind; nobody changes them."""

    __slots__ = ("_lookups", "_values", "attributes", "matched", "obj", "old")

    def __init__(
        self, attributes: Attributes, matched: Matched, obj: Object | None, old: Object | None, lookups: Lookups
    ) -> None:
        self.attributes = attributes
        self.matched = matched
        self.obj = obj
        self.old = old
        self._lookups = lookups
        self._values: dict[str, object] = {}

    def value(self, name: str) -> object:
        """Of a variable that does not hang on a binding."""
        if name == "object":
            return self.obj
        if name == "oldObject":
            return self.old
        if name not in self._values:
            self._values[name] = self._find(name)
        return self._values[name]

    def _find(self, name: str) -> object:
        attributes = self.attributes
        if name == "request":
            seen = VersionedAttributes(attributes, self.matched.kind, None, None)
            return expressions.describe(seen, self.matched)
        if name == "namespaceObject":
            return self._find_namespace()
        authorize = partial(self._lookups.authorize, attributes.user)
        if name == "authorizer":
            return Authorizer(authorize)
        return ResourceCheck(authorize, expressions.check_of(attributes))

    def _find_namespace(self) -> Object | None:
        attributes = self.attributes
        name, kind = attributes.namespace, attributes.kind
        if not name or (kind.group, kind.version, kind.kind) == ("", "v1", "Namespace"):
            return None
        found = self._lookups.namespace_of(name)
        if found is None:
            raise errors.NotFound.of("", "namespaces", name)
        metadata = {member: value for member, value in found["metadata"].items() if member not in _HIDDEN}
        return {"metadata": metadata, "spec": found.get("spec") or {}, "status": found.get("status") or {}}
