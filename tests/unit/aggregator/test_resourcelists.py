"""What servers tell of their versions, old ones and new ones."""

from __future__ import annotations

import json
from typing import Any

import pytest

from quarterdeck.aggregator import resourcelists

KIND = {"group": "", "version": "", "kind": ""}


def test_plain_lists_become_aggregated_ones() -> None:
    listed = [
        {"name": "things/status", "namespaced": True, "kind": "Thing", "verbs": ["get"]},
        {
            "name": "things",
            "singularName": "thing",
            "namespaced": True,
            "kind": "Thing",
            "verbs": ["list"],
            "shortNames": ["th"],
            "categories": ["all"],
        },
        {"name": "roots", "namespaced": False, "group": "other", "version": "v2", "kind": "Root", "verbs": ["get"]},
    ]
    version = resourcelists.read_plain(json.dumps({"resources": listed}).encode(), "v1")
    assert version == {
        "version": "v1",
        "resources": [
            {
                "resource": "things",
                "responseKind": KIND | {"kind": "Thing"},
                "scope": "Namespaced",
                "singularResource": "thing",
                "verbs": ["list"],
                "shortNames": ["th"],
                "categories": ["all"],
                "subresources": [{"subresource": "status", "responseKind": KIND | {"kind": "Thing"}, "verbs": ["get"]}],
            },
            {
                "resource": "roots",
                "responseKind": {"group": "other", "version": "v2", "kind": "Root"},
                "scope": "Cluster",
                "singularResource": "",
                "verbs": ["get"],
            },
        ],
    }
    assert json.loads(resourcelists.encode(version, "Stale"))["freshness"] == "Stale"


def test_every_resource_gets_a_kind() -> None:
    resource = {"resource": "things", "responseKind": None, "subresources": [{"subresource": "status"}]}
    group = {"metadata": {"name": "g"}, "versions": [{"version": "v1", "resources": [resource]}, {"version": "v2"}]}
    found = resourcelists.read_aggregated(json.dumps({"items": [group]}).encode())
    assert list(found) == [("g", "v1"), ("g", "v2")]
    (shown,) = found["g", "v1"]["resources"]
    assert shown["responseKind"] == shown["subresources"][0]["responseKind"] == KIND


def document(**resource: Any) -> bytes:
    versions = [{"version": "v1", "resources": [{"resource": "things", **resource}]}]
    return json.dumps({"items": [{"metadata": {"name": "g"}, "versions": versions}]}).encode()


def test_what_has_no_place_is_left_out() -> None:
    found = resourcelists.read_aggregated(document(verbs=["get"], unknown=5, shortNames=[]))
    (shown,) = found["g", "v1"]["resources"]
    assert shown == {
        "resource": "things",
        "responseKind": KIND,
        "scope": "",
        "singularResource": "",
        "verbs": ["get"],
    }


WRONG = [
    b"",
    b"[]",
    b'{"items": 1}',
    b'{"items": [1]}',
    b'{"items": [{"metadata": 1}]}',
    document(verbs="get"),
    document(verbs=[1]),
    document(resource=5),
    document(responseKind=[]),
    document(responseKind={"kind": 1}),
    document(categories={"a": 1}),
    document(subresources=[{"subresource": 1}]),
]


@pytest.mark.parametrize("body", WRONG)
def test_what_is_no_document_is_refused(body: bytes) -> None:
    with pytest.raises(ValueError):
        resourcelists.read_aggregated(body)
