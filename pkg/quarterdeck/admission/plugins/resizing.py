"""Pods on nodes are resized only where the node is there, has enough, and says that it can.

Source: plugin/pkg/admission/{podresize,nodedeclaredfeatures}/admission.go,
component-helpers/nodedeclaredfeatures/features/inplacepodresize.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

from quarterdeck.admission.attributes import UPDATE, Attributes
from quarterdeck.apimachinery import errors, gofmt, podamounts, quantity

Object = dict[str, Any]

_SYSTEM: Final = "kubernetes.io/os"
_POD_LEVEL: Final = "InPlacePodLevelResourcesVerticalScaling"
_INIT_CONTAINERS: Final = "InPlacePodVerticalScalingInitContainers"
_NONE: Final = quantity.parse("0")


class _OnNode:
    """`find_node` looks a node up by its name."""

    def __init__(self, find_node: Callable[[str], Object | None]) -> None:
        self._find_node = find_node

    def validate(self, attributes: Attributes) -> None:
        obj, old = attributes.obj, attributes.old
        if attributes.operation != UPDATE or attributes.subresource != "resize" or obj is None or old is None:
            return
        name = obj["spec"].get("nodeName")
        is_changed = obj["metadata"].get("generation") != old["metadata"].get("generation")
        if name and is_changed and self._needs_node(obj, old):
            node = self._find_node(name)
            if node is None:
                raise errors.Forbidden.of("", "pods", attributes.name, f"node {gofmt.quote(name)} not found")
            self._check(attributes.name, obj, old, node)

    def _needs_node(self, obj: Object, old: Object) -> bool:
        return True

    def _check(self, name: str, obj: Object, old: Object, node: Object) -> None:
        raise NotImplementedError


class PodResizeValidator(_OnNode):
    def _check(self, name: str, obj: Object, old: Object, node: Object) -> None:
        metadata = node["metadata"]
        system = (metadata.get("labels") or {}).get(_SYSTEM, "linux")
        if system != "linux":
            shown = f"node {gofmt.quote(metadata['name'])} is {gofmt.quote(system)}"
            text = f"pod resize is only supported on linux nodes, {shown}"
            raise _refused(name, text, "UnsupportedPlatform")
        found = podamounts.parse((node.get("status") or {}).get("allocatable"))
        asked = podamounts.with_overhead(obj["spec"], "requests")
        lacking: list[str] = []
        for resource in ("cpu", "memory"):
            amount, allocatable = asked.get(resource, _NONE), found.get(resource, _NONE)
            if amount > allocatable:
                numbers = (_count(resource, each) for each in (amount, allocatable))
                lacking.append("{}, requested: {}, allocatable: {}".format(resource, *numbers))
        if lacking:
            text = f"node didn't have enough allocatable resources: {'; '.join(lacking)}"
            raise _refused(name, text, "NodeCapacity")


def _count(resource: str, amount: quantity.Quantity) -> int:
    """Thousandths of processors, bytes."""
    return amount.milli() if resource == "cpu" else amount.whole()


class NodeDeclaredFeatureValidator(_OnNode):
    """`has_ranges`: whether there are limit ranges in a namespace, which fill in what containers do not say."""

    def __init__(self, find_node: Callable[[str], Object | None], has_ranges: Callable[[str], bool]) -> None:
        super().__init__(find_node)
        self._has_ranges = has_ranges

    def _needs_node(self, obj: Object, old: Object) -> bool:
        return bool(self._needed_features(obj, old))

    def _check(self, name: str, obj: Object, old: Object, node: Object) -> None:
        declared = (node.get("status") or {}).get("declaredFeatures") or []
        missing = [feature for feature in self._needed_features(obj, old) if feature not in declared]
        if missing:
            shown = gofmt.quote(node["metadata"]["name"])
            detail = f"pod update requires features {', '.join(missing)} which are not available on node {shown}"
            raise errors.Forbidden.of("", "pods", name, detail)

    def _needed_features(self, obj: Object, old: Object) -> list[str]:
        """What the node has to be able to do."""
        spec, before = obj["spec"], old["spec"]
        needed = [_POD_LEVEL] if (spec.get("resources") or {}) != (before.get("resources") or {}) else []
        containers = zip(spec.get("initContainers") or [], before.get("initContainers") or [], strict=False)
        ending = [(new, old) for new, old in containers if old.get("restartPolicy") != "Always"]
        is_leaving = old["metadata"].get("deletionTimestamp") is not None
        is_filled = bool(ending) and not is_leaving and self._has_ranges(obj["metadata"].get("namespace", ""))
        if any(_differ(new.get("resources") or {}, old.get("resources") or {}, is_filled) for new, old in ending):
            needed.append(_INIT_CONTAINERS)
        return needed


def _differ(new: Object, old: Object, is_filled: bool) -> bool:
    """As upstream, what is filled in with nothing differs from what was not there."""
    return new != old or (is_filled and not (old.get("requests") and old.get("limits")))


def _refused(name: str, text: str, cause: str) -> errors.Forbidden:
    error = errors.Forbidden.of("", "pods", name, text)
    error.details = {**(error.details or {}), "causes": [{"reason": cause}]}
    return error
