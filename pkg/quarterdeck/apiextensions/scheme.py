"""The scheme of apiextensions.k8s.io, which still reads definitions of v1beta1, and then tells that they are of another
version than their address.

Source: apiextensions-apiserver/pkg/apis/apiextensions/v1beta1/types.go; pkg/apiserver/apiserver.go.
"""

from __future__ import annotations

from dataclasses import replace
from functools import cache
from typing import Any, Final

from quarterdeck.apiextensions import types
from quarterdeck.apiextensions.v1beta1 import V1BETA1
from quarterdeck.apimachinery.codec.body import Scheme
from quarterdeck.schema import gotypes, oldtypes, schemes
from quarterdeck.schema.gotype import BOOL, STRING, Field, ListOf, Struct

GROUP: Final = "apiextensions.k8s.io"
_KIND: Final = types.CUSTOM_RESOURCE_DEFINITION.name
_METADATA: Final = frozenset(("ObjectMeta", "OwnerReference", "ManagedFieldsEntry", "Time"))
_text: Final = Field(STRING)


@cache
def definition_of_v1beta1() -> Struct:
    """The type, with its metadata."""
    client = oldtypes.rename(types.WEBHOOK_CLIENT, "v1beta1", _is_own, {})
    conversion: dict[str, Field | None] = {
        "webhook": None,
        "webhookClientConfig": Field(client, pointer=True),
        "conversionReviewVersions": Field(ListOf(STRING)),
    }
    changes: oldtypes.Changes = {
        "CustomResourceColumnDefinition": {"jsonPath": None, "JSONPath": "jsonPath"},
        "CustomResourceConversion": conversion,
    }
    made = oldtypes.rename(types.CUSTOM_RESOURCE_DEFINITION, "v1beta1", _is_own, changes)
    return replace(made, fields={"metadata": Field(gotypes.object_meta()), **made.fields, "spec": _spec_of(made)})


def _spec_of(definition: Struct) -> Field:
    """What v1 has in each version may stand once beside them as well."""
    field = definition.fields["spec"]
    spec = field.type
    assert isinstance(spec, Struct)
    versions = spec.fields["versions"].type
    assert isinstance(versions, ListOf)
    version = versions.item
    assert isinstance(version, Struct)
    shared = {name: version.fields[name] for name in ("subresources", "additionalPrinterColumns", "selectableFields")}
    fields = {
        **spec.fields,
        **shared,
        "version": _text,
        "validation": version.fields["schema"],
        "preserveUnknownFields": Field(BOOL, pointer=True),
    }
    return replace(field, type=replace(spec, fields=fields))


def _is_own(name: str) -> bool:
    return name not in _METADATA


def _find_mistake(api_version: str, kind: str, value: Any) -> str:
    is_known = api_version == V1BETA1 and kind == _KIND
    return schemes.find_mistake(definition_of_v1beta1(), value) if is_known else ""


def _find_unknown(api_version: str, kind: str, value: Any) -> list[str]:
    is_known = api_version == V1BETA1 and kind == _KIND
    return schemes.find_unknown(definition_of_v1beta1(), value) if is_known else []


SCHEME: Final[Scheme] = replace(schemes.scheme_of(GROUP), find_mistake=_find_mistake, find_unknown=_find_unknown)
