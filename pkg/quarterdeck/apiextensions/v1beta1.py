"""Definitions as kube-apiserver keeps them in etcd: in apiextensions.k8s.io/v1beta1, which it serves no more.

That form says what all versions have in common once, beside them. Objects are decoded JSON; what both forms have alike
is shared with the argument, which is not changed.

Source: apiextensions-apiserver/pkg/apis/apiextensions/{v1,v1beta1}/conversion.go, v1beta1/defaults.go;
pkg/apiserver/apiserver.go (the codec of the storage).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

Object = dict[str, Any]

V1: Final = "apiextensions.k8s.io/v1"
V1BETA1: Final = "apiextensions.k8s.io/v1beta1"

# A member of every version in v1, and the member of the spec that stands for all of them in v1beta1.
_SHARED: Final = {
    "schema": "validation",
    "subresources": "subresources",
    "additionalPrinterColumns": "additionalPrinterColumns",
    "selectableFields": "selectableFields",
}
_SPEC_ORDER: Final = (
    *("group", "version", "names", "scope", "validation", "subresources", "versions", "additionalPrinterColumns"),
    *("selectableFields", "conversion", "preserveUnknownFields"),
)
_SPEC_ORDER_V1: Final = ("group", "names", "scope", "versions", "conversion", "preserveUnknownFields")
_VERSION_ORDER: Final = (
    *("name", "served", "storage", "deprecated", "deprecationWarning", "schema", "subresources"),
    *("additionalPrinterColumns", "selectableFields"),
)


def to_v1beta1(definition: Object) -> Object:
    spec = dict(definition["spec"])
    versions: list[Object] = spec.get("versions") or []
    if versions:
        spec["version"] = versions[0]["name"]
    shared = {member for member in _SHARED if len(versions) == 1 or _is_identical(versions, member)}
    for member in shared if versions else ():
        if (value := versions[0].get(member)) is not None:
            spec[_SHARED[member]] = _columns(value, "jsonPath", "JSONPath") if _is_columns(member) else value
    if versions:
        spec["versions"] = [_version_to_v1beta1(version, shared) for version in versions]
    if (conversion := spec.get("conversion")) is not None:
        webhook = conversion.get("webhook") or {}
        made = {"strategy": conversion["strategy"]}
        if (client := webhook.get("clientConfig")) is not None:
            made["webhookClientConfig"] = client
        if reviews := webhook.get("conversionReviewVersions"):
            made["conversionReviewVersions"] = reviews
        spec["conversion"] = made
    spec["preserveUnknownFields"] = spec.get("preserveUnknownFields") or False
    return {**definition, "apiVersion": V1BETA1, "spec": _ordered(spec, _SPEC_ORDER)}


def _version_to_v1beta1(version: Object, shared: Iterable[str]) -> Object:
    made = {name: value for name, value in version.items() if name not in shared}
    if (columns := made.get("additionalPrinterColumns")) is not None:
        made["additionalPrinterColumns"] = _columns(columns, "jsonPath", "JSONPath")
    return _ordered(made, _VERSION_ORDER)


def from_v1beta1(definition: Object) -> Object:
    spec = _defaulted(definition["spec"])
    versions = [dict(version) for version in spec["versions"]]
    for version in versions:
        if (columns := version.get("additionalPrinterColumns")) is not None:
            version["additionalPrinterColumns"] = _columns(columns, "JSONPath", "jsonPath")
        for member, name in _SHARED.items():
            if (value := spec.get(name)) is not None:
                version[member] = _columns(value, "JSONPath", "jsonPath") if _is_columns(member) else value
    spec["versions"] = [_ordered(version, _VERSION_ORDER) for version in versions]
    conversion = spec["conversion"]
    made: Object = {"strategy": conversion["strategy"]}
    webhook = {}
    if (client := conversion.get("webhookClientConfig")) is not None:
        webhook["clientConfig"] = client
    if webhook or conversion.get("conversionReviewVersions") is not None:
        made["webhook"] = {**webhook, "conversionReviewVersions": conversion.get("conversionReviewVersions")}
    spec["conversion"] = made
    if not spec["preserveUnknownFields"]:
        del spec["preserveUnknownFields"]
    return _defaulted_status({**definition, "apiVersion": V1, "spec": _ordered(spec, _SPEC_ORDER_V1)})


def _defaulted(spec: Object) -> Object:
    """With what v1beta1 has by default."""
    names = dict(spec.get("names") or {})
    kind = names.get("kind") or ""
    if not names.get("singular"):
        names["singular"] = kind.lower()
    if not names.get("listKind") and kind:
        names["listKind"] = f"{kind}List"
    versions = spec.get("versions") or []
    if not versions and spec.get("version"):
        versions = [{"name": spec["version"], "served": True, "storage": True}]
    conversion = dict(spec.get("conversion") or {"strategy": "None"})
    if conversion.get("strategy") == "Webhook" and not conversion.get("conversionReviewVersions"):
        conversion["conversionReviewVersions"] = ["v1beta1"]
    preserves = spec.get("preserveUnknownFields")
    return {
        **spec,
        "names": _ordered(names, ("plural", "singular", "shortNames", "kind", "listKind", "categories")),
        "scope": spec.get("scope") or "Namespaced",
        "versions": versions,
        "conversion": conversion,
        "preserveUnknownFields": True if preserves is None else preserves,
    }


def _defaulted_status(definition: Object) -> Object:
    status = definition.get("status") or {}
    stored = [version["name"] for version in definition["spec"]["versions"] if version.get("storage")]
    if status.get("storedVersions") or not stored:
        return definition
    return {**definition, "status": {**status, "storedVersions": stored[:1]}}


def _is_identical(versions: list[Object], member: str) -> bool:
    first = versions[0].get(member)
    return all(version.get(member) == first for version in versions[1:])


def _is_columns(member: str) -> bool:
    return member == "additionalPrinterColumns"


def _columns(columns: list[Object], name: str, new_name: str) -> list[Object]:
    return [{new_name if key == name else key: value for key, value in column.items()} for column in columns]


def _ordered(obj: Object, order: tuple[str, ...]) -> Object:
    """The members in the order in which Go writes them."""
    return {name: obj[name] for name in order if name in obj}
