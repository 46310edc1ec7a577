"""Priority: a new pod gets what its priority class says, or the class that is everybody's, or 0; an update that leaves
it out keeps it.

Source: plugin/pkg/admission/priority/admission.go.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes
from quarterdeck.admission.refusals import forbidden
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.storage.cacher import Change, ResourceCache

_NO_CLASS: Final[dict[str, Any]] = {"value": 0, "preemptionPolicy": "PreemptLowerPriority"}
_KEPT: Final = ("priority", "preemptionPolicy")
_CLASSES: Final = ("scheduling.k8s.io", "priorityclasses")


class Priority:
    """`classes` holds the priority classes."""

    def __init__(self, classes: ResourceCache) -> None:
        self._classes = classes
        self._defaults: dict[str, int] = {}  # the classes that are everybody's: name → value
        for entry in classes.state.all():
            self._note(entry.name, entry.data)
        classes.listeners.append(self._on_change)

    def _on_change(self, change: Change) -> None:
        if change.old is not None:
            self._defaults.pop(change.old.name, None)
        if change.entry is not None:
            self._note(change.entry.name, change.entry.data)

    def _note(self, name: str, data: bytes) -> None:
        found = json.load(data)
        if found.get("globalDefault"):
            self._defaults[name] = found.get("value", 0)

    def admit(self, attributes: Attributes) -> None:
        resource, obj = attributes.resource, attributes.obj
        if (resource.group, resource.name) != ("", "pods") or attributes.subresource or obj is None:
            return
        if attributes.operation == CREATE:
            obj["spec"] = self._resolve(attributes, dict(obj["spec"]))
        elif attributes.operation == UPDATE and attributes.old is not None:
            before = attributes.old["spec"]
            kept = {name: before[name] for name in _KEPT if name in before and name not in obj["spec"]}
            obj["spec"] = {**obj["spec"], **kept}

    def _resolve(self, attributes: Attributes, spec: dict[str, Any]) -> dict[str, Any]:
        name = spec.get("priorityClassName")
        if not name and self._defaults:
            name = self._find_default()
        found = _NO_CLASS
        if name:
            entry = self._classes.get("", name)
            if entry is None:
                raise forbidden(attributes, f"no PriorityClass with name {name} was found")
            found = json.load(entry.data)
            spec["priorityClassName"] = name
        value, policy = found.get("value", 0), found.get("preemptionPolicy")
        if spec.get("priority", value) != value:
            raise _computed(attributes, "integer value of priority", spec["priority"], value)
        if policy is not None and spec.get("preemptionPolicy", policy) != policy:
            raise _computed(attributes, "string value of PreemptionPolicy", spec["preemptionPolicy"], policy)
        spec["priority"] = value
        if policy is not None:
            spec["preemptionPolicy"] = policy
        return spec

    def validate(self, attributes: Attributes) -> None:
        resource, obj = attributes.resource, attributes.obj
        if (resource.group, resource.name) != _CLASSES or attributes.subresource:
            return
        if attributes.operation not in (CREATE, UPDATE) or obj is None:
            return
        if not (obj.get("globalDefault") and self._defaults):
            return
        found = self._find_default()
        if attributes.operation == CREATE or found != attributes.name:
            detail = f"PriorityClass {found} is already marked as default. Only one default can exist"
            raise forbidden(attributes, detail)

    def _find_default(self) -> str:
        """The lowest, should several be everybody's."""
        return min(self._defaults, key=lambda each: self._defaults[each])


def _computed(attributes: Attributes, what: str, given: object, computed: object) -> errors.Forbidden:
    detail = f"the {what} ({given}) must not be provided in pod spec; priority admission controller computed {computed}"
    return forbidden(attributes, f"{detail} from the given PriorityClass name")
