"""The Go schemes that kinds are registered in: which kinds each knows, also in versions that are not served any more.

An object in such a version is read, and then told that it is of another version than its address.

Source: pkg/apis/*/install/install.go, staging/src/k8s.io/api/*/*/register.go.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache, lru_cache, partial
from typing import Any, Final

from quarterdeck.apimachinery import meta
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import versions
from quarterdeck.apimachinery.typetables import reader
from quarterdeck.cel import recursion
from quarterdeck.schema import gotypes, oldtypes
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import STRING, Field, ListOf, MapOf, Struct

_LEGACY: Final = "pkg/api/legacyscheme/scheme.go:30"
# Groups whose servers have a scheme of their own, which knows nothing else.
_OWN: Final = {
    "apiextensions.k8s.io": "k8s.io/apiextensions-apiserver/pkg/apiserver/apiserver.go:55",
    "apiregistration.k8s.io": "k8s.io/kube-aggregator/pkg/apiserver/scheme/scheme.go:28",
}

_POLICIES: Final = (
    "ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding MutatingAdmissionPolicy MutatingAdmissionPolicyBinding"
)
_ROLES: Final = "Role RoleBinding ClusterRole ClusterRoleBinding"
_CLAIMS: Final = "DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice"
_FLOWS: Final = "FlowSchema PriorityLevelConfiguration"
_UNSERVED: Final = {
    "admission.k8s.io/v1": "AdmissionReview",
    "admission.k8s.io/v1beta1": "AdmissionReview",
    "admissionregistration.k8s.io/v1alpha1": _POLICIES,
    "admissionregistration.k8s.io/v1beta1": f"ValidatingWebhookConfiguration MutatingWebhookConfiguration {_POLICIES}",
    "apps/v1beta1": "ControllerRevision Deployment DeploymentRollback Scale StatefulSet",
    "apps/v1beta2": "ControllerRevision DaemonSet Deployment ReplicaSet Scale StatefulSet",
    "authentication.k8s.io/v1alpha1": "SelfSubjectReview",
    "authentication.k8s.io/v1beta1": "SelfSubjectReview TokenReview",
    "authorization.k8s.io/v1beta1": (
        "LocalSubjectAccessReview SelfSubjectAccessReview SelfSubjectRulesReview SubjectAccessReview"
    ),
    "batch/v1beta1": "CronJob",
    "certificates.k8s.io/v1alpha1": "ClusterTrustBundle",
    "certificates.k8s.io/v1beta1": "CertificateSigningRequest ClusterTrustBundle PodCertificateRequest",
    "coordination.k8s.io/v1alpha2": "LeaseCandidate",
    "coordination.k8s.io/v1beta1": "Lease LeaseCandidate",
    "discovery.k8s.io/v1beta1": "EndpointSlice",
    "events.k8s.io/v1beta1": "Event",
    "extensions/v1beta1": "DaemonSet Deployment DeploymentRollback Ingress NetworkPolicy ReplicaSet Scale",
    "flowcontrol.apiserver.k8s.io/v1beta1": _FLOWS,
    "flowcontrol.apiserver.k8s.io/v1beta2": _FLOWS,
    "flowcontrol.apiserver.k8s.io/v1beta3": _FLOWS,
    "imagepolicy.k8s.io/v1alpha1": "ImageReview",
    "internal.apiserver.k8s.io/v1alpha1": "StorageVersion",
    "networking.k8s.io/v1beta1": "IPAddress Ingress IngressClass ServiceCIDR",
    "node.k8s.io/v1alpha1": "RuntimeClass",
    "node.k8s.io/v1beta1": "RuntimeClass",
    "policy/v1beta1": "Eviction PodDisruptionBudget",
    "rbac.authorization.k8s.io/v1alpha1": _ROLES,
    "rbac.authorization.k8s.io/v1beta1": _ROLES,
    "resource.k8s.io/v1alpha3": "DeviceTaintRule ResourcePoolStatusRequest",
    "resource.k8s.io/v1beta1": _CLAIMS,
    "resource.k8s.io/v1beta2": f"{_CLAIMS} DeviceTaintRule",
    "scheduling.k8s.io/v1alpha2": "PodGroup Workload",
    "scheduling.k8s.io/v1beta1": "PriorityClass",
    "storage.k8s.io/v1alpha1": "CSIStorageCapacity VolumeAttachment VolumeAttributesClass",
    "storage.k8s.io/v1beta1": (
        "CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment VolumeAttributesClass"
    ),
    "storagemigration.k8s.io/v1beta1": "StorageVersionMigration",
}
# What the core group knows beside its resources.
_BESIDE_KINDS: Final = frozenset(
    (
        "List",
        "NodeProxyOptions",
        "PodAttachOptions",
        "PodExecOptions",
        "PodLogOptions",
        "PodPortForwardOptions",
        "PodProxyOptions",
        "PodStatusResult",
        "RangeAllocation",
        "SerializedReference",
        "ServiceProxyOptions",
    )
)
_WITHOUT_LIST: Final = frozenset(
    (
        "AdmissionReview",
        "ConversionReview",
        "DeploymentRollback",
        "ImageReview",
        *versions.UNLISTED,
        *versions.UNVERSIONED,
        *_BESIDE_KINDS,
    )
)
_VERSIONS_MAX: Final = 256  # clients may name any
_NO_KINDS: Final = ("meta.k8s.io", "apidiscovery.k8s.io")  # whose types a scheme has only in other groups
# The groups that a group's kinds went to.
_SUCCESSORS: Final = {"extensions": ("apps", "networking.k8s.io")}


def scheme_of(group: str) -> codec.Scheme:
    return _OF_OWN.get(group, _OF_LEGACY)


def _is_registered(own: str, group: str, version: str, kind: str) -> bool:
    """Whether a scheme knows the kind. `own`: the group that has the scheme to itself, "" where all others share it."""
    if kind in versions.UNVERSIONED or (kind == "WatchEvent" and own == "apiextensions.k8s.io"):
        return True
    if version == versions.INTERNAL:
        return _is_internal(own, group, kind)
    kinds = _kinds_of(own, group, version)
    return bool(kinds) and (kind in versions.OF_ANY_GROUP or _is_among(kind, kinds))


def _is_internal(own: str, group: str, kind: str) -> bool:
    """Internal types are those of all versions of a group together."""
    each = [kinds for version in versions.ANY if (kinds := _kinds_of(own, group, version))]
    if kind == "WatchEvent":
        return bool(each)
    return kind != "ConversionReview" and any(_is_among(kind, kinds) for kinds in each)


def _is_among(kind: str, kinds: frozenset[str]) -> bool:
    return kind in kinds or (kind.endswith("List") and kind[:-4] in kinds and kind[:-4] not in _WITHOUT_LIST)


@lru_cache(maxsize=_VERSIONS_MAX)
def _kinds_of(own: str, group: str, version: str) -> frozenset[str]:
    """The kinds of a version, beside their lists; none where a scheme does not have the version."""
    if own:
        if (group, version) == ("", "v1"):
            return versions.UNVERSIONED
        if group != own or version not in ("v1", "v1beta1"):  # both schemes still know what they served before
            return frozenset()
        found = _served(own, "v1")
        return found | {"ConversionReview"} if own == "apiextensions.k8s.io" else found
    if group in _OWN:
        return frozenset()
    kinds = frozenset(_UNSERVED.get(meta.join_api_version(group, version), "").split())
    kinds |= _served(group, version)
    return kinds | _BESIDE_KINDS if (group, version) == ("", "v1") else kinds


def _served(group: str, version: str) -> frozenset[str]:
    table = reader.TABLES.get((group, version))
    if table is None or group in _NO_KINDS:
        return frozenset()
    entries = ((name, reader.find(table, name)) for name in reader.names(table))
    return frozenset(name for name, entry in entries if entry is not None and "kind" in entry.words)


def _find_mistake(api_version: str, kind: str, value: Any) -> str:
    """What an object of another kind or version than wanted is refused for before that: it is read first. "" for
    nothing."""
    struct = _struct_of(api_version, kind)
    return find_mistake(struct, value) if struct is not None else ""


def find_mistake(struct: Struct, value: Any) -> str:
    """Why a value cannot be read as the type; "" where it can."""
    try:
        recursion.with_room(lambda: Decoder(report_unknown=False).decode_struct(value, struct))
    except DecodeError as error:
        return str(error)
    return ""


def _find_unknown(api_version: str, kind: str, value: Any) -> list[str]:
    struct = _struct_of(api_version, kind, is_exact=True)
    return find_unknown(struct, value) if struct is not None else []


def find_unknown(struct: Struct, value: Any) -> list[str]:
    """The paths of what the type does not have in a value that can be read as it."""
    decoder = Decoder(report_unknown=True)
    content = {name: item for name, item in value.items() if name not in ("apiVersion", "kind")}
    recursion.with_room(lambda: decoder.decode_struct(content, struct))
    return decoder.unknown


def _struct_of(api_version: str, kind: str, *, is_exact: bool = False) -> Struct | None:
    """The type; of a version that is not served any more that of what came after it, which has most of its fields,
    unless it has to be exact."""
    group = meta.split_api_version(api_version)[0]
    if kind in versions.UNVERSIONED or kind in versions.OF_ANY_GROUP:
        return gotypes.object_of("meta.k8s.io/v1", kind)
    if kind == "Scale" and group in ("apps", "extensions"):
        return _old_scale()
    if (old := oldtypes.object_of(api_version, kind)) is not None:
        return old
    later = [meta.join_api_version(each, "v1") for each in _SUCCESSORS.get(group, (group,))]
    for each in (api_version,) if is_exact else (api_version, *later):
        table = reader.TABLES.get(meta.split_api_version(each))
        if table is not None and reader.find(table, kind) is not None:
            return gotypes.object_of(each, kind)
    return _list_of(api_version, kind.removesuffix("List")) if kind.endswith("List") else None


def _list_of(api_version: str, kind: str) -> Struct | None:
    """None where the version has no such kind."""
    table = reader.TABLES.get(meta.split_api_version(api_version))
    if table is None or reader.find(table, kind) is None:
        return None
    item = gotypes.object_of(api_version, kind)
    metadata = Field(gotypes.object_of("meta.k8s.io/v1", "ListMeta"))
    items = Field(ListOf(gotypes.with_type_meta(item)))
    return Struct(f"{kind}List", {"metadata": metadata, "items": items}, item.package)


@cache
def _old_scale() -> Struct:
    """Of the versions before autoscaling's, whose selector is a map."""
    scale = gotypes.object_of("autoscaling/v1", "Scale")
    status = scale.fields["status"].type
    assert isinstance(status, Struct)
    selector = replace(status.fields["selector"], type=MapOf(STRING))
    of_status = replace(status, fields={**status.fields, "selector": selector, "targetSelector": Field(STRING)})
    return replace(scale, fields={**scale.fields, "status": replace(scale.fields["status"], type=of_status)})


_OF_LEGACY: Final = codec.Scheme(_LEGACY, partial(_is_registered, ""), _find_mistake, _find_unknown)
_OF_OWN: Final = {
    "apiextensions.k8s.io": codec.Scheme(_OWN["apiextensions.k8s.io"], partial(_is_registered, "apiextensions.k8s.io")),
    "apiregistration.k8s.io": codec.Scheme(
        _OWN["apiregistration.k8s.io"], partial(_is_registered, "apiregistration.k8s.io"), _find_mistake, _find_unknown
    ),
}
