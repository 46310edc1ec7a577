"""Which requests the constraints of a policy, or the match resources of its binding, concern.

Source: apiserver/pkg/admission/plugin/policy/matching/matching.go.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import LabelsOf, Matched, Rule, Selection
from quarterdeck.apis.resource import APIResource

Object = dict[str, Any]
_Alike = tuple[str, int, str, bool]  # operation, identity of the resource, subresource, whether in a namespace
_KNOWN_MAX: Final = 1024


class MatchResources:
    """`may_concern` is asked first: it looks at the rules' operations and resources alone. What the rules say of
    requests that are alike is kept, by the resource as it is served at the time."""

    __slots__ = (
        "_excluded",
        "_has_names",
        "_is_equivalent",
        "_known",
        "_operations",
        "_resources",
        "_rules",
        "_selectors",
    )

    def __init__(self, match: Mapping[str, Any]) -> None:
        policy = match.get("matchPolicy") or ""
        rules = match.get("resourceRules") or []
        self._rules = [_NamedRule(rule) for rule in rules]
        self._excluded = [_NamedRule(rule) for rule in match.get("excludeResourceRules") or ()]
        self._is_equivalent = policy == "Equivalent"
        self._has_names = any(rule.names for rule in (*self._rules, *self._excluded))
        self._known: dict[_Alike, tuple[APIResource, Matched | None]] = {}
        # The selectors alone: rules that hold for everything.
        selectors = Selection([_EVERYTHING], match.get("namespaceSelector"), match.get("objectSelector"), "Exact")
        self._selectors = None if selectors.selects_everything else selectors
        self._operations = frozenset(operation for rule in rules for operation in rule.get("operations") or ())
        self._resources = frozenset(name.partition("/")[0] for rule in rules for name in rule.get("resources") or ())

    @property
    def decides_alike(self) -> bool:
        """Whether requests that are alike are all concerned, or none of them."""
        return not self._has_names and self._selectors is None

    def may_concern(self, operation: str, resource: str) -> bool:
        if not self._rules:
            return True
        return not self._operations.isdisjoint((operation, "*")) and not self._resources.isdisjoint((resource, "*"))

    def match(self, attributes: Attributes, labels_of: LabelsOf) -> Matched | None:
        """As what the request is to be seen; None: it is not concerned. Raises NotFound where the namespace that
        decides is not there."""
        found = self._match_kept(attributes)
        if found is None or self._selectors is None:
            return found
        return found if self._selectors.match(attributes, attributes.obj, labels_of) is not None else None

    def _match_kept(self, attributes: Attributes) -> Matched | None:
        if self._has_names:
            return self._match_all(attributes)
        resource = attributes.resource
        alike = (attributes.operation, id(resource), attributes.subresource, bool(attributes.namespace))
        known = self._known.get(alike)
        if known is not None and known[0] is resource:
            return known[1]
        if len(self._known) >= _KNOWN_MAX:
            self._known.clear()
        found = self._match_all(attributes)
        self._known[alike] = resource, found
        return found

    def _match_all(self, attributes: Attributes) -> Matched | None:
        if self._excluded and self._match_rules(self._excluded, attributes) is not None:
            return None
        if self._rules:
            return self._match_rules(self._rules, attributes)
        resource = attributes.resource
        return Matched(resource.group, resource.version, resource.name, attributes.kind)

    def _match_rules(self, rules: Sequence[_NamedRule], attributes: Attributes) -> Matched | None:
        resource = attributes.resource
        own = (resource.group, resource.version, resource.name)
        if any(rule.matches(attributes, *own) for rule in rules):
            return Matched(*own, attributes.kind)
        if not self._is_equivalent:
            return None
        others = [each for each in attributes.interfaces.equivalents() if each[:3] != own]
        for rule in rules if others else ():
            for other in others:
                if rule.matches(attributes, other.group, other.version, other.resource):
                    return Matched(other.group, other.version, other.resource, other.kind)
        return None


_EVERYTHING = {"operations": ["*"], "apiGroups": ["*"], "apiVersions": ["*"], "resources": ["*/*"]}


class _NamedRule:
    """A rule that may hold for objects of some names alone."""

    __slots__ = ("_rule", "names")

    def __init__(self, rule: Mapping[str, Any]) -> None:
        self._rule = Rule(rule)
        self.names = frozenset(rule.get("resourceNames") or ())

    def matches(self, attributes: Attributes, group: str, version: str, resource: str) -> bool:
        if self.names and attributes.name not in self.names:
            return False
        return self._rule.matches(attributes, group, version, resource)
