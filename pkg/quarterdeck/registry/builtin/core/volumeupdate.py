"""What may change of a persistent volume.

Source: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeUpdate and what it calls).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError, GoText
from quarterdeck.registry.builtin import checks, written
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import gotypes

# Labels of nodes and what they are called now.
_RENAMED_LABELS: Final = {
    "failure-domain.beta.kubernetes.io/zone": "topology.kubernetes.io/zone",
    "failure-domain.beta.kubernetes.io/region": "topology.kubernetes.io/region",
    "beta.kubernetes.io/instance-type": "node.kubernetes.io/instance-type",
    "beta.kubernetes.io/os": "kubernetes.io/os",
    "beta.kubernetes.io/arch": "kubernetes.io/arch",
}
_REQUIREMENTS: Final = ("matchExpressions", "matchFields")


def validate_volume_update(new: Object, old: Object) -> list[FieldError]:
    """Of two specs."""
    problems: list[FieldError] = []
    names_of_sources = gotypes.named_struct("core", "PersistentVolumeSource").fields
    source, before = ({name: spec[name] for name in names_of_sources if name in spec} for spec in (new, old))
    restored = written.restore(new, "spec")
    added = (source.get("csi") or {}).get("controllerExpandSecretRef")
    if added is not None and "csi" in before and before["csi"].get("controllerExpandSecretRef") is None:
        source["csi"] = {name: value for name, value in source["csi"].items() if name != "controllerExpandSecretRef"}
    if source != before:
        source |= {name: restored[name] for name in source if name != "csi" or source[name] is new[name]}
        shown = gonames.diff("PersistentVolumeSource", before, source)
        detail = f"spec.persistentvolumesource is immutable after creation\n{shown}"
        problems.append(field.forbidden("spec.persistentvolumesource", detail))
    if new.get("volumeMode") != old.get("volumeMode"):
        problems.append(field.invalid("volumeMode", new.get("volumeMode"), "field is immutable"))
    if old.get("nodeAffinity") is not None:
        problems += _affinity(new.get("nodeAffinity"), old["nodeAffinity"], restored.get("nodeAffinity"))
    if old.get("volumeAttributesClassName") is not None and new.get("volumeAttributesClassName") is None:
        detail = "update from non-nil value to nil is forbidden"
        problems.append(field.forbidden("spec.volumeAttributesClassName", detail))
    return problems


def _affinity(new: Object | None, old: Object, sent: Object | None) -> list[FieldError]:
    """Labels may get the names that they have now. `sent`: as it is shown."""
    if new is not None and checks.same(_with_old_labels(new, old), old):
        return []
    shown = GoText("null") if sent is None else gonames.show("VolumeNodeAffinity", sent)
    return [field.invalid("nodeAffinity", shown, "field is immutable, except for updating from beta label to GA")]


def _with_old_labels(new: Object, old: Object) -> Object:
    """`new` with the label names of `old`, where they are those of before."""
    terms = (new.get("required") or {}).get("nodeSelectorTerms")
    before = (old.get("required") or {}).get("nodeSelectorTerms")
    if not terms or not before or len(terms) != len(before):
        return new
    changed = [_term_with_old_labels(*pair) for pair in zip(terms, before, strict=True)]
    return {**new, "required": {**new["required"], "nodeSelectorTerms": changed}}


def _term_with_old_labels(new: Object, old: Object) -> Object:
    changed = dict(new)
    for member in _REQUIREMENTS:
        found, before = new.get(member) or [], old.get(member) or []
        if found and len(found) == len(before):
            changed[member] = [_with_old_key(*pair) for pair in zip(found, before, strict=True)]
    return changed


def _with_old_key(new: Object, old: Object) -> Object:
    known = old.get("key", "")
    # As upstream, which finds that a label without another name has none, and lets it lose its own.
    return {**new, "key": known} if _RENAMED_LABELS.get(known, "") == new.get("key", "") else new
