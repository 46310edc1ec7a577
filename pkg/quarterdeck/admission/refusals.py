"""How plugins word what they refuse."""

from __future__ import annotations

from quarterdeck.admission.attributes import Attributes, shown_name
from quarterdeck.apimachinery import errors


def forbidden(attributes: Attributes, text: str) -> errors.Forbidden:
    """A plugin's refusal of what the request does to its object (upstream: admission.NewForbidden)."""
    resource = attributes.resource
    return errors.Forbidden.of(resource.group, resource.name, shown_name(attributes), text)
