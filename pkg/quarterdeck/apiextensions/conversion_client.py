"""Whether a definition can be served with the client that it names for its conversion webhook.

Source: apiextensions-apiserver/pkg/controller/establish/establishing_controller.go (the check of caBundle),
pkg/apiserver/conversion/webhook_converter.go (webhookClientConfigForCRD).
"""

from __future__ import annotations

from typing import Any

from quarterdeck.apiextensions.validation import conversion
from quarterdeck.webhook.config import is_blank


def has_bad_bundle(definition: dict[str, Any]) -> bool:
    """Such a definition is let in at its creation, but not established until it is mended."""
    return conversion.has_bad_bundle(definition["spec"].get("conversion"))


def is_callable(definition: dict[str, Any]) -> bool:
    """Whether a client can be made: a bundle of white space is bad, and none to a client. Others are not served."""
    if not has_bad_bundle(definition):
        return True
    return is_blank(definition["spec"]["conversion"]["webhook"]["clientConfig"]["caBundle"])
