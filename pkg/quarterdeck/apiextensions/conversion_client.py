"""What a definition says of its conversion webhook's client.

Source: apiextensions-apiserver/pkg/controller/establish/establishing_controller.go (the check of caBundle).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apiextensions.validation.conversion import bundle_problem


def ca_bundle(definition: dict[str, Any]) -> str:
    """The bundle in base64, "" where there is none."""
    webhook = (definition["spec"].get("conversion") or {}).get("webhook") or {}
    return (webhook.get("clientConfig") or {}).get("caBundle") or ""


def has_bad_bundle(definition: dict[str, Any]) -> bool:
    """Such a definition is let in at its creation, but neither served nor established until it is mended."""
    bundle = ca_bundle(definition)
    return bool(bundle) and bool(bundle_problem(bundle))
