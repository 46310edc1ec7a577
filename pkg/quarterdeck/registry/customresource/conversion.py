"""How the objects of a custom resource come from one version to another.

Source: apiextensions-apiserver/pkg/apiserver/conversion/{converter,nop_converter}.go.
"""

from __future__ import annotations

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


class NoneConverter:
    """spec.conversion.strategy None: only the apiVersion changes."""

    waits = False

    def convert(self, obj: Object, api_version: str) -> Object:
        return {**obj, "apiVersion": api_version}

    async def fetch(self, objs: list[Object], api_version: str) -> list[Object]:
        return [self.convert(obj, api_version) for obj in objs]
