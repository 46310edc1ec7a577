"""What of a pod may change.

Source: pkg/apis/core/validation/validation.go (ValidatePodUpdate).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, gotext
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, semantic, written
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.poddropped import restore_spec
from quarterdeck.registry.builtin.core.podvalidation import gonames, podannotations, scheduling
from quarterdeck.registry.builtin.core.podvalidation.spec import annotations_of, validate_pod
from quarterdeck.registry.strategy import copy_value

_UNCHANGEABLE: Final = (
    "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,"
    "`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),"
    "`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)"
)
_REQUIRED: Final = "requiredDuringSchedulingIgnoredDuringExecution"
# Upstream builds these anew before it compares, so that an empty list of them is none.
_MADE_ANEW: Final = ("initContainers", "schedulingGates", "tolerations")


def validate_pod_update(new: Object, old: Object) -> list[FieldError]:
    spec, before = new["spec"], old["spec"]
    found, known = annotations_of(new), annotations_of(old)
    problems = validate_pod(new, old)
    problems += podannotations.validate_update(found, known, "metadata.annotations")
    problems += podannotations.validate(found, spec, "metadata.annotations", known)
    for member in ("containers", "initContainers"):
        if len(spec.get(member) or []) != len(before.get(member) or []):
            detail = "pod updates may not add or remove containers"
            return [*problems, field.forbidden(f"spec.{member}", detail)]
        problems += _images(f"spec.{member}", spec.get(member) or [])
    wrong_deadline, is_last = _deadline(spec, before)
    problems += wrong_deadline
    if is_last:
        return problems
    problems += _tolerations(spec.get("tolerations") or [], before.get("tolerations") or [])
    problems += _gates(spec.get("schedulingGates") or [], before.get("schedulingGates") or [])
    if semantic.same(spec, before, "core", "PodSpec"):
        return problems
    kept = _with_changeable(spec, before)
    if before.get("schedulingGates"):
        problems += _placement(kept, before)
    if not semantic.same(kept, before, "core", "PodSpec"):
        shown = gonames.diff("PodSpec", before, _restore(kept, spec))
        problems.append(field.forbidden("spec", f"{_UNCHANGEABLE}\n{shown}"))
    return problems


def _restore(kept: Object, sent: Object) -> Object:
    """What is compared of the pod with what the request has written down empty, but for what was put back."""
    spec = restore_spec(kept, "spec", dropped=_MADE_ANEW)
    affinity, wanted = (each.get("affinity") or {} for each in (kept, sent))
    if "affinity" in kept and affinity.get("nodeAffinity") != wanted.get("nodeAffinity"):
        _take(spec["affinity"], affinity, "nodeAffinity")
    for member in ("containers", "initContainers"):
        for container in spec.get(member) or []:
            amounts = container.get("resources") or {}
            if amounts.get("limits") == {}:  # which default what is asked for, as any do
                amounts.setdefault("requests", {})
    return spec


def _images(path: str, containers: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, container in enumerate(containers):
        at, image = f"{field.index(path, position)}.image", container.get("image", "")
        if not image:
            problems.append(field.required(at))
        if image != gotext.strip(image):
            problems.append(field.invalid(at, image, "must not have leading or trailing whitespace"))
    return problems


def _deadline(new: Object, old: Object) -> tuple[list[FieldError], bool]:
    """(what is wrong, whether upstream looks no further)."""
    path = "spec.activeDeadlineSeconds"
    deadline, before = new.get("activeDeadlineSeconds"), old.get("activeDeadlineSeconds")
    if deadline is None:
        detail = "must not update from a positive integer to nil value"
        return ([field.invalid(path, None, detail)] if before is not None else []), False
    if wrong := checks.in_range(path, deadline, 0, checks.ID_MAX):
        return wrong, True
    if before is not None and before < deadline:
        return [field.invalid(path, deadline, "must be less than or equal to previous value")], True
    return [], False


def _tolerations(new: list[Object], old: list[Object]) -> list[FieldError]:
    """They are only added to; only how long one lasts may change."""
    there = {_identity(one) for one in new}
    if all(_identity(one) in there for one in old):
        return scheduling.validate_tolerations("spec.tolerations", new)
    detail = "existing toleration can not be modified except its tolerationSeconds"
    return [field.forbidden("spec.tolerations", detail)]


def _identity(toleration: Object) -> tuple[tuple[str, Any], ...]:
    return tuple(sorted((name, value) for name, value in toleration.items() if name != "tolerationSeconds"))


def _gates(new: list[Object], old: list[Object]) -> list[FieldError]:
    """Of gates of one name the last is told of."""
    added = {gate.get("name", ""): position for position, gate in enumerate(new)}
    for gate in old:
        added.pop(gate.get("name", ""), None)
    return [
        field.forbidden(
            f"{field.index('spec.schedulingGates', position)}.name",
            f"only deletion is allowed, but found new scheduling gate '{name}'",
        )
        for name, position in added.items()
    ]


def _with_changeable(new: Object, old: Object) -> Object:
    """The new spec with all that may change as it was."""
    spec = copy_value(new)
    for member in ("containers", "initContainers"):
        for container, before in zip(spec.get(member) or [], old.get(member) or [], strict=True):
            _take(container, before, "image")
    for name in ("activeDeadlineSeconds", "schedulingGates", "tolerations"):
        _take(spec, old, name)
    if old.get("terminationGracePeriodSeconds", 0) < 0 and spec.get("terminationGracePeriodSeconds") == 1:
        spec["terminationGracePeriodSeconds"] = old["terminationGracePeriodSeconds"]
    return spec


def _take(value: Object, before: Object, name: str) -> None:
    if name in before:
        value[name] = before[name]
    else:
        value.pop(name, None)


def _placement(kept: Object, before: Object) -> list[FieldError]:
    """A pod behind a gate may still be told where to run; `kept` gets back what it was told before."""
    problems: list[FieldError] = []
    selector, old_selector = kept.get("nodeSelector") or {}, before.get("nodeSelector") or {}
    if any(selector.get(key) != value for key, value in old_selector.items()):
        detail = "only additions to spec.nodeSelector are allowed (no mutations or deletions)"
        shown = selector if selector or written.is_empty("spec", "nodeSelector") else None
        problems.append(field.invalid("spec.nodeSelector", shown, detail))
    _take(kept, before, "nodeSelector")
    affinity = kept.get("affinity") or {}
    new, old = affinity.get("nodeAffinity"), (before.get("affinity") or {}).get("nodeAffinity")
    if new == old:
        return problems
    problems += _node_affinity("spec.affinity.nodeAffinity", new or {}, old or {})
    changed = {name: value for name, value in affinity.items() if name != "nodeAffinity"}
    if old is not None:
        changed["nodeAffinity"] = old
    if changed or "affinity" in before:
        kept["affinity"] = changed
    else:
        kept.pop("affinity", None)
    return problems


def _node_affinity(path: str, new: Object, old: Object) -> list[FieldError]:
    """Terms of nodes only grow."""
    at = f"{path}.{_REQUIRED}.nodeSelectorTerms"
    given = (new.get(_REQUIRED) or {}).get("nodeSelectorTerms")
    where = ("spec", "affinity", "nodeAffinity", _REQUIRED, "nodeSelectorTerms")
    terms = [written.restore(term, *where, str(position)) for position, term in enumerate(given or [])]
    before = (old.get(_REQUIRED) or {}).get("nodeSelectorTerms") or []
    if not before:
        return []
    if len(before) != len(terms):
        shown = None if given is None else [gonames.to_go("NodeSelectorTerm", term) for term in terms]
        detail = "no additions/deletions to non-empty NodeSelectorTerms list are allowed"
        return [field.invalid(at, shown, detail)]
    detail = "only additions are allowed (no mutations or deletions)"
    return [
        field.invalid(field.index(at, position), gonames.show("NodeSelectorTerm", term), detail)
        for position, (term, old_term) in enumerate(zip(terms, before, strict=True))
        if not _only_adds(term, old_term)
    ]


def _only_adds(new: Object, old: Object) -> bool:
    members = ("matchExpressions", "matchFields")
    if not any(old.get(name) for name in members) and any(new.get(name) for name in members):
        return False
    return all((new.get(name) or [])[: len(old.get(name) or [])] == (old.get(name) or []) for name in members)
