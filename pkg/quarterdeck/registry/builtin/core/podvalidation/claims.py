"""What a pod's volumes and devices claim: templates of volume claims, claims of devices.

Source: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaimTemplate,
ValidatePersistentVolumeClaimSpec, validatePodResourceClaim).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, gofmt, names, quantity, sentamounts
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.registry.builtin.core.podvalidation import gonames
from quarterdeck.schema import objectmeta

_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES: Final = ("Block", "Filesystem")
# What the metadata of a template may not have, in Go's order and as upstream names it: it lowers the first letter.
_NOT_IN_TEMPLATES: Final = (
    *("name", "generateName", "namespace", "selfLink", "uID", "resourceVersion", "generation", "creationTimestamp"),
    *("deletionTimestamp", "deletionGracePeriodSeconds", "ownerReferences", "finalizers", "managedFields"),
)


def validate_pod_claims(path: str, claims: list[Object], *, is_static: bool) -> list[FieldError]:
    """`is_static`: the pod mirrors one that its node runs without being told."""
    if is_static:
        return [field.forbidden(field.NAMELESS_PATH, "static pods do not support resource claims") for _ in claims]
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, claim in enumerate(claims):
        at, name = field.index(path, position), claim.get("name", "")
        if not name:
            problems.append(field.required(f"{at}.name"))
        elif name in seen:
            problems.append(field.duplicate(f"{at}.name", name))
        else:
            problems += checks.name(f"{at}.name", name, names.dns1123_label)
            seen.add(name)
        present = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(key) is not None]
        if len(present) > 1:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            problems.append(field.invalid(at, gonames.show("PodResourceClaim", claim), detail))
        if not present:
            detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            problems.append(field.invalid(at, gonames.show("PodResourceClaim", claim), detail))
        for key in present:
            problems += checks.name(f"{at}.{key}", claim[key], names.dns1123_subdomain)
    return problems


def validate_claim_template(path: str, template: Object) -> list[FieldError]:
    """Of a volume that is claimed for one pod."""
    problems = validate_metadata_of_template(f"{path}.metadata", template.get("metadata") or {})
    return problems + validate_claim_spec(f"{path}.spec", template.get("spec") or {})


def validate_metadata_of_template(path: str, metadata: Object) -> list[FieldError]:
    """Of an object that is made from a template; an empty list counts (upstream: ValidateTemplateObjectMeta)."""
    problems = objectmeta.validate_annotations(metadata.get("annotations") or {}, f"{path}.annotations")
    problems += checks.labels(f"{path}.labels", metadata.get("labels") or {})
    return problems + [
        field.forbidden(f"{path}.{name}", "cannot be set")
        for name in _NOT_IN_TEMPLATES
        if metadata.get("uid" if name == "uID" else name) not in ("", None)
    ]


def validate_claim_spec(
    path: str, spec: Object, *, checks_values: bool = True, checks_groups: bool = True
) -> list[FieldError]:
    """`checks_values`: whether values in the selector are labels; `checks_groups`: whether those of sources are names
    of groups. An update lets pass what is wrong already."""
    modes = spec.get("accessModes") or []
    problems = [] if modes else [field.required(f"{path}.accessModes", "at least 1 access mode is required")]
    problems += checks.label_selector(f"{path}.selector", spec.get("selector"), checks_values=checks_values)
    for mode in modes:
        problems += checks.one_of(f"{path}.accessModes", mode, _ACCESS_MODES)
    if "ReadWriteOncePod" in modes and any(mode in _ACCESS_MODES[:3] for mode in modes):
        detail = "may not use ReadWriteOncePod with other access modes"
        problems.append(field.forbidden(f"{path}.accessModes", detail))
    problems += _storage(f"{path}.resources[storage]", (spec.get("resources") or {}).get("requests") or {})
    problems += _class_name(path, spec, "storageClassName")
    if (mode := spec.get("volumeMode")) is not None:
        problems += checks.one_of(f"{path}.volumeMode", mode, _VOLUME_MODES)
    problems += _data_sources(path, spec, checks_groups=checks_groups)
    return problems + _class_name(path, spec, "volumeAttributesClassName")


def _class_name(path: str, spec: Object, member: str) -> list[FieldError]:
    name = spec.get(member)
    return checks.name(f"{path}.{member}", name, names.dns1123_subdomain) if name else []


def warnings_of_claim(path: str, spec: Object) -> list[str]:
    """Bytes come whole. Source: pkg/api/persistentvolumeclaim/util.go (GetWarningsForPersistentVolumeClaimSpec)."""
    found: list[str] = []
    for kind in ("requests", "limits"):
        amounts = (spec.get("resources") or {}).get(kind) or {}
        if "storage" in amounts and (amount := sentamounts.parse(amounts["storage"])).milli() % 1000:
            at, shown = f"{path}.resources.{kind}[storage]", gofmt.quote(str(amount))
            found.append(f"{at}: fractional byte value {shown} is invalid, must be an integer")
    return found


def _storage(path: str, requests: dict[str, str]) -> list[FieldError]:
    if "storage" not in requests:
        return [field.required(path)]
    amount = quantity.parse(requests["storage"])
    return [] if amount.unscaled > 0 else [field.invalid(path, str(amount), checks.NOT_POSITIVE)]


def _data_sources(path: str, spec: Object, *, checks_groups: bool) -> list[FieldError]:
    """What a volume is filled with. Upstream shows a path where it means a value: an empty object."""
    source, reference = spec.get("dataSource"), spec.get("dataSourceRef")
    problems: list[FieldError] = []
    for name, found in (("dataSource", source), ("dataSourceRef", reference)):
        if found is not None:
            problems += _data_source(f"{path}.{name}", found, checks_groups=checks_groups)
    if source is None or reference is None:
        return problems
    if reference.get("namespace"):
        problems.append(field.invalid(path, {}, "may not be specified when dataSourceRef.namespace is specified"))
    elif any(source.get(name) != reference.get(name) for name in ("apiGroup", "kind", "name")):
        problems.append(field.invalid(path, {}, "must match dataSourceRef"))
    return problems


def _data_source(path: str, source: Object, *, checks_groups: bool) -> list[FieldError]:
    problems = [field.required(f"{path}.{name}") for name in ("name", "kind") if not source.get(name)]
    group, kind = source.get("apiGroup") or "", source.get("kind", "")
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        problems.append(field.invalid(path, kind, detail))
    if group and checks_groups:
        problems += checks.name(f"{path}.apiGroup", group, names.dns1123_subdomain)
    if source.get("namespace"):
        problems += checks.name(f"{path}.namespace", source["namespace"], names.namespace_name)
    return problems
