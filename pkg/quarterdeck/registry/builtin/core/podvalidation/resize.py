"""What may change of the amounts that a running pod has.

Source: pkg/apis/core/validation/validation.go (ValidatePodResize).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import semantic, written
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podamounts import quality_of_service
from quarterdeck.registry.builtin.core.poddropped import restore_spec
from quarterdeck.registry.builtin.core.podvalidation import podannotations
from quarterdeck.registry.builtin.core.podvalidation.spec import validate_pod

_KINDS: Final = ("containers", "initContainers")
_AMOUNTS: Final = ("requests", "limits")
_RESIZED: Final = ("cpu", "memory")
# What a request may change of a container.
RESIZABLE: Final = ("resources", "resizePolicy")
_ONLY_AMOUNTS: Final = "only cpu and memory resources are mutable"


def validate_resize(new: Object, old: Object) -> list[FieldError]:
    spec, before, status = new["spec"], old["spec"], old.get("status") or {}
    problems = validate_pod(new, old, _restored(spec, before))
    if podannotations.MIRROR in (old["metadata"].get("annotations") or {}):
        return [field.forbidden(field.NAMELESS_PATH, "static pods cannot be resized")]
    if (before.get("os") or {}).get("name") == "windows":
        return [field.forbidden(field.NAMELESS_PATH, "windows pods cannot be resized")]
    service = status.get("qosClass") or quality_of_service(before)
    if service != quality_of_service(spec):
        detail = "Pod QOS Class may not change as a result of resizing"
        shown = (new.get("status") or {}).get("qosClass", "")
        problems.append(field.invalid("spec", shown, detail))
    if not _is_supported(status):
        problems.append(field.forbidden("spec", "Pod running on node without support for resize"))
    problems += _validate_pod_level(spec.get("resources"), before.get("resources"))
    if status.get("nodeAllocatableResourceClaimStatuses"):
        detail = "pods with node allocatable resource claims cannot be resized"
        problems.append(field.forbidden("spec", detail))
    if misplaced := _validate_order(spec, before):
        return problems + misplaced
    pairs = {kind: list(zip(spec.get(kind) or [], before.get(kind) or [], strict=True)) for kind in _KINDS}
    for kind in reversed(_KINDS):
        problems += _validate_kept(kind, pairs[kind])
    for kind in _KINDS:
        for position, (one, other) in enumerate(pairs[kind]):
            problems += _validate_container(kind, position, one, other)
    found, known = spec.get("resources"), before.get("resources")
    if not problems and not _has_amounts(found) and not _has_amounts(known) and (found is None) != (known is None):
        problems.append(field.forbidden("spec", _ONLY_AMOUNTS))  # of the pod as a whole, where there are none
    return problems


def _restored(new: Object, old: Object) -> Object:
    """The spec with what the request has written down empty. Of containers that are the ones before in their order, all
    but their amounts is what was stored."""
    pairs = {kind: (new.get(kind) or [], old.get(kind) or []) for kind in _KINDS}
    if any(len(found) != len(known) for found, known in pairs.values()):
        return restore_spec(new, "spec")
    restored = dict(new)
    for kind, (found, known) in pairs.items():
        are_known = all(one.get("name") == other.get("name") for one, other in zip(found, known, strict=True))
        if found:
            members = RESIZABLE if are_known else ()
            restored[kind] = [
                _restored_container(one, members, "spec", kind, str(position)) for position, one in enumerate(found)
            ]
    if "resources" in new:
        restored["resources"] = written.restore(new["resources"], "spec", "resources")
    return restored


def _restored_container(container: Object, members: tuple[str, ...], *path: str) -> Object:
    """`members`: what of it the request has; nothing for all."""
    restored = written.restore(container, *path)
    if not members:
        return restored
    kept = {name: value for name, value in container.items() if name not in members}
    return kept | {name: restored[name] for name in members if name in restored}


def _is_supported(status: Object) -> bool:
    """A node that can resize tells what its containers use."""
    for container in status.get("containerStatuses") or []:
        if (container.get("state") or {}).get("running") is not None:
            return container.get("resources") is not None
    return True


def _validate_pod_level(new: Object | None, old: Object | None) -> list[FieldError]:
    """What the pod says as a whole."""
    if not _has_amounts(new) and not _has_amounts(old):
        return []
    if new is None:
        return [field.forbidden("spec.resources", "pod-level resources cannot be removed")]
    known = old or {}
    problems = [
        field.forbidden(f"spec.resources.{name}", f"pod-level resource {name} cannot be removed")
        for name in _AMOUNTS
        if _has_lost(new.get(name), known.get(name))
    ]
    if not semantic.same(_masked(new), _masked(known), "core", "ResourceRequirements"):
        problems.append(field.forbidden("spec", "only cpu and memory resources are mutable at pod-level"))
    return problems


def _has_amounts(resources: Object | None) -> bool:
    return bool(resources and (resources.get("requests") or resources.get("limits")))


def _has_lost(new: Object | None, old: Object | None) -> bool:
    return bool(set(old or {}) - set(new or {}))


def _masked(resources: Object) -> Object:
    """Without the amounts that may change."""
    amounts = {
        kind: {name: amount for name, amount in (resources.get(kind) or {}).items() if name not in _RESIZED}
        for kind in _AMOUNTS
    }
    return {**resources, **amounts}


def _validate_order(new: Object, old: Object) -> list[FieldError]:
    problems: list[FieldError] = []
    for kind in _KINDS:
        found, known = new.get(kind) or [], old.get(kind) or []
        if len(found) != len(known):
            problems.append(field.forbidden(f"spec.{kind}", f"{kind} may not be added or removed on resize"))
            continue
        problems += [
            field.forbidden(
                f"{field.index(f'spec.{kind}', position)}.name", f"{kind} may not be renamed or reordered on resize"
            )
            for position, (one, other) in enumerate(zip(found, known, strict=True))
            if one.get("name", "") != other.get("name", "")
        ]
    return problems


def _validate_kept(kind: str, pairs: list[tuple[Object, Object]]) -> list[FieldError]:
    """What containers ask for may be more or less, not nothing."""
    return [
        field.forbidden(
            f"{field.index(f'spec.{kind}', position)}.resources.{name}", f"resource {name} cannot be removed"
        )
        for position, (new, old) in enumerate(pairs)
        for name in _AMOUNTS
        if _has_lost((new.get("resources") or {}).get(name), (old.get("resources") or {}).get(name))
    ]


def _validate_container(kind: str, position: int, new: Object, old: Object) -> list[FieldError]:
    at = field.index(f"spec.{kind}", position)
    found, known = new.get("resources") or {}, old.get("resources") or {}
    problems: list[FieldError] = []
    # Upstream compares without what the new one claims, and with what the old one does.
    masked = {name: amounts for name, amounts in _masked(found).items() if name != "claims"}
    kept, before = {**new, "resources": masked}, {**old, "resources": _masked(known)}
    is_kept = semantic.same(kept, before, "core", "Container")
    if kind == "containers":
        return problems if is_kept else [*problems, field.forbidden("spec", _ONLY_AMOUNTS)]
    if not is_kept:
        detail = "only cpu and memory resources for init or sidecar containers are mutable"
        problems.append(field.forbidden(at, detail))
    if new.get("restartPolicy") != "Always" and not semantic.same(new, old, "core", "Container"):
        detail = "non-sidecar init containers with a resize policy of RestartContainer cannot be resized"
        problems += [
            field.forbidden(at, detail)
            for policy in new.get("resizePolicy") or []
            if policy.get("restartPolicy") == "RestartContainer"
        ]
    return problems
