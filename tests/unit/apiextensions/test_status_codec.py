"""What controllers write of a definition leaves its schemas the bytes that they are."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apiextensions.statuscodec import StatusCodec
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.errors import APIStatus
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.storage.interface import VALUE_BYTES_MAX
from support import in_process

ADMISSION = "/apis/admissionregistration.k8s.io/v1"


def build_definition(description: str = "ä\\") -> dict[str, Any]:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "description": description, "default": {}}}}
    versions = [
        {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}},
        {"name": "v2", "served": True, "storage": False, "schema": {"openAPIV3Schema": {"type": "object"}}},
        {"name": "v3", "served": False, "storage": False},
    ]
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "things.a.b", "annotations": {"a": '"spec":{"versions"'}},
        "spec": {"group": "a.b", "names": {"plural": "things", "kind": "Thing"}, "versions": versions},
        "status": {"conditions": None, "acceptedNames": {"plural": "", "kind": ""}, "storedVersions": ["v1"]},
    }


def whole_codec() -> BuiltinCodec:
    definition = definition_of_definitions()
    struct = definition.struct
    assert struct is not None
    return BuiltinCodec(
        "apiextensions.k8s.io/v1", "CustomResourceDefinition", struct, definition.default, keeps_empty_lists=True
    )


def test_a_definition_is_written_as_by_its_own_codec() -> None:
    whole = whole_codec()
    data = json_codec.splice_resource_version(whole.encode(build_definition()), 7)
    codec = StatusCodec(whole)
    small = codec.decode(data)
    assert [version.get("schema") for version in small["spec"]["versions"]] == [None, None, None]
    small["status"]["storedVersions"] = ["v1", "v2"]
    del small["metadata"]["resourceVersion"]
    expected = build_definition()
    expected["status"]["storedVersions"] = ["v1", "v2"]
    assert codec.encode(small) == codec.encode_unconverted(small) == whole.encode(expected)


def test_a_definition_that_was_stored_with_blanks_is_decoded_whole() -> None:
    codec = StatusCodec(whole_codec())
    assert codec.decode(json.dumps(build_definition()).encode()) == build_definition()
    assert codec.encode(build_definition()) == whole_codec().encode(build_definition())


def test_a_definition_that_is_too_large_is_refused() -> None:
    whole = whole_codec()
    codec = StatusCodec(whole)
    small = codec.decode(whole.encode(build_definition("x" * (VALUE_BYTES_MAX - 2000))))
    small["status"]["acceptedNames"]["plural"] = "x" * 3000
    with pytest.raises(APIStatus):
        codec.encode(small)


@pytest.mark.parametrize("is_shown", [False, True], ids=["to nobody", "to a policy"])
def test_a_definition_is_stored_alike_whether_its_status_is_shown_or_not(tmp_path: Path, is_shown: bool) -> None:
    """The policy refuses what is shown without its schemas."""
    sent = build_definition()
    sent["spec"] |= {"scope": "Namespaced", "versions": sent["spec"]["versions"][:2]}

    async def store() -> dict[str, Any]:
        async with in_process.running(tmp_path) as server:
            if is_shown:
                await add_policy(server)
            await server.define(sent)
            answer = await server.call("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/things.a.b")
            stored: dict[str, Any] = json.loads(answer.body)
            return stored

    stored = asyncio.run(store())
    assert stored["spec"]["versions"] == sent["spec"]["versions"]
    assert [each["type"] for each in stored["status"]["conditions"]] == ["NamesAccepted", "Established"]
    entry = next(each for each in stored["metadata"]["managedFields"] if each.get("subresource") == "status")
    assert set(entry["fieldsV1"]) == {"f:status"}


async def add_policy(server: in_process.InProcess) -> None:
    rule = {
        "operations": ["UPDATE"],
        "apiGroups": ["apiextensions.k8s.io"],
        "apiVersions": ["*"],
        "resources": ["customresourcedefinitions/status"],
    }
    validation = {"expression": "object.spec.versions.all(v, has(v.schema.openAPIV3Schema))"}
    policy = {"matchConstraints": {"resourceRules": [rule]}, "validations": [validation]}
    binding = {"policyName": "p", "validationActions": ["Deny"]}
    for ending, spec in (("ies", policy), ("ybindings", binding)):
        body = {"metadata": {"name": "p"}, "spec": spec}
        answer = await server.call("POST", f"{ADMISSION}/validatingadmissionpolic{ending}", body)
        assert answer.status == 201, answer.body
