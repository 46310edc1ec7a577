"""What claims of devices use of a quota: devices by their class, under all names that a class has.

Source: pkg/quota/v1/evaluator/core/resource_claims.go.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.namespaced import ByNamespace
from quarterdeck.admission.plugins.quota.pods import PodEvaluator
from quarterdeck.apimachinery import quantity
from quarterdeck.apimachinery.podamounts import is_native
from quarterdeck.apimachinery.quantity import Quantity

Object = dict[str, Any]
FindPod = Callable[[str, str], Object | None]  # (namespace, name)
FindClaims = Callable[[str, str], Iterable[Object]]  # those in a namespace that may name an owner with this uid

COUNT: Final = "count/resourceclaims.resource.k8s.io"
BY_CLASS: Final = ".deviceclass.resource.k8s.io/devices"
IMPLICIT: Final = "requests.deviceclass.resource.kubernetes.io/"
DEVICES_MAX: Final = 32  # that one claim can be given
_REQUESTS: Final = "requests."
_EXTENDED: Final = "resource.kubernetes.io/extended-resource-claim"
_ONE: Final = quantity.parse("1")
_PODS: Final = PodEvaluator()


class DeviceClasses:
    """`classes` follows the device classes that there are. A class may stand for a resource that containers ask for."""

    def __init__(self, classes: ByNamespace) -> None:
        self._classes = classes

    def has(self, name: str) -> bool:
        return any(each == name for each, _ in self._named())

    def resource_of(self, name: str) -> str:
        """Of a class; "" where it stands for none."""
        return next((found for each, found in self._named() if each == name), "")

    def stands_for(self, resource: str) -> bool:
        return any(found == resource for _, found in self._named())

    def _named(self) -> Iterable[tuple[str, str]]:
        for each in self._classes.of(""):
            yield each["metadata"]["name"], (each.get("spec") or {}).get("extendedResourceName") or ""


class DeviceEvaluator:
    """`find_claims` finds what is stored."""

    def __init__(self, classes: DeviceClasses, find_pod: FindPod, find_claims: FindClaims) -> None:
        self._classes = classes
        self._find_pod = find_pod
        self._find_claims = find_claims

    def handles(self, attributes: Attributes) -> bool:
        return not attributes.subresource and attributes.operation in (CREATE, UPDATE)

    def limited(self, names: Iterable[str]) -> list[str]:
        return sorted(filter(self._is_ours, names))

    def _is_ours(self, name: str) -> bool:
        if name == COUNT or name.endswith(BY_CLASS):
            return True
        if name.startswith(IMPLICIT):
            return self._classes.has(name.removeprefix(IMPLICIT))
        is_extended = name.startswith(_REQUESTS) and not is_native(name)
        return is_extended and self._classes.stands_for(name.removeprefix(_REQUESTS))

    def matches(self, selector: Object, obj: Object) -> bool:
        return False

    def missing(self, names: Iterable[str], obj: Object) -> str:
        return ""

    def usage(self, obj: Object) -> dict[str, Quantity]:
        devices: dict[str, int] = {}
        for request in ((obj.get("spec") or {}).get("devices") or {}).get("requests") or ():
            for name, count in _count(request).items():
                devices[name] = devices.get(name, 0) + count
        used = {COUNT: _ONE}
        of_pod = self._usage_of_pod(obj)
        for name, count in devices.items():
            used[f"{name}{BY_CLASS}"] = amount = quantity.parse(str(count))
            resource = self._classes.resource_of(name)
            for other in (f"{IMPLICIT}{name}", *([f"{_REQUESTS}{resource}"] if resource else [])):
                left = amount.sub(of_pod[other]) if other in of_pod else amount
                if left.unscaled > 0:
                    used[other] = left
        return used

    def _usage_of_pod(self, claim: Object) -> Mapping[str, Quantity]:
        """What the pod that a claim was made for is charged with itself."""
        metadata, owner = claim["metadata"], _pod_of(claim)
        pod = self._find_pod(metadata.get("namespace", ""), owner["name"]) if owner is not None else None
        if owner is None or pod is None or pod["metadata"].get("uid") != owner["uid"]:
            return {}
        told = (pod.get("status") or {}).get("extendedResourceClaimStatus")
        if told is None:
            name = self._first_of_pod(metadata.get("namespace", ""), owner["uid"])
        else:
            name = told.get("resourceClaimName")
        return _PODS.usage(pod) if name in (None, metadata.get("name")) else {}

    def _first_of_pod(self, namespace: str, uid: str) -> str | None:
        """The name of the oldest of the claims that were made for a pod; None where none is stored."""
        made = (each for each in self._find_claims(namespace, uid) if (_pod_of(each) or {}).get("uid") == uid)
        oldest = min((_age_of(each) for each in made), default=None)
        return oldest[1] if oldest is not None else None


def _pod_of(claim: Object) -> Object | None:
    """The reference to the pod for whose containers a claim was made; None where it is another claim."""
    metadata = claim["metadata"]
    if (metadata.get("annotations") or {}).get(_EXTENDED) != "true":
        return None
    owner: Object = next((each for each in metadata.get("ownerReferences") or () if each.get("controller")), {})
    return owner if (owner.get("kind"), owner.get("apiVersion")) == ("Pod", "v1") else None


def _age_of(claim: Object) -> tuple[str, str]:
    """In the order of age; of those that are made in the same second, by name."""
    return claim["metadata"].get("creationTimestamp", ""), claim["metadata"]["name"]


def _count(request: Object) -> dict[str, int]:
    """Devices by class; of alternatives, the most of each class."""
    # In v1beta1 a request says itself what v1 says in `exactly`.
    alternatives = request.get("firstAvailable") or [request.get("exactly") or request]
    most: dict[str, int] = {}
    for each in alternatives:
        name = each.get("deviceClassName")
        if name:
            most[name] = max(most.get(name, 0), _count_asked(each))
    return most


def _count_asked(asked: Object) -> int:
    """Of a mode that is not known, none."""
    mode = asked.get("allocationMode")
    return DEVICES_MAX if mode == "All" else asked.get("count") or 0 if mode == "ExactCount" else 0
