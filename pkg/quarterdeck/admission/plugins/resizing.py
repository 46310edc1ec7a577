"""Pods on nodes are resized only where the node is there to say what it can.

Source: plugin/pkg/admission/nodedeclaredfeatures/admission.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from quarterdeck.admission.attributes import UPDATE, Attributes
from quarterdeck.apimachinery import errors, gofmt


class ResizeOnNode:
    """`find_node` looks a node up by its name."""

    def __init__(self, find_node: Callable[[str], dict[str, Any] | None]) -> None:
        self._find_node = find_node

    def validate(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if attributes.operation != UPDATE or attributes.subresource != "resize" or obj is None:
            return
        name = obj["spec"].get("nodeName")
        if name and self._find_node(name) is None:
            raise errors.Forbidden.of("", "pods", attributes.name, f"node {gofmt.quote(name)} not found")
