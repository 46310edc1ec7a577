"""Details of writes of definitions that no recording shows."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Client
from support.server import Server

pytestmark = pytest.mark.e2e

GROUP = "writes.example.com"
NAME = f"things.{GROUP}"
ADDRESS = f"{definitions.PATH}/{NAME}"
MERGE = {"Content-Type": "application/merge-patch+json"}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with Server() as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        yield call


@pytest.mark.parametrize(
    "patch",
    [{"spec": None, "status": None}, {"spec": {"versions": None}, "status": {"storedVersions": []}}, {"status": None}],
)
def test_a_definition_without_stored_versions_has_that_which_is_stored(client: Client, patch: Any) -> None:
    """Its spec stays as it was, whatever is sent with a status."""
    answer = client("PATCH", f"{ADDRESS}/status", patch, MERGE)
    assert (answer.code, json.loads(answer.body)["status"]["storedVersions"]) == (200, ["v1"])
    assert json.loads(client("GET", ADDRESS).body)["status"]["storedVersions"] == ["v1"]


@pytest.mark.parametrize(
    ("wanted", "alone", "together"),
    [
        ({"uid": "u"}, "Precondition failed: UID in precondition: u, ", "the UID in the precondition (u) does not"),
        (
            {"resourceVersion": "1"},
            "Precondition failed: ResourceVersion in precondition: 1, ",
            "the ResourceVersion in the precondition (1) does not",
        ),
    ],
)
def test_a_definition_of_a_collection_is_refused_as_any_object(
    client: Client, wanted: Any, alone: str, together: str
) -> None:
    options = {"kind": "DeleteOptions", "apiVersion": "v1", "preconditions": wanted}
    refused = json.loads(client("DELETE", ADDRESS, options).body)
    assert refused["details"]["kind"] == "customresourcedefinitions" and alone in refused["message"]
    refused = json.loads(client("DELETE", f"{definitions.PATH}?fieldSelector=metadata.name%3D{NAME}", options).body)
    assert refused["details"]["kind"] == "CustomResourceDefinition" and together in refused["message"]
