"""Definitions in the form in which kube-apiserver stores them, and back."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from quarterdeck.apiextensions import v1beta1

SCHEMA = {"openAPIV3Schema": {"type": "object"}}
COLUMN = {"name": "Age", "type": "date", "jsonPath": ".metadata.creationTimestamp"}
OLD_COLUMN = {"name": "Age", "type": "date", "JSONPath": ".metadata.creationTimestamp"}
CLIENT = {"service": {"namespace": "a", "name": "b", "port": 443}}
NAMES = {"plural": "things", "singular": "thing", "kind": "Thing", "listKind": "ThingList"}


def definition(*versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    names = {"group": "example.com", "names": NAMES, "scope": "Namespaced", "versions": list(versions)}
    made = {**names, "conversion": {"strategy": "None"}, **spec}
    head = {"apiVersion": v1beta1.V1, "kind": "CustomResourceDefinition", "metadata": {"name": "things.example.com"}}
    return {**head, "spec": made, "status": {"storedVersions": ["v1"]}}


def version(name: str = "v1", **members: Any) -> dict[str, Any]:
    return {"name": name, "served": True, "storage": name == "v1", **members}


def test_what_the_versions_have_in_common_stands_once() -> None:
    given = definition(
        version(schema=SCHEMA, additionalPrinterColumns=[COLUMN], selectableFields=[{"jsonPath": ".a"}]),
        version("v2", schema=SCHEMA, subresources={"status": {}}, additionalPrinterColumns=[COLUMN]),
    )
    spec = v1beta1.to_v1beta1(given)["spec"]
    assert spec == {
        "group": "example.com",
        "version": "v1",
        "names": NAMES,
        "scope": "Namespaced",
        "validation": SCHEMA,
        "versions": [
            version(selectableFields=[{"jsonPath": ".a"}]),
            version("v2", subresources={"status": {}}),
        ],
        "additionalPrinterColumns": [OLD_COLUMN],
        "conversion": {"strategy": "None"},
        "preserveUnknownFields": False,
    }
    assert list(spec)[:7] == [
        "group",
        "version",
        "names",
        "scope",
        "validation",
        "versions",
        "additionalPrinterColumns",
    ]


def test_a_webhook_is_written_otherwise() -> None:
    webhook = {"clientConfig": CLIENT, "conversionReviewVersions": ["v1"]}
    given = definition(version(schema=SCHEMA), conversion={"strategy": "Webhook", "webhook": webhook})
    stored = v1beta1.to_v1beta1(given)
    wanted = {"strategy": "Webhook", "webhookClientConfig": CLIENT, "conversionReviewVersions": ["v1"]}
    assert stored["spec"]["conversion"] == wanted
    assert v1beta1.from_v1beta1(stored) == given


@pytest.mark.parametrize(
    "given",
    [
        definition(version(schema=SCHEMA)),
        definition(version(schema=SCHEMA), version("v2", schema={"openAPIV3Schema": {"type": "object", "title": "x"}})),
        definition(version(), version("v2", additionalPrinterColumns=[COLUMN], deprecated=True)),
        definition(version(schema=SCHEMA), preserveUnknownFields=True),
        definition(version(schema=SCHEMA, subresources={"status": {}}, additionalPrinterColumns=[COLUMN])),
    ],
)
def test_there_and_back(given: dict[str, Any]) -> None:
    before = copy.deepcopy(given)
    assert v1beta1.from_v1beta1(v1beta1.to_v1beta1(given)) == given
    assert given == before


def test_what_v1beta1_has_by_default() -> None:
    names = {"plural": "things", "kind": "Thing"}
    old = {"apiVersion": v1beta1.V1BETA1, "metadata": {}, "spec": {"group": "a", "version": "v1", "names": names}}
    found = v1beta1.from_v1beta1(old)
    assert found["apiVersion"] == v1beta1.V1
    assert found["spec"] == {
        "group": "a",
        "names": NAMES,
        "scope": "Namespaced",
        "versions": [{"name": "v1", "served": True, "storage": True}],
        "conversion": {"strategy": "None"},
        "preserveUnknownFields": True,
    }
    assert found["status"] == {"storedVersions": ["v1"]}
