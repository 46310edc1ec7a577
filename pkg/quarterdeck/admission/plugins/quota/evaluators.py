"""How much of what a quota may limit an object uses: one evaluator a kind, and one for the kinds that are only counted.

Source: pkg/quota/v1/evaluator/core, apiserver/pkg/quota/v1/generic/evaluator.go, pkg/quota/v1/install/registry.go.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final, Protocol

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.plugins.quota.pods import PodEvaluator
from quarterdeck.admission.plugins.quota.scopes import selects
from quarterdeck.apimachinery import quantity
from quarterdeck.apimachinery.quantity import Quantity
from quarterdeck.apis.resource import APIResource

Object = dict[str, Any]
_ONE: Final = quantity.parse("1")
_ZERO: Final = quantity.parse("0")
_BY_CLASS: Final = ".storageclass.storage.k8s.io/"
_CLASS: Final = "volume.beta.kubernetes.io/storage-class"
_OF_CLAIMS: Final = ("persistentvolumeclaims", "requests.storage")
_OF_SERVICES: Final = ("count/services", "services", "services.nodeports", "services.loadbalancers")
# Counted under these names of old too.
_ALIASES: Final = frozenset(("configmaps", "replicationcontrollers", "resourcequotas", "secrets"))
_ATTRIBUTES_CLASS: Final = "VolumeAttributesClass"
# What is not stored, and events.
_IGNORED: Final = frozenset(
    (
        ("", "bindings"),
        ("", "componentstatuses"),
        ("", "events"),
        ("authentication.k8s.io", "selfsubjectreviews"),
        ("authentication.k8s.io", "tokenreviews"),
        ("authorization.k8s.io", "localsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectaccessreviews"),
        ("authorization.k8s.io", "selfsubjectrulesreviews"),
        ("authorization.k8s.io", "subjectaccessreviews"),
    )
)


class Evaluator(Protocol):
    def handles(self, attributes: Attributes) -> bool:
        """Whether the request may change what is used."""

    def limited(self, names: Iterable[str]) -> list[str]:
        """Those of the names that say something of the kind, sorted."""

    def matches(self, selector: Object, obj: Object) -> bool:
        """Whether an object is in a scope. Raises Unreasoned where that cannot be told."""

    def missing(self, names: Iterable[str], obj: Object) -> str:
        """What an object does not say and has to; "" where it says all."""

    def usage(self, obj: Object) -> dict[str, Quantity]: ...


class CountEvaluator:
    """Counts the objects of a kind."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._names = names

    def handles(self, attributes: Attributes) -> bool:
        return attributes.operation == CREATE and not attributes.subresource

    def limited(self, names: Iterable[str]) -> list[str]:
        return sorted(name for name in names if name in self._names)

    def matches(self, selector: Object, obj: Object) -> bool:
        return False

    def missing(self, names: Iterable[str], obj: Object) -> str:
        return ""

    def usage(self, obj: Object) -> dict[str, Quantity]:
        return dict.fromkeys(self._names, _ONE)


class ServiceEvaluator(CountEvaluator):
    """Counts addresses too: those of balancers, and ports of nodes."""

    def __init__(self) -> None:
        super().__init__(_OF_SERVICES)

    def handles(self, attributes: Attributes) -> bool:
        return not attributes.subresource and attributes.operation in (CREATE, UPDATE)

    def usage(self, obj: Object) -> dict[str, Quantity]:
        spec = obj.get("spec") or {}
        kind, ports = spec.get("type", ""), spec.get("ports") or []
        is_balanced = kind == "LoadBalancer"
        count = len(ports) if is_balanced or kind == "NodePort" else 0
        if is_balanced and spec.get("allocateLoadBalancerNodePorts") is False:
            count = sum(bool(port.get("nodePort")) for port in ports)
        return {
            "count/services": _ONE,
            "services": _ONE,
            "services.nodeports": quantity.parse(str(count)),
            "services.loadbalancers": _ONE if is_balanced else _ZERO,
        }


class ClaimEvaluator(CountEvaluator):
    """Counts storage too, in all and by storage class."""

    def __init__(self) -> None:
        super().__init__(("count/persistentvolumeclaims", *_OF_CLAIMS))

    def handles(self, attributes: Attributes) -> bool:
        if attributes.subresource == "status":
            return attributes.operation == UPDATE
        return not attributes.subresource and attributes.operation in (CREATE, UPDATE)

    def limited(self, names: Iterable[str]) -> list[str]:
        endings = tuple(f"{_BY_CLASS}{name}" for name in _OF_CLAIMS)
        return sorted(name for name in names if name in self._names or name.endswith(endings))

    def matches(self, selector: Object, obj: Object) -> bool:
        return selector.get("scopeName") == _ATTRIBUTES_CLASS and selects(selector, _attribute_classes(obj))

    def usage(self, obj: Object) -> dict[str, Quantity]:
        used = {"count/persistentvolumeclaims": _ONE, "persistentvolumeclaims": _ONE}
        if (size := _storage(obj)) is not None:
            used["requests.storage"] = size
        if name := _storage_class(obj):
            used |= {f"{name}{_BY_CLASS}{each}": used[each] for each in _OF_CLAIMS if each in used}
        return used


def _storage(claim: Object) -> Quantity | None:
    """In whole bytes; what is being given counts where it is more than what is asked for."""
    asked = ((claim["spec"].get("resources") or {}).get("requests") or {}).get("storage")
    if asked is None:
        return None
    given = ((claim.get("status") or {}).get("allocatedResources") or {}).get("storage")
    sizes = [quantity.parse(text) for text in (asked, given) if text is not None]
    return max(size.round_up(0) if size.is_finer(0) else size for size in sizes)


def _storage_class(claim: Object) -> str:
    annotations = claim["metadata"].get("annotations") or {}
    return str(annotations[_CLASS] if _CLASS in annotations else claim["spec"].get("storageClassName") or "")


def _attribute_classes(claim: Object) -> set[str]:
    status = claim.get("status") or {}
    return {
        claim["spec"].get("volumeAttributesClassName") or "",
        status.get("currentVolumeAttributesClassName") or "",
        (status.get("modifyVolumeStatus") or {}).get("targetVolumeAttributesClassName") or "",
    } - {""}


class Evaluators:
    """`devices` None: claims of devices are only counted."""

    def __init__(self, devices: Evaluator | None = None) -> None:
        self._own = dict(_OWN)
        if devices is not None:
            self._own["resource.k8s.io", "resourceclaims"] = devices

    def find(self, resource: APIResource) -> Evaluator | None:
        """None for what no quota counts."""
        key = (resource.group, resource.name)
        return None if key in _IGNORED else self._own.get(key) or _counting(resource)


def _counting(resource: APIResource) -> CountEvaluator:
    name = f"{resource.name}.{resource.group}" if resource.group else resource.name
    alias = (resource.name,) if not resource.group and resource.name in _ALIASES else ()
    return CountEvaluator((f"count/{name}", *alias))


_OWN: Final[dict[tuple[str, str], Evaluator]] = {
    ("", "pods"): PodEvaluator(),
    ("", "services"): ServiceEvaluator(),
    ("", "persistentvolumeclaims"): ClaimEvaluator(),
}
