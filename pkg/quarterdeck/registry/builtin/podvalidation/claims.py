"""What a pod's volumes and devices claim: templates of volume claims, claims of devices, bundles of trust.

Source: pkg/apis/core/validation/validation.go (ValidatePersistentVolumeClaimSpec, validatePodResourceClaim,
validateProjectionSources).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.apimachinery import field, names, quantity
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.podvalidation import checks, gonames
from quarterdeck.registry.builtin.podvalidation.checks import Object
from quarterdeck.schema import objectmeta

_ACCESS_MODES: Final = ("ReadOnlyMany", "ReadWriteMany", "ReadWriteOnce", "ReadWriteOncePod")
_VOLUME_MODES: Final = ("Block", "Filesystem")
_TEMPLATE_METADATA: Final = frozenset(("annotations", "labels"))


def validate_pod_claims(path: str, claims: list[Object]) -> list[FieldError]:
    problems: list[FieldError] = []
    seen: set[str] = set()
    for position, claim in enumerate(claims):
        at, name = field.index(path, position), claim.get("name", "")
        if not name:
            problems.append(field.required(f"{at}.name"))
        elif name in seen:
            problems.append(field.duplicate(f"{at}.name", name))
        else:
            problems += checks.named(f"{at}.name", name, names.dns1123_label)
            seen.add(name)
        present = [key for key in ("resourceClaimName", "resourceClaimTemplateName") if claim.get(key) is not None]
        if len(present) > 1:
            detail = "at most one of `resourceClaimName` or `resourceClaimTemplateName` may be specified"
            problems.append(field.invalid(at, gonames.show("PodResourceClaim", claim), detail))
        if not present:
            detail = "must specify one of: `resourceClaimName`, `resourceClaimTemplateName`"
            problems.append(field.invalid(at, gonames.show("PodResourceClaim", claim), detail))
        for key in present:
            problems += checks.named(f"{at}.{key}", claim[key], names.dns1123_subdomain)
    return problems


def validate_claim_template(path: str, template: Object) -> list[FieldError]:
    """Of a volume that is claimed for one pod."""
    metadata = template.get("metadata") or {}
    problems = objectmeta.validate_annotations(metadata.get("annotations") or {}, f"{path}.metadata.annotations")
    problems += checks.labels(f"{path}.metadata.labels", metadata.get("labels") or {})
    problems += [
        field.forbidden(f"{path}.metadata.{name}", "cannot be set")
        for name in metadata
        if name not in _TEMPLATE_METADATA
    ]
    return problems + _claim_spec(f"{path}.spec", template.get("spec") or {})


def _claim_spec(path: str, spec: Object) -> list[FieldError]:
    modes = spec.get("accessModes") or []
    problems = [] if modes else [field.required(f"{path}.accessModes", "at least 1 access mode is required")]
    problems += checks.label_selector(f"{path}.selector", spec.get("selector"))
    for mode in modes:
        problems += checks.one_of(f"{path}.accessModes", mode, _ACCESS_MODES)
    if "ReadWriteOncePod" in modes and any(mode in _ACCESS_MODES[:3] for mode in modes):
        detail = "may not use ReadWriteOncePod with other access modes"
        problems.append(field.forbidden(f"{path}.accessModes", detail))
    problems += _storage(f"{path}.resources[storage]", (spec.get("resources") or {}).get("requests") or {})
    for name in ("storageClassName", "volumeAttributesClassName"):
        if spec.get(name):
            problems += checks.named(f"{path}.{name}", spec[name], names.dns1123_subdomain)
    if (mode := spec.get("volumeMode")) is not None:
        problems += checks.one_of(f"{path}.volumeMode", mode, _VOLUME_MODES)
    for name in ("dataSource", "dataSourceRef"):
        if (source := spec.get(name)) is not None:
            problems += _data_source(f"{path}.{name}", source)
    return problems


def _storage(path: str, requests: dict[str, str]) -> list[FieldError]:
    if "storage" not in requests:
        return [field.required(path)]
    amount = quantity.parse(requests["storage"])
    return [] if amount.value > 0 else [field.invalid(path, str(amount), checks.NOT_POSITIVE)]


def _data_source(path: str, source: Object) -> list[FieldError]:
    problems = [field.required(f"{path}.{name}") for name in ("name", "kind") if not source.get(name)]
    group, kind = source.get("apiGroup") or "", source.get("kind", "")
    if not group and kind != "PersistentVolumeClaim":
        detail = "must be 'PersistentVolumeClaim' when referencing the default apiGroup"
        problems.append(field.invalid(path, kind, detail))
    if group:
        problems += checks.named(f"{path}.apiGroup", group, names.dns1123_subdomain)
    if source.get("namespace"):
        problems += checks.named(f"{path}.namespace", source["namespace"], names.namespace_name)
    return problems


def validate_trust_bundle(path: str, bundle: Object) -> list[FieldError]:
    name, signer = bundle.get("name"), bundle.get("signerName")
    problems: list[FieldError] = []
    if name is not None and signer is not None:
        shown = gonames.show("ClusterTrustBundleProjection", bundle)
        problems.append(field.invalid(path, shown, "only one of name and signerName may be used"))
    elif name is not None:
        problems += [] if name else [field.required(f"{path}.name", "must be a valid object name")]
        texts = [f"not a valid clustertrustbundlename: {text}" for text in names.dns1123_subdomain(name)]
        problems += checks.all_of(f"{path}.name", name, texts if ":" not in name else [])
        if bundle.get("labelSelector") is not None:
            detail = "labelSelector must be unset if name is specified"
            problems.append(field.invalid(f"{path}.labelSelector", bundle["labelSelector"], detail))
    elif signer is not None:
        problems += [] if signer else [field.required(f"{path}.signerName", "must be a valid signer name")]
        problems += checks.label_selector(f"{path}.labelSelector", bundle.get("labelSelector"))
    else:
        problems.append(field.required(path, "either name or signerName must be specified"))
    file = bundle.get("path", "")
    problems += [] if file else [field.required(f"{path}.path")]
    return problems + checks.plain_relative_path(f"{path}.path", file)
