"""Definitions as kube-apiserver keeps them in etcd: in apiextensions.k8s.io/v1beta1, which it serves no more.

That form says what all versions have in common once, beside them. Objects are decoded JSON; what both forms have alike
is shared with the argument, which is not changed.

Source: apiextensions-apiserver/pkg/apis/apiextensions/{v1,v1beta1}/conversion.go, v1beta1/defaults.go;
pkg/apiserver/apiserver.go (the codec of the storage).
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Final

from quarterdeck.apiextensions import jsonvalues
from quarterdeck.apiextensions.defaults import default_names
from quarterdeck.apiextensions.types import NAMES, SPEC, VERSION

Object = dict[str, Any]

V1: Final = "apiextensions.k8s.io/v1"
V1BETA1: Final = "apiextensions.k8s.io/v1beta1"

_COLUMNS: Final = "additionalPrinterColumns"
# A member of every version in v1, and the member of the spec that stands for all of them in v1beta1.
_SHARED: Final = {
    "schema": "validation",
    "subresources": "subresources",
    _COLUMNS: _COLUMNS,
    "selectableFields": "selectableFields",
}
_SPEC_ORDER: Final = (
    *("group", "version", "names", "scope", "validation", "subresources", "versions", _COLUMNS),
    *("selectableFields", "conversion", "preserveUnknownFields"),
)


def to_v1beta1(definition: Object) -> Object:
    spec = dict(definition["spec"])
    if versions := [_with_columns(version, "jsonPath", "JSONPath") for version in spec.get("versions") or ()]:
        shared = [member for member in _SHARED if _is_identical(versions, member)]
        spec |= {_SHARED[member]: versions[0][member] for member in shared if versions[0].get(member) is not None}
        spec["version"] = versions[0]["name"]
        own = [name for name in VERSION.fields if name not in shared]
        spec["versions"] = [_ordered(version, own) for version in versions]
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


def from_v1beta1(definition: Object) -> Object:
    spec = _with_columns(_defaulted(definition["spec"]), "JSONPath", "jsonPath")
    shared = {member: spec[name] for member, name in _SHARED.items() if spec.get(name) is not None}
    versions = [{**_with_columns(version, "JSONPath", "jsonPath"), **shared} for version in spec["versions"]]
    spec["versions"] = [_ordered(version, VERSION.fields) for version in versions]
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
    return _defaulted_status({**definition, "apiVersion": V1, "spec": _ordered(spec, SPEC.fields)})


def _defaulted(spec: Object) -> Object:
    """With what v1beta1 has by default."""
    names = dict(spec.get("names") or {})
    default_names(names)
    versions = spec.get("versions") or []
    if not versions and spec.get("version"):
        versions = [{"name": spec["version"], "served": True, "storage": True}]
    conversion = dict(spec.get("conversion") or {"strategy": "None"})
    if conversion.get("strategy") == "Webhook" and not conversion.get("conversionReviewVersions"):
        conversion["conversionReviewVersions"] = ["v1beta1"]
    preserves = spec.get("preserveUnknownFields")
    return {
        **spec,
        "names": _ordered(names, NAMES.fields),
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
    return all(jsonvalues.are_equal(version.get(member), first) for version in versions[1:])


def _with_columns(holder: Object, name: str, new_name: str) -> Object:
    """A version, or a spec, whose columns spell a member otherwise."""
    if (columns := holder.get(_COLUMNS)) is None:
        return dict(holder)
    renamed = [{new_name if key == name else key: value for key, value in column.items()} for column in columns]
    return {**holder, _COLUMNS: renamed}


def _ordered(obj: Object, order: Iterable[str]) -> Object:
    """The members in the order in which Go writes them."""
    return {name: obj[name] for name in order if name in obj}
