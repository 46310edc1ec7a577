"""How errors of field management name an object."""

from __future__ import annotations

from typing import Any

from quarterdeck.apimachinery import meta

Object = dict[str, Any]


def identify(obj: Object) -> str:
    """As errors name an object: `namespace/name; kind`, of which the names may be of any type or absent."""
    metadata = meta.metadata(obj)
    names = f"{text_of(metadata, 'namespace')}/{text_of(metadata, 'name')}"
    return f"{names}; {format_gvk(text_of(obj, 'apiVersion'), text_of(obj, 'kind'))}"


def format_gvk(api_version: str, kind: str) -> str:
    """As Go prints a GroupVersionKind; where the version cannot be parsed there is none."""
    if api_version.count("/") > 1:
        return "/, Kind="
    group, version = meta.split_api_version(api_version)
    return f"{group}/{version}, Kind={kind}"


def text_of(obj: Object, name: str) -> str:
    """A member that is a text; what else stands there counts as absent."""
    value = obj.get(name)
    return value if isinstance(value, str) else ""
