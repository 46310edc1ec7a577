"""What upstream fills into a CustomResourceDefinition. Source: apis/apiextensions/v1/defaults.go."""

from __future__ import annotations

from quarterdeck.apiextensions import empties
from quarterdeck.apimachinery import gotext
from quarterdeck.registry.strategy import Object

WEBHOOK_PORT = 443


def default_definition(obj: Object) -> None:
    """In place, on the decoded object. Takes out what its schemas write down empty."""
    spec = obj["spec"]
    empties.take_out(spec)
    default_names(spec["names"])
    if spec.get("conversion") is None:
        spec["conversion"] = {"strategy": "None"}
    webhook = spec["conversion"].get("webhook")
    if webhook is not None and webhook.get("clientConfig") is None and not webhook.get("conversionReviewVersions"):
        # Neither the internal type nor the version that is stored has room for one that says nothing.
        del spec["conversion"]["webhook"]
    service = ((spec["conversion"].get("webhook") or {}).get("clientConfig") or {}).get("service")
    if service is not None and service.get("port") is None:
        service["port"] = WEBHOOK_PORT
    status = obj.setdefault("status", {})
    status.setdefault("conditions", None)
    status.setdefault("acceptedNames", {"plural": "", "kind": ""})
    if not status.get("storedVersions"):
        storage = next((version["name"] for version in spec["versions"] or () if version["storage"]), None)
        status["storedVersions"] = [storage] if storage is not None else None


def default_names(names: Object) -> None:
    """In place."""
    kind = names.get("kind") or ""
    if not names.get("singular"):
        names["singular"] = gotext.lower(kind)
    if not names.get("listKind") and kind:
        names["listKind"] = kind + "List"
