"""Which requests the rules and selectors of webhooks and policies concern.

Source: apiserver/pkg/admission/plugin/webhook/predicates/{rules,namespace,object}, generic/webhook.go (ShouldCallHook).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, NamedTuple

from quarterdeck.admission.attributes import CONNECT, CREATE, UPDATE, Attributes
from quarterdeck.apimachinery import errors, labels
from quarterdeck.apis.resource import GroupVersionKind

Object = dict[str, Any]
LabelsOf = Callable[[str], Mapping[str, str] | None]
"""The labels of a namespace; None where there is no such namespace."""

_GROUP: Final = "admissionregistration.k8s.io"
_PREFIXES: Final = ("Validating", "Mutating")
_CONFIGURATIONS: Final = frozenset(f"{prefix}WebhookConfiguration" for prefix in _PREFIXES)
_POLICIES: Final = frozenset(f"{prefix}AdmissionPolicy{ending}" for prefix in _PREFIXES for ending in ("", "Binding"))


class Matched(NamedTuple):
    """As what a request is seen: where it was sent, or an equivalent resource and its kind."""

    group: str
    version: str
    resource: str
    kind: GroupVersionKind


def is_policy(attributes: Attributes) -> bool:
    """Policies and their bindings, which no policy judges, so that nobody is locked out. Configurations of webhooks are
    judged. Source: apiserver/pkg/admission/plugin/policy/generic/plugin.go (admissionResources)."""
    return attributes.resource.group == _GROUP and attributes.kind.kind in _POLICIES


def is_exempt(attributes: Attributes) -> bool:
    """What configures admission, which no webhook is asked about."""
    is_configuration = attributes.resource.group == _GROUP and attributes.kind.kind in _CONFIGURATIONS
    return is_configuration or is_policy(attributes)


class Rule:
    """One RuleWithOperations, ready to be asked."""

    __slots__ = ("_groups", "_operations", "_resources", "_scope", "_versions")

    def __init__(self, rule: Mapping[str, Any]) -> None:
        self._operations = _choices(rule.get("operations"))
        self._groups = _choices(rule.get("apiGroups"))
        self._versions = _choices(rule.get("apiVersions"))
        self._resources = [_split(name) for name in rule.get("resources") or ()]
        self._scope = rule.get("scope") or "*"

    def matches(self, attributes: Attributes, group: str, version: str, resource: str) -> bool:
        """Whether the rule holds for the request, seen as one to this resource."""
        if self._operations is not None and attributes.operation not in self._operations:
            return False
        if self._groups is not None and group not in self._groups:
            return False
        if self._versions is not None and version not in self._versions:
            return False
        return self._fits_resource(resource, attributes.subresource) and self._fits_scope(
            attributes, group, version, resource
        )

    def _fits_resource(self, resource: str, subresource: str) -> bool:
        return any(name in ("*", resource) and below in ("*", subresource) for name, below in self._resources)

    def _fits_scope(self, attributes: Attributes, group: str, version: str, resource: str) -> bool:
        if self._scope == "*":
            return True
        is_cluster = not attributes.namespace or (group, version, resource) == ("", "v1", "namespaces")
        return is_cluster if self._scope == "Cluster" else not is_cluster and self._scope == "Namespaced"


def _choices(items: Sequence[str] | None) -> frozenset[str] | None:
    """None stands for everything."""
    found = frozenset(items or ())
    return None if "*" in found else found


def _split(name: str) -> tuple[str, str]:
    resource, _, subresource = name.partition("/")
    return resource, subresource


class Selection:
    """The rules and selectors of one webhook or policy."""

    __slots__ = ("_is_equivalent", "_namespaces", "_objects", "_rules")

    def __init__(
        self,
        rules: Sequence[Mapping[str, Any]] | None,
        namespace_selector: Mapping[str, Any] | None,
        object_selector: Mapping[str, Any] | None,
        match_policy: str,
    ) -> None:
        self._rules = [Rule(rule) for rule in rules or ()]
        self._namespaces = labels.from_label_selector(namespace_selector or {})
        self._objects = labels.from_label_selector(object_selector or {})
        self._is_equivalent = match_policy == "Equivalent"

    @property
    def selects_everything(self) -> bool:
        """Whether the rules alone decide."""
        return self._namespaces.is_empty and self._objects.is_empty

    def may_match(self, attributes: Attributes) -> bool:
        """Whether the rules concern the request. Its objects are not looked at: they may yet change."""
        return self._match_rules(attributes) is not None

    def match(self, attributes: Attributes, obj: Object | None, labels_of: LabelsOf) -> Matched | None:
        """As what the request is to be seen; None: it is not concerned. `obj` is the object as it is by now. Raises
        NotFound where the namespace that decides is not there."""
        found = self._match_rules(attributes)
        if found is None or not self._fits_objects(attributes, obj):
            return None
        return found if self._fits_namespace(attributes, obj, labels_of) else None

    def _match_rules(self, attributes: Attributes) -> Matched | None:
        resource = attributes.resource
        for rule in self._rules:
            if rule.matches(attributes, resource.group, resource.version, resource.name):
                return Matched(resource.group, resource.version, resource.name, attributes.kind)
        return self._match_equivalents(attributes) if self._is_equivalent else None

    def _match_equivalents(self, attributes: Attributes) -> Matched | None:
        """Under another version or group of the same objects; earlier rules come first."""
        resource = attributes.resource
        own = (resource.group, resource.version, resource.name)
        others = [each for each in attributes.interfaces.equivalents() if each[:3] != own]
        for rule in self._rules if others else ():
            for other in others:
                if rule.matches(attributes, other.group, other.version, other.resource):
                    return Matched(other.group, other.version, other.resource, other.kind)
        return None

    def _fits_objects(self, attributes: Attributes, obj: Object | None) -> bool:
        selector = self._objects
        if selector.is_empty:
            return True
        if attributes.operation == CONNECT:
            return False  # the object is options, which are not even without labels
        return any(selector.matches(_labels_of(each)) for each in (obj, attributes.old) if each is not None)

    def _fits_namespace(self, attributes: Attributes, obj: Object | None, labels_of: LabelsOf) -> bool:
        selector, name = self._namespaces, attributes.namespace
        is_namespace = attributes.resource.name == "namespaces"
        if selector.is_empty or (not name and not is_namespace):
            return True
        if is_namespace and not attributes.subresource and attributes.operation in (CREATE, UPDATE) and obj is not None:
            return selector.matches(_labels_of(obj))  # the cache does not know it yet
        found = labels_of(name)
        if found is None:
            raise errors.NotFound.of("", "namespaces", name)
        return selector.matches(found)


def _labels_of(obj: Object) -> Mapping[str, str]:
    return (obj.get("metadata") or {}).get("labels") or {}
