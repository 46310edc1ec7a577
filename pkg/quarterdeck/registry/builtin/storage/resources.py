"""The resources of storage.k8s.io."""

from __future__ import annotations

from typing import Any

from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.builtin import written
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later

GROUP = "storage.k8s.io"


def definitions() -> list[Definition]:
    return [
        later(_resource("csidrivers", "CSIDriver"), _load_csi_driver, returns_deleted=True),
        later(_resource("csinodes", "CSINode"), _load_csi_node, returns_deleted=True),
        later(_resource("csistoragecapacities", "CSIStorageCapacity", namespaced=True), _load_csi_storage_capacity),
        later(
            _resource("storageclasses", "StorageClass", short_names=("sc",)), _load_storage_class, returns_deleted=True
        ),
        later(
            _resource("volumeattachments", "VolumeAttachment", has_status=True),
            _load_volume_attachment,
            returns_deleted=True,
        ),
        later(
            _resource("volumeattributesclasses", "VolumeAttributesClass", short_names=("vac",)),
            _load_volume_attributes_class,
            returns_deleted=True,
        ),
    ]


def _resource(name: str, kind: str, *, namespaced: bool = False, **members: Any) -> APIResource:
    return describe(GROUP, name, kind, namespaced=namespaced, **members)


def _load_csi_driver() -> Behaviour:
    from quarterdeck.registry.builtin.storage.drivers import CSIDriverStrategy, default_csi_driver

    return Behaviour(CSIDriverStrategy(namespaced=False), default=default_csi_driver)


def _load_csi_node() -> Behaviour:
    from quarterdeck.registry.builtin.storage.nodes import CSINodeStrategy

    return Behaviour(CSINodeStrategy(namespaced=False))


def _load_csi_storage_capacity() -> Behaviour:
    from quarterdeck.registry.builtin.storage.capacities import CSIStorageCapacityStrategy

    return Behaviour(CSIStorageCapacityStrategy(namespaced=True))


def _load_storage_class() -> Behaviour:
    from quarterdeck.registry.builtin.storage.classes import StorageClassStrategy, default_storage_class

    return Behaviour(StorageClassStrategy(namespaced=False), default=default_storage_class, note=written.note)


def _load_volume_attachment() -> Behaviour:
    from quarterdeck.registry.builtin.storage.attachments import (
        VolumeAttachmentStatusStrategy,
        VolumeAttachmentStrategy,
        default_attachment,
    )

    return Behaviour(
        VolumeAttachmentStrategy(namespaced=False),
        {"status": VolumeAttachmentStatusStrategy(namespaced=False)},
        default=default_attachment,
        note=written.note,
    )


def _load_volume_attributes_class() -> Behaviour:
    from quarterdeck.registry.builtin.storage.classes import VolumeAttributesClassStrategy

    return Behaviour(VolumeAttributesClassStrategy(namespaced=False))
