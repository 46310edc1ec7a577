"""Subresources of pods that write a part of the pod: its ephemeral containers, what its containers may use.

Source: pkg/registry/core/pod/strategy.go, pkg/apis/core/validation/validation.go
(ValidatePodEphemeralContainersUpdate).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, gofmt
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import semantic, written
from quarterdeck.registry.builtin.core.pod import PodStrategy
from quarterdeck.registry.builtin.core.podvalidation import gonames, podannotations
from quarterdeck.registry.builtin.core.podvalidation.resize import RESIZABLE, validate_resize
from quarterdeck.registry.builtin.core.podvalidation.spec import annotations_of, validate_pod
from quarterdeck.registry.strategy import Object

_KEPT: Final = ("deletionTimestamp", "generation", "labels", "annotations", "finalizers", "ownerReferences")
_KINDS: Final = ("initContainers", "containers")


class UncheckedPodStrategy(PodStrategy):
    """Of what the server itself writes into a pod."""

    def prepare_for_update(self, new: Object, old: Object) -> None:
        return

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        return []


class EphemeralContainersStrategy(PodStrategy):
    def keep(self, new: Object, old: Object) -> None:
        added = new["spec"].get("ephemeralContainers")
        spec = {name: value for name, value in old["spec"].items() if name != "ephemeralContainers"}
        if added:
            spec["ephemeralContainers"] = added
        new["spec"] = spec
        _keep_others(new, old)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        found, before = annotations_of(new), annotations_of(old)
        if podannotations.MIRROR in before:
            return [field.forbidden(field.NAMELESS_PATH, "static pods do not support ephemeral containers")]
        containers = new["spec"].get("ephemeralContainers") or []
        problems = validate_pod(new, old, _with_sent(new["spec"], containers))
        problems += podannotations.validate_update(found, before, "metadata.annotations")
        problems += podannotations.validate(found, new["spec"], "metadata.annotations", before)
        given = enumerate(containers)
        by_name = {each.get("name", ""): (place, each) for place, each in given}
        path = "spec.ephemeralContainers"
        for container in old["spec"].get("ephemeralContainers") or []:
            name = container.get("name", "")
            text = f"existing ephemeral containers {gofmt.quote(name)} may not be"
            if name not in by_name:
                problems.append(field.forbidden(path, f"{text} removed\n"))
            elif by_name[name][1] != container:
                place, changed = by_name[name]
                sent = written.restore(changed, "spec", "ephemeralContainers", str(place))
                diff = gonames.diff("EphemeralContainer", container, sent)
                problems.append(field.forbidden(path, f"{text} changed\n{diff}"))
        return problems


def _with_sent(spec: Object, containers: list[Object]) -> Object:
    """The spec with what the request has written down empty in its ephemeral containers: all else is what was
    stored."""
    if not containers:
        return spec
    restored = [
        written.restore(each, "spec", "ephemeralContainers", str(position)) for position, each in enumerate(containers)
    ]
    return {**spec, "ephemeralContainers": restored}


class PodResizeStrategy(PodStrategy):
    def keep(self, new: Object, old: Object) -> None:
        spec, before = new["spec"], old["spec"]
        if any(len(spec.get(kind) or []) != len(before.get(kind) or []) for kind in _KINDS):
            return
        kept = dict(before)
        for kind in _KINDS:
            if kind in before:
                kept[kind] = _resized(spec[kind], before[kind])
        if "resources" in spec:
            kept["resources"] = spec["resources"]
        else:
            kept.pop("resources", None)
        new["spec"] = kept
        _keep_others(new, old)

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        return validate_resize(new, old)


def _keep_others(new: Object, old: Object) -> None:
    """What these addresses may not change, and the generation (upstream: ResetObjectMetaForStatus)."""
    new["status"] = old.get("status", {})
    metadata, before = new["metadata"], old["metadata"]
    for name in _KEPT:
        if name in before:
            metadata[name] = before[name]
        else:
            metadata.pop(name, None)
    if not semantic.same(new["spec"], old["spec"], "core", "PodSpec"):
        metadata["generation"] = before.get("generation", 0) + 1


def _resized(new: list[Object], old: list[Object]) -> list[Object]:
    """The old containers with what the new ones may use; the new ones where they are others, for validation to see."""
    if any(one.get("name") != before.get("name") for one, before in zip(new, old, strict=True)):
        return new
    merged: list[Object] = []
    for one, before in zip(new, old, strict=True):
        kept = dict(before)
        for name in RESIZABLE:
            if name in one:
                kept[name] = one[name]
            else:
                kept.pop(name, None)
        merged.append(kept)
    return merged
