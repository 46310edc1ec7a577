"""ResourceQuotaConfiguration: what nobody uses without a quota that covers it.

Differs from upstream: an operator that there is not is an error, and so are values that no label has; upstream then
checks nothing, and charges nothing.

Source: apiserver/pkg/admission/plugin/resourcequota/{config.go,apis/resourcequota}.
"""

from __future__ import annotations

from typing import Any, Final

from quarterdeck.admission.plugins.quota import scopes
from quarterdeck.admission.pluginsettings import LimitedResource
from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.apimachinery.requirements import SelectorError
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.gotype import STRING, Field, ListOf, Scalar, Struct

Object = dict[str, Any]

_KINDS: Final = (
    ("apiserver.config.k8s.io", "v1", "ResourceQuotaConfiguration"),
    ("resourcequota.admission.k8s.io", "v1beta1", "Configuration"),
    ("resourcequota.admission.k8s.io", "v1alpha1", "Configuration"),
)
_SCHEME: Final = "k8s.io/apiserver/pkg/admission/plugin/resourcequota/config.go:31"
_OPERATORS: Final = ("DoesNotExist", "Exists", "In", "NotIn")
_WITH_VALUES: Final = ("PriorityClass", "VolumeAttributesClass")
_SCOPE: Final = Struct(
    "ScopedResourceSelectorRequirement",
    {
        "scopeName": Field(Scalar("v1.ResourceQuotaScope", "string"), always=True),
        "operator": Field(Scalar("v1.ScopeSelectorOperator", "string"), always=True),
        "values": Field(ListOf(STRING)),
    },
)


def _struct(version: str) -> Struct:
    limited = {
        "apiGroup": Field(STRING),
        "resource": Field(STRING),
        "matchContains": Field(ListOf(STRING)),
        "matchScopes": Field(ListOf(_SCOPE)),
    }
    fields = {
        "kind": Field(STRING),
        "apiVersion": Field(STRING),
        "limitedResources": Field(ListOf(Struct("LimitedResource", limited, version))),
    }
    return Struct("Configuration", fields, version)


def parse(data: bytes) -> tuple[LimitedResource, ...]:
    """Raises BadFile."""
    decoded = configfile.decode(data, {kind: _struct(kind[1]) for kind in _KINDS}, _SCHEME)
    limited = decoded.get("limitedResources") or []
    if problems := [problem for position, each in enumerate(limited) for problem in _check(position, each)]:
        raise BadFile(field.aggregate_message(problems))
    return tuple(map(_read, limited))


def _check(position: int, limited: Object) -> list[FieldError]:
    path = field.index("limitedResources", position)
    problems = [] if limited.get("resource") else [field.required(f"{path}.resource", "")]
    for place, scope in enumerate(limited.get("matchScopes") or ()):
        problems += _check_scope(field.index(f"{path}.matchScopes", place), scope)
    return problems


def _check_scope(path: str, scope: Object) -> list[FieldError]:
    operator, name = scope["operator"], scope["scopeName"]
    if operator not in _OPERATORS:
        return [field.not_supported(f"{path}.operator", operator, list(_OPERATORS))]
    if operator != "Exists" and name in _WITH_VALUES:
        try:
            scopes.requirement_of(scope)
        except SelectorError as wrong:
            return [field.invalid(path, name, wrong.message)]
    return []


def _read(limited: Object) -> LimitedResource:
    contains, scopes = (tuple(limited.get(f"match{name}") or ()) for name in ("Contains", "Scopes"))
    return LimitedResource(limited.get("apiGroup", ""), limited["resource"], contains, scopes)
