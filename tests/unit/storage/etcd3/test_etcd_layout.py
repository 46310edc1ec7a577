"""Keys of etcd for ours and back; what is nobody's; the events of a gap; messages that are none."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck._kernels.protobufwire import WireError
from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apis import features, runtimeconfig
from quarterdeck.apis.storednames import STORED
from quarterdeck.registry.builtin import resources
from quarterdeck.storage.etcd3 import gaps, messages
from quarterdeck.storage.etcd3.layout import KubernetesKeys
from quarterdeck.storage.interface import Event, KeyValue

KEYS = KubernetesKeys(STORED, "/cluster/")


class AnyCache:
    """Stands for whatever the definitions ask a cache for."""

    def __getattr__(self, _: str) -> Any:
        return self

    def __call__(self, *_: Any, **__: Any) -> Any:
        return self


def test_all_built_in_resources_are_known() -> None:
    all_of_them = runtimeconfig.parse({"api/all": "true"})._replace(features=frozenset(features.defaults()))
    usual = resources.definitions(AnyCache(), enablement=all_of_them)  # type: ignore[arg-type]
    definitions = [*usual, definition_of_definitions()]
    served = {(each.resource.group, each.resource.name) for each in definitions}
    assert set(STORED) == served - {("events.k8s.io", "events")}


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        ("/registry/core/pods/ns/a", "/cluster/pods/ns/a"),
        ("/registry/core/services/ns/a", "/cluster/services/specs/ns/a"),
        ("/registry/core/endpoints/ns/a", "/cluster/services/endpoints/ns/a"),
        ("/registry/core/nodes/a", "/cluster/minions/a"),
        ("/registry/core/replicationcontrollers/ns/a", "/cluster/controllers/ns/a"),
        ("/registry/core/events/ns/a", "/cluster/events/ns/a"),
        ("/registry/networking.k8s.io/ingresses/ns/a", "/cluster/ingress/ns/a"),
        ("/registry/coordination.k8s.io/leases/ns/a", "/cluster/leases/ns/a"),
        ("/registry/apiregistration.k8s.io/apiservices/v1.", "/cluster/apiregistration.k8s.io/apiservices/v1."),
        ("/registry/stable.example.com/crontabs/ns/a", "/cluster/stable.example.com/crontabs/ns/a"),
    ],
)
def test_keys_there_and_back(ours: str, theirs: str) -> None:
    assert KEYS.to_etcd(ours) == theirs.encode()
    assert KEYS.from_etcd(theirs.encode()) == ours


@pytest.mark.parametrize(
    "key",
    [
        *(b"/cluster/ranges/serviceips", b"/cluster/masterleases/10.0.0.1", b"/cluster/health", b"compact_rev_key"),
        *(b"/registry/pods/ns/a", b"/cluster/\xff", b"/cluster/a.b/c", b"/cluster/a.b/c/", b"/cluster/"),
    ],
)
def test_other_keys_are_nobodys(key: bytes) -> None:
    assert KEYS.from_etcd(key) is None


def test_a_prefix_spans_its_resource_and_no_other() -> None:
    assert KEYS.span("/registry/core/services/") == (b"/cluster/services/specs/", b"/cluster/services/specs0")
    assert KEYS.span("") == KEYS.span("/registry/") == (b"/cluster/", b"/cluster0")


def test_events_of_a_gap() -> None:
    told = {"kept": 1, "gone": 2, "changed": 3, "other": 4}
    living = [
        KeyValue("kept", b"k", 1, 1),
        KeyValue("changed", b"c", 9, 3),
        KeyValue("other", b"o", 8, 7),
        KeyValue("new", b"n", 6, 6),
    ]
    assert gaps.bridge(told, living, 10) == [
        Event("other", None, 6, False, None),
        Event("new", b"n", 6, True, None),
        Event("other", b"o", 8, True, None),
        Event("changed", b"c", 9, False, None),
        Event("gone", None, 10, False, None),
    ]
    assert gaps.bridge({}, [], 10) == []


@pytest.mark.parametrize("message", [b"\x0a\x05ab", b"\x08", b"\x0b", b"\x08" + b"\xff" * 11, b"\x12\x01\x08", b"\x1a"])
def test_what_is_no_message_is_told(message: bytes) -> None:
    with pytest.raises(WireError):
        messages.decode_range(message)


def test_fields_of_newer_servers_are_passed_over() -> None:
    record = b"\x0a\x01k\x10\x03\x18\x05\x2a\x01v\x99\x06" + bytes(8)
    message = b"\x0a\x02\x18\x07" + b"\x12" + bytes((len(record),)) + record + b"\x20\x01\xa5\x06" + bytes(4)
    found = messages.decode_range(message)
    assert (found.total, found.revision) == (1, 7)
    (read,) = found.records
    assert (read.key, read.value, read.revision, read.create_revision, read.version) == (b"k", b"v", 5, 3, 0)
