"""How the Go types of built-in kinds are named in errors."""

from __future__ import annotations

import pytest

from quarterdeck.schema.gotypes import named_struct


@pytest.mark.parametrize(
    ("table", "struct", "member", "told"),
    [
        (
            "resource",
            "Device",
            "nodeAllocatableResourceMappings",
            "map[v1.ResourceName]v1.NodeAllocatableResourceMapping",
        ),
        ("resource", "Device", "attributes", "map[v1.QualifiedName]v1.DeviceAttribute"),
        ("resource", "ResourceClaimSpec", "devices", "v1.DeviceClaim"),
        ("node", "Scheduling", "nodeSelector", "map[string]string"),
    ],
)
def test_the_key_of_a_map_is_named_by_its_package(table: str, struct: str, member: str, told: str) -> None:
    assert named_struct(table, struct).fields[member].type.go_name == told
