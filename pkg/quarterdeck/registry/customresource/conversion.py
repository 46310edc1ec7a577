"""How the objects of a custom resource come from one version to another.

Source: apiextensions-apiserver/pkg/apiserver/conversion/{converter,nop_converter}.go.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from quarterdeck.apimachinery import errors
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import EncodingError


class ConversionError(errors.Unreasoned, EncodingError):
    """An object cannot be had in another version: the answer to whoever asked for one, the end of watches in it."""


class Converter(Protocol):
    """`convert` gives the object in another version. It may raise ConversionError; where `waits` is true also
    awaited.ConversionNeeded, and `fetch` gives many at once."""

    waits: bool

    def convert(self, obj: Object, api_version: str) -> Object: ...

    async def fetch(self, objs: list[Object], api_version: str) -> list[Object]: ...


def check_versions(known: frozenset[str], have: str, wanted: str) -> None:
    """`known`: the apiVersions of the definition. It may have lost the one in which an object is stored. Raises
    ConversionError."""
    if wanted not in known:
        raise ConversionError(f"request to convert CR to an invalid group/version: {wanted}")
    if have not in known:
        raise ConversionError(f"request to convert CR from an invalid group/version: {have}")


class NoneConverter:
    """spec.conversion.strategy None: only the apiVersion changes, to and from one of `versions`."""

    waits = False

    def __init__(self, versions: Sequence[str]) -> None:
        self._versions = frozenset(versions)

    def convert(self, obj: Object, api_version: str) -> Object:
        check_versions(self._versions, obj.get("apiVersion") or "", api_version)
        return {**obj, "apiVersion": api_version}

    async def fetch(self, objs: list[Object], api_version: str) -> list[Object]:
        return [self.convert(obj, api_version) for obj in objs]


def take_revision(obj: Object) -> str:
    """The resourceVersion, which is not stored with an object: no webhook sees it that converts what is stored."""
    metadata = obj.get("metadata")
    revision: str = metadata.pop("resourceVersion", "") if isinstance(metadata, dict) else ""
    return revision


def put_revision(obj: Object, revision: str) -> None:
    """Back, and first: what was taken."""
    if revision:
        obj["metadata"] = {"resourceVersion": revision, **obj["metadata"]}
