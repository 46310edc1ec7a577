"""Field management of the objects of one definition.

Source: apiextensions-apiserver/pkg/apiserver/customresource_handler.go (scopeWithFieldManager),
pkg/registry/customresource/strategy.go (GetResetFields).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from quarterdeck.apiextensions import versions as versions_of
from quarterdeck.fieldmanager import updater
from quarterdeck.fieldmanager.manager import FieldManager, TypesOfVersions
from quarterdeck.fieldmanager.types import TypeSchema
from quarterdeck.registry.customresource.conversion import ConversionError, Converter
from quarterdeck.registry.strategy import Object


def build_ownership(
    group: str, kind: str, versions: list[Any], types: Mapping[str, Callable[[], TypeSchema]], converter: Converter
) -> FieldManager:
    """Field management over all versions: managers may own fields in any of them."""

    def convert(obj: Object, api_version: str) -> Object:
        try:
            return converter.convert(obj, api_version)
        except ConversionError as error:
            raise updater.ConversionError(str(error)) from error

    return FieldManager(
        TypesOfVersions(types),
        convert,
        kind=kind,
        reset_fields=_reset_fields(group, versions),
        scale_paths={f"{group}/{version['name']}": versions_of.replicas_path(version) for version in versions},
    )


def _reset_fields(group: str, versions: list[Any]) -> dict[str, dict[str, dict[str, Any]]]:
    """What an endpoint cannot set, and therefore does not own: subresource → apiVersion → field set."""
    with_status = [
        f"{group}/{version['name']}"
        for version in versions
        if (version.get("subresources") or {}).get("status") is not None
    ]
    return {
        "": {api_version: {"f:status": {}} for api_version in with_status},
        "status": {api_version: {"f:metadata": {}, "f:spec": {}} for api_version in with_status},
    }
