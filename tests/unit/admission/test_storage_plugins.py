"""DefaultStorageClass and StorageObjectInUseProtection."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.admission.plugins.storage import DefaultStorageClass, StorageProtection


def build_class(name: str, made: str, is_default: str = "true") -> SimpleNamespace:
    annotations = {"storageclass.kubernetes.io/is-default-class": is_default}
    data = {"metadata": {"name": name, "creationTimestamp": made, "annotations": annotations}}
    return SimpleNamespace(name=name, data=json.dumps(data).encode())


def build_plugin(*classes: SimpleNamespace) -> tuple[DefaultStorageClass, list[Any]]:
    """The plugin, and whom it wants to be told of changes."""
    cache: Any = SimpleNamespace(state=SimpleNamespace(all=lambda: classes), listeners=[])
    return DefaultStorageClass(cache), cache.listeners


def ask(plugin: Any, obj: dict[str, Any], group: str = "", name: str = "persistentvolumeclaims") -> dict[str, Any]:
    resource = SimpleNamespace(group=group, name=name)
    plugin.admit(SimpleNamespace(resource=resource, obj=obj, operation="CREATE", subresource=""))
    return obj


@pytest.mark.parametrize(
    ("claim", "chosen"),
    [
        ({"metadata": {}, "spec": {}}, "newest"),
        ({"metadata": {}, "spec": {"storageClassName": ""}}, ""),
        ({"metadata": {"annotations": {"volume.beta.kubernetes.io/storage-class": "x"}}, "spec": {}}, None),
    ],
)
def test_a_claim_without_a_class_gets_the_newest_that_is_everybodys(claim: dict[str, Any], chosen: str | None) -> None:
    plugin, _ = build_plugin(
        build_class("a", "2024-01-01T00:00:00Z"),
        build_class("oldest", "2023-01-01T00:00:00Z"),
        build_class("newest", "2024-01-02T00:00:00Z"),
        build_class("other", "2024-01-03T00:00:00Z", is_default="false"),
    )
    assert ask(plugin, claim)["spec"].get("storageClassName") == chosen


def test_a_class_that_is_gone_is_nobodys() -> None:
    found = build_class("a", "2024-01-01T00:00:00Z")
    plugin, (listener,) = build_plugin(found)
    listener(SimpleNamespace(old=found, entry=None))
    assert ask(plugin, {"metadata": {}, "spec": {}})["spec"] == {}


def test_what_stores_data_is_made_with_a_finalizer() -> None:
    plugin = StorageProtection()
    made = ask(plugin, {"metadata": {"finalizers": ["a.dev/f"]}})
    assert made["metadata"]["finalizers"] == ["a.dev/f", "kubernetes.io/pvc-protection"]
    made = ask(plugin, {"metadata": {}}, "storage.k8s.io", "volumeattributesclasses")
    assert ask(plugin, made, "storage.k8s.io", "volumeattributesclasses")["metadata"]["finalizers"] == [
        "kubernetes.io/vac-protection"
    ]
    assert ask(plugin, {"metadata": {}}, "storage.k8s.io", "storageclasses") == {"metadata": {}}
