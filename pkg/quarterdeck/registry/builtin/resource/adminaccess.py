"""Who may ask for devices that others use: claims in namespaces with a label.

Source: pkg/registry/resource/utils.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from quarterdeck.apimachinery import field
from quarterdeck.apimachinery.codec import json
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.checks import Object
from quarterdeck.storage.cacher import ResourceCache

LABEL: Final = "resource.kubernetes.io/admin-access"


class AdminAccess:
    """`namespaces` gives their cache."""

    def __init__(self, namespaces: Callable[[], ResourceCache]) -> None:
        self._namespaces = namespaces

    def validate_requests(self, namespace: str, requests: list[Object]) -> list[FieldError]:
        for position, request in enumerate(requests):
            if (request.get("exactly") or {}).get("adminAccess"):
                # Upstream's path leaves `exactly` out, and is that of a claim in a template, too.
                return self._validate(namespace, f"{field.index('spec.devices.requests', position)}.adminAccess")
        return []

    def validate_results(self, namespace: str, new: list[Object], old: list[Object]) -> list[FieldError]:
        if any(each.get("adminAccess") for each in old):
            return []
        for position, result in enumerate(new):
            if result.get("adminAccess"):
                at = field.index("status.allocation.devices.results", position)
                return self._validate(namespace, f"{at}.adminAccess")
        return []

    def _validate(self, namespace: str, path: str) -> list[FieldError]:
        entry = self._namespaces().get("", namespace)
        if entry is None:
            detail = f'could not retrieve namespace to verify admin access: namespaces "{namespace}" not found'
            return [field.internal(path, detail)]
        labels = json.load(entry.data)["metadata"].get("labels") or {}
        if labels.get(LABEL) == "true":
            return []
        detail = f"admin access to devices requires the `{LABEL}: true` label on the containing namespace"
        return [field.forbidden(path, detail)]
