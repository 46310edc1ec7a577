"""Claims of persistent volumes as data: nobody binds them.

Source: pkg/registry/core/persistentvolumeclaim/strategy.go, pkg/api/persistentvolumeclaim/util.go,
pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaim*).
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.apimachinery import field, names, podamounts, quantity, sentamounts
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core.persistentvolume import CLASS_ANNOTATION, validate_basic_amount
from quarterdeck.registry.builtin.core.podspec import default_claim_spec, default_claim_status
from quarterdeck.registry.builtin.core.podvalidation import claims, gonames, resources
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object, copy_value

_RESIZE_STATUSES: Final = (
    "ControllerResizeInProgress",
    "ControllerResizeInfeasible",
    "NodeResizeInProgress",
    "NodeResizeInfeasible",
    "NodeResizePending",
)
_SNAPSHOT: Final = ("snapshot.storage.k8s.io", "VolumeSnapshot")
_CLAIM: Final = ("", "PersistentVolumeClaim")
_REFERENCE: Final = ("apiGroup", "kind", "name")
_SIZE: Final = "spec.resources.requests.storage"
_UNCHANGEABLE: Final = (
    "spec is immutable after creation except resources.requests and volumeAttributesClassName for bound claims"
)


def default_claim(obj: Object) -> None:
    default_claim_spec(obj["spec"])
    default_claim_status(obj["status"])


class PersistentVolumeClaimStrategy(BuiltinStrategy):
    validates_metadata_again = True
    validates_changed_metadata = False  # but after all that holds of new claims

    def default_new(self, obj: Object) -> None:
        obj["status"] = {}
        _keep_sources(obj["spec"], {})

    def is_stored_with_less(self, obj: Object, *, is_new: bool, dry_run: bool) -> bool:
        """The status is stored empty: that the claim is pending is said by whoever reads it."""
        if is_new:
            default_claim_status(obj["status"])
        return is_new

    def keep(self, new: Object, old: Object) -> None:
        new["status"] = old["status"]
        _keep_sources(new["spec"], old["spec"])

    def check(self, obj: Object) -> list[FieldError]:
        return claims.validate_claim_spec("spec", obj["spec"])

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        before = old["spec"]
        problems = claims.validate_claim_spec(
            "spec",
            new["spec"],
            checks_values=not checks.label_selector("", before.get("selector")),
            checks_groups=all(
                (before.get(name) or {}).get("apiGroup") is None for name in ("dataSource", "dataSourceRef")
            ),
        )
        return problems + self._validate_changed_metadata(new, old) + _validate_update(new, old)

    def warn(self, obj: Object) -> list[str]:
        return _warnings_of(obj)


class PersistentVolumeClaimStatusStrategy(BuiltinStrategy):
    def keep(self, new: Object, old: Object) -> None:
        new["spec"] = old["spec"]

    def check_update(self, new: Object, old: Object) -> list[FieldError]:
        status = new["status"]
        problems: list[FieldError] = []
        for name, text in sorted((status.get("capacity") or {}).items()):
            problems += validate_basic_amount(field.key("status.capacity", name), text)
        path = "status.allocatedResourceStatuses"
        for name, state in sorted((status.get("allocatedResourceStatuses") or {}).items()):
            problems += _resource_key(path, name)
            if state not in _RESIZE_STATUSES:
                problems.append(field.not_supported(path, name, list(_RESIZE_STATUSES)))
        path = "status.allocatedResources"
        for name, text in sorted((status.get("allocatedResources") or {}).items()):
            wrong = _resource_key(path, name)
            wrong = wrong or validate_basic_amount(field.key(path, name), text)
            problems += wrong or resources.validate_amount(field.key(path, name), "storage", sentamounts.parse(text))
        return problems


def _resource_key(path: str, name: str) -> list[FieldError]:
    problems = checks.name(path, name, names.qualified_name)
    if not problems and podamounts.is_native(name) and name != "storage":
        problems.append(field.not_supported(path, name, ["storage"]))
    return problems


def _keep_sources(spec: Object, old: Object) -> None:
    """A source that nothing could fill is dropped, and each of the two members tells what the other does (KEP-1495)."""
    reference, before = spec.get("dataSourceRef"), old.get("dataSourceRef")
    if reference is not None and reference.get("namespace") and before is None:
        del spec["dataSourceRef"]  # CrossNamespaceVolumeDataSource is off by default
        reference = None
    source = spec.get("dataSource")
    if source is not None and reference is None and _is_without_source(old) and not _is_known(source):
        del spec["dataSource"]
    match_sources(spec)


def match_sources(spec: Object) -> None:
    """Each of the two members tells what the other does."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    if source is not None and reference is None:
        spec["dataSourceRef"] = _reference(source)
    elif source is None and reference is not None and not reference.get("namespace"):
        spec["dataSource"] = _reference(reference)


def _is_without_source(spec: Object) -> bool:
    return spec.get("dataSource") is None and spec.get("dataSourceRef") is None


def _is_known(source: Object) -> bool:
    return (source.get("apiGroup") or "", source.get("kind", "")) in (_CLAIM, _SNAPSHOT)


def _reference(source: Object) -> Object:
    return {name: source[name] for name in _REFERENCE if name in source}


def _validate_update(new: Object, old: Object) -> list[FieldError]:
    spec, before = copy_value(new["spec"]), copy_value(old["spec"])
    if not before.get("volumeName") and spec.get("volumeName"):
        before["volumeName"] = spec["volumeName"]
    problems = _validate_class(new, old, spec)
    if new["status"].get("phase") == "Bound":
        _take_changeable(spec, before)
    if _comparable(spec) != _comparable(before):
        dropped = ("dataSource",) if _is_without_source(before) else ()
        shown = gonames.diff("PersistentVolumeClaimSpec", before, written.restore(spec, "spec", dropped=dropped))
        detail = f"{_UNCHANGEABLE}\n{shown}"
        problems.append(field.forbidden("spec", detail))
    size, known_size = _storage(new["spec"]), _storage(old["spec"])
    if size < known_size and size <= quantity.parse((old["status"].get("capacity") or {}).get("storage", "0")):
        problems.append(field.forbidden(_SIZE, "field can not be less than status.capacity"))
    if new["spec"].get("volumeMode") != old["spec"].get("volumeMode"):
        problems.append(field.invalid("volumeMode", field.named(new["spec"].get("volumeMode")), "field is immutable"))
    return problems + _validate_attributes_class(new["spec"], old)


def _validate_attributes_class(spec: Object, old: Object) -> list[FieldError]:
    """A class that the volume has got cannot be taken from its claim."""
    path, name = "spec.volumeAttributesClassName", spec.get("volumeAttributesClassName")
    if name or name == old["spec"].get("volumeAttributesClassName"):
        return []
    if old["status"].get("currentVolumeAttributesClassName") is None:
        return []
    what = "nil" if name is None else "empty string"
    detail = f"update to {what} is forbidden when status.currentVolumeAttributesClassName is not nil"
    return [field.forbidden(path, detail)]


def _validate_class(new: Object, old: Object, spec: Object) -> list[FieldError]:
    """The class may move from its annotation to its field, or be given where there was none; `spec`, which is compared
    with the old one, then gets the old class."""
    found, before = (obj["metadata"].get("annotations") or {} for obj in (new, old))
    name, known = new["spec"].get("storageClassName"), old["spec"].get("storageClassName")
    is_annotated = CLASS_ANNOTATION in before
    annotation = before.get(CLASS_ANNOTATION, "")
    is_moved = known is None and name is not None and is_annotated and name == annotation
    if is_moved and found.get(CLASS_ANNOTATION, annotation) == annotation:
        del spec["storageClassName"]
        return []
    problems: list[FieldError] = []
    if found.get(CLASS_ANNOTATION, "") != annotation:
        path = f"metadata.annotations.{CLASS_ANNOTATION}"
        problems.append(field.invalid(path, found.get(CLASS_ANNOTATION, ""), "field is immutable"))
    if known is None and name is not None and (not is_annotated or name == annotation):
        del spec["storageClassName"]
    return problems


def _take_changeable(spec: Object, before: Object) -> None:
    """What a bound claim may change is as it was. An amount that was not there is shown as zero."""
    requests = (spec.get("resources") or {}).get("requests")
    if requests is not None or written.is_empty("spec", "resources", "requests"):
        storage = ((before.get("resources") or {}).get("requests") or {}).get("storage", "0")
        spec["resources"] = {**(spec.get("resources") or {}), "requests": {**(requests or {}), "storage": storage}}
    if before.get("volumeAttributesClassName") is not None:
        spec["volumeAttributesClassName"] = before["volumeAttributesClassName"]
    else:
        spec.pop("volumeAttributesClassName", None)


def _comparable(spec: Object) -> Any:
    """Amounts are equal where they are worth the same; nothing and an empty list or map are the same, but an empty
    selector or source is something."""
    found = {name: value for name, value in spec.items() if value not in (None, [])}
    found["resources"] = {
        kind: {name: quantity.parse(text) for name, text in amounts.items()}
        for kind, amounts in (spec.get("resources") or {}).items()
        if amounts
    }
    return found


def _storage(spec: Object) -> quantity.Quantity:
    return quantity.parse(((spec.get("resources") or {}).get("requests") or {}).get("storage", "0"))


def _warnings_of(obj: Object) -> list[str]:
    found: list[str] = []
    if CLASS_ANNOTATION in (obj["metadata"].get("annotations") or {}):
        text = 'deprecated since v1.8; use "storageClassName" attribute instead'
        found.append(f"{field.key('metadata.annotations', CLASS_ANNOTATION)}: {text}")
    return found + claims.warnings_of_claim("spec", obj["spec"])
