"""RuntimeClass: a new pod gets the overhead, node labels and tolerations of the class that it names.

Source: plugin/pkg/admission/runtimeclass/admission.go, pkg/util/tolerations/tolerations.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quarterdeck.admission.attributes import CREATE, Attributes, shown_name
from quarterdeck.apimachinery import errors, gofmt, names
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.quantity import parse
from quarterdeck.storage.cacher import ResourceCache

_DIFFERS = "pod rejected: Pod's Overhead doesn't match RuntimeClass's defined Overhead"
_ALONE = "pod rejected: Pod Overhead set without corresponding RuntimeClass defined Overhead"


class RuntimeClass:
    """`classes` holds the runtime classes. `has_empty_overhead`: whether the pod that was decoded last has an overhead
    of nothing, which its decoded form does not show."""

    def __init__(self, classes: ResourceCache, has_empty_overhead: Callable[[], bool]) -> None:
        self._classes = classes
        self._has_empty_overhead = has_empty_overhead

    def admit(self, attributes: Attributes) -> None:
        found = self._class_of(attributes)
        if found is None or attributes.obj is None:
            return
        spec = attributes.obj["spec"] = dict(attributes.obj["spec"])
        if (overhead := found.get("overhead")) is not None:
            wanted = overhead.get("podFixed") or {}
            given = spec.pop("overhead", None)
            if given and not _is_same_overhead(given, wanted):
                raise _forbidden(attributes, _DIFFERS)
            if wanted:
                spec["overhead"] = wanted
        if (scheduling := found.get("scheduling")) is not None:
            _schedule(attributes, spec, scheduling)

    def validate(self, attributes: Attributes) -> None:
        if not _is_new_pod(attributes) or attributes.obj is None:
            return
        spec = attributes.obj["spec"]
        overhead = self._overhead_of(spec)
        if overhead is None and spec.get("runtimeClassName") is None:
            return
        found = self._class_of(attributes) or {}
        wanted = found.get("overhead")
        if wanted is not None and not _is_same_overhead(overhead or {}, wanted.get("podFixed") or {}):
            raise _forbidden(attributes, _DIFFERS)
        if wanted is None and overhead is not None:
            raise _forbidden(attributes, _ALONE)

    def _overhead_of(self, spec: dict[str, Any]) -> dict[str, str] | None:
        given: dict[str, str] | None = spec.get("overhead")
        return {} if given is None and self._has_empty_overhead() else given

    def _class_of(self, attributes: Attributes) -> dict[str, Any] | None:
        """The class that a new pod names; None where it names none."""
        if not _is_new_pod(attributes) or attributes.obj is None:
            return None
        name = attributes.obj["spec"].get("runtimeClassName")
        if name is None:
            return None
        if not name:  # upstream's client refuses to ask for it
            raise errors.Unreasoned("resource name may not be empty")
        if texts := names.path_segment_name(name):
            raise errors.Unreasoned(f"invalid resource name {gofmt.quote(name)}: [{' '.join(texts)}]")
        entry = self._classes.get("", name)
        if entry is None:
            raise _forbidden(attributes, f"pod rejected: RuntimeClass {gofmt.quote(name)} not found")
        return json.load(entry.data)


def _is_new_pod(attributes: Attributes) -> bool:
    resource = attributes.resource
    is_pod = (resource.group, resource.name) == ("", "pods")
    return is_pod and attributes.operation == CREATE and not attributes.subresource


def _is_same_overhead(given: dict[str, str], wanted: dict[str, str]) -> bool:
    return {name: parse(text) for name, text in given.items()} == {name: parse(text) for name, text in wanted.items()}


def _schedule(attributes: Attributes, spec: dict[str, Any], scheduling: dict[str, Any]) -> None:
    labels = dict(spec.get("nodeSelector") or {})
    for key, value in sorted((scheduling.get("nodeSelector") or {}).items()):
        if labels.setdefault(key, value) != value:
            detail = (
                f"runtimeClass.scheduling.nodeSelector[{key}] = {value}; pod.spec.nodeSelector[{key}] = {labels[key]}"
            )
            raise _forbidden(attributes, f"conflict: {detail}")
    if labels:
        spec["nodeSelector"] = labels
    merged = _merge_tolerations([*(spec.get("tolerations") or []), *(scheduling.get("tolerations") or [])])
    if merged:
        spec["tolerations"] = merged


def _merge_tolerations(tolerations: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Without those that another covers; of equal ones the first stays."""
    merged: list[dict[str, Any]] = []
    for position, each in enumerate(tolerations):
        is_covered = any(_covers(other, each) for other in merged) or any(
            _covers(other, each) for other in tolerations[position + 1 :] if other != each
        )
        if not is_covered:
            merged.append(each)
    return merged


def _covers(wide: dict[str, Any], narrow: dict[str, Any]) -> bool:
    """Whether `wide` tolerates all that `narrow` does. One without an operator is covered by its equals alone."""
    if wide == narrow:
        return True
    key, effect, seconds = wide.get("key", ""), wide.get("effect", ""), wide.get("tolerationSeconds")
    if key != narrow.get("key", "") and (key or wide.get("operator") != "Exists"):
        return False
    if effect not in ("", narrow.get("effect", "")):
        return False
    if effect == "NoExecute" and seconds is not None:
        lasts = narrow.get("tolerationSeconds")
        if lasts is None or lasts > seconds:
            return False
    if wide.get("operator", "") in ("Equal", ""):
        return narrow.get("operator") == "Equal" and wide.get("value", "") == narrow.get("value", "")
    return bool(wide.get("operator") == "Exists")


def _forbidden(attributes: Attributes, detail: str) -> errors.Forbidden:
    return errors.Forbidden.of("", "pods", shown_name(attributes), detail)
