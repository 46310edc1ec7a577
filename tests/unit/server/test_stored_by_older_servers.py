"""Objects in etcd that lack what servers did not know when they were written."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.registry.builtin.core.service.allocation import ServiceRanges
from quarterdeck.server.etcdstoring import build_values, find_defaults
from quarterdeck.storage.cacher import Cacher
from quarterdeck.storage.etcd3.settings import Settings
from support.control import FailingStore


def read(resource: str, kind: str, spec: dict[str, Any]) -> dict[str, Any]:
    values = build_values(Settings(()), {})
    values.use_defaults(find_defaults(Cacher(FailingStore()), ServiceRanges()))
    obj = {"apiVersion": "v1", "kind": kind, "metadata": {"name": "a", "namespace": "b"}, "spec": spec}
    found = json.loads(values.open(f"/registry/core/{resource}/b/a", b"", json.dumps(obj).encode()))
    shown: dict[str, Any] = found["spec"]
    return shown


def test_a_service_of_the_time_before_families() -> None:
    shown = read("services", "Service", {"clusterIP": "10.0.0.7", "ports": [{"port": 80}]})
    assert (shown["clusterIPs"], shown["ipFamilies"], shown["ipFamilyPolicy"]) == (
        ["10.0.0.7"],
        ["IPv4"],
        "SingleStack",
    )
    assert shown["internalTrafficPolicy"] == "Cluster"
    external = read("services", "Service", {"type": "ExternalName", "internalTrafficPolicy": "Cluster"})
    assert "internalTrafficPolicy" not in external


@pytest.mark.parametrize(("name", "other"), [("dataSource", "dataSourceRef"), ("dataSourceRef", "dataSource")])
def test_a_claim_of_the_time_before_references(name: str, other: str) -> None:
    source = {"kind": "PersistentVolumeClaim", "name": "c"}
    shown = read("persistentvolumeclaims", "PersistentVolumeClaim", {name: source})
    assert shown[other] == shown[name]
    assert shown[name]["name"] == "c"
    elsewhere = read("persistentvolumeclaims", "PersistentVolumeClaim", {"dataSourceRef": source | {"namespace": "n"}})
    assert "dataSource" not in elsewhere
