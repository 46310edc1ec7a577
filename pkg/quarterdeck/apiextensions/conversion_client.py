"""Whether a definition can be served with the client that it names for its conversion webhook.

Source: apiextensions-apiserver/pkg/controller/establish/establishing_controller.go (the check of caBundle).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apiextensions.validation import conversion


def has_bad_bundle(definition: dict[str, Any]) -> bool:
    """Such a definition is let in at its creation, but neither served nor established until it is mended."""
    return conversion.has_bad_bundle(definition["spec"].get("conversion"))
