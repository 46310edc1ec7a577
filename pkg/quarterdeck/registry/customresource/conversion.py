"""How the objects of a custom resource come from one version to another.

Source: apiextensions-apiserver/pkg/apiserver/conversion/{nop_converter,webhook_converter}.go.
"""

from __future__ import annotations

from typing import Any, Protocol

from quarterdeck.apimachinery import errors
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import EncodingError


class ConversionError(errors.Unreasoned, EncodingError):
    """An object cannot be had in another version: the answer to whoever asked for one, the end of watches in it."""


class Converter(Protocol):
    """`convert` gives the object in another version, and may raise ConversionError."""

    def convert(self, obj: Object, api_version: str) -> Object: ...


class NoneConverter:
    """spec.conversion.strategy None: only the apiVersion changes."""

    def convert(self, obj: Object, api_version: str) -> Object:
        return {**obj, "apiVersion": api_version}


class UncalledWebhook:
    """spec.conversion.strategy Webhook: objects are shown and stored in the version that they are in, and in no other.

    Differs from upstream: the webhook is not called. Every conversion fails as if the webhook had.
    """

    def convert(self, obj: Object, api_version: str) -> Object:
        version, kind = obj.get("apiVersion", ""), obj.get("kind", "")
        if version == api_version:
            return obj
        raise ConversionError(
            f"conversion webhook for {version}, Kind={kind} failed: this server calls no conversion webhooks"
        )


def converter_of(conversion: dict[str, Any] | None) -> Converter:
    """What a definition's spec.conversion asks for."""
    if (conversion or {}).get("strategy") == "Webhook":
        return UncalledWebhook()
    return NoneConverter()
