"""Corners of bodies that kube-apiserver's decoders decide: numbers, versions, what metadata may hold."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Answer, Client

pytestmark = pytest.mark.e2e

GROUP = "bodies.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"
JSON = {"Content-Type": "application/json"}
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}
JSON_PATCH = {"Content-Type": "application/json-patch+json"}


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with definitions.serving_scaled_things(GROUP) as call:
        yield call


def read(answer: Answer) -> Any:
    return json.loads(answer.body)


def message(answer: Answer) -> str:
    return str(read(answer)["message"])


def warnings(answer: Answer) -> list[str]:
    return [value for key, value in answer.headers if key.lower() == "warning"]


def thing(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name, **metadata}}


def config_map(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name, **metadata}, "data": {"k": "v"}}


# ---- numbers in metadata


def with_number(api_version: str, kind: str, name: str, field: str, number: str) -> str:
    return f'{{"apiVersion":"{api_version}","kind":"{kind}","metadata":{{"name":"{name}","{field}":{number}}}}}'


@pytest.mark.parametrize("field", ["generation", "deletionGracePeriodSeconds"])
@pytest.mark.parametrize("number", ["1.0", "1e3", "1.5", "-0.0", "1e400", "9223372036854775808"])
def test_metadata_of_a_built_in_kind_holds_numbers_that_are_written_as_integers(
    client: Client, field: str, number: str
) -> None:
    refusal = f"json: cannot unmarshal number {number} into Go struct field ObjectMeta.metadata.{field} of type int64"
    body = with_number("v1", "ConfigMap", "floats", field, number)
    for method, path in [("POST", MAPS), ("PUT", f"{MAPS}/floats")]:
        answer = client(method, path, body, JSON)
        assert (answer.code, message(answer)) == (
            400,
            f'ConfigMap in version "v1" cannot be handled as a ConfigMap: {refusal}',
        )


def test_patched_metadata_of_a_built_in_kind_is_read_as_its_body_is(client: Client) -> None:
    name = "patched-floats"
    client("POST", MAPS, with_number("v1", "ConfigMap", name, "generation", "3"), JSON)
    operation = '[{"op":"add","path":"/metadata/generation","value":1.0}]'
    for patch, headers in [('{"metadata":{"generation":1.0}}', MERGE), (operation, JSON_PATCH)]:
        answer = client("PATCH", f"{MAPS}/{name}", patch, headers)
        assert answer.code == 422
        assert message(answer).endswith(
            "json: cannot unmarshal number 1.0 into Go struct field ObjectMeta.metadata.generation of type int64"
        )


def test_metadata_of_a_custom_resource_and_of_an_apply_is_read_again_from_what_is_written(client: Client) -> None:
    body = with_number(f"{GROUP}/v1", "Thing", "floats", "deletionGracePeriodSeconds", "1e3")
    assert read(client("POST", BASE, body, JSON))["metadata"]["name"] == "floats"
    body = with_number("v1", "ConfigMap", "applied-floats", "generation", "1e3")
    assert client("PATCH", f"{MAPS}/applied-floats?fieldManager=f", body, APPLY).code == 201


# ---- numbers that no float64 holds


@pytest.mark.parametrize(
    ("patch", "headers"),
    [
        ('{"spec":{"n":1e400}}', MERGE),
        ('[{"op":"add","path":"/spec","value":{"n":1e400}}]', JSON_PATCH),
        ('[{"op":"add","path":"/spec","value":{"n":1e400}},{"op":"copy","from":"/spec","path":"/other"}]', JSON_PATCH),
        ('[{"op":"add","path":"/spec","value":{"n":1e400}},{"op":"test","path":"/spec/n","value":1e400}]', JSON_PATCH),
    ],
)
def test_a_huge_number_that_nobody_validates_is_refused_where_the_object_holds_it(
    client: Client, patch: str, headers: dict[str, str]
) -> None:
    name = "huge"
    client("POST", BASE, thing(name))
    client("POST", MAPS, config_map(name))
    custom = client("PATCH", f"{BASE}/{name}?fieldValidation=Ignore", patch, headers)
    assert custom.code == 422
    assert message(custom).endswith("json: cannot unmarshal number 1e400 into Go value of type float64")
    # No field of a ConfigMap reads it.
    assert client("PATCH", f"{MAPS}/{name}?fieldValidation=Ignore", patch, headers).code == 200
    assert client("PATCH", f"{BASE}/{name}", patch, headers).code == 400


def test_a_huge_number_in_a_field_is_told_with_the_field(client: Client) -> None:
    client("POST", MAPS, config_map("huge-field"))
    for patch, field, go_type in [
        ('{"data":{"a":1e400}}', "ConfigMap.data", "string"),
        ('{"metadata":{"generation":1e400}}', "ObjectMeta.metadata.generation", "int64"),
    ]:
        answer = client("PATCH", f"{MAPS}/huge-field?fieldValidation=Ignore", patch, MERGE)
        number = "number 1e400" if go_type == "int64" else "number"
        expected = f"json: cannot unmarshal {number} into Go struct field {field} of type {go_type}"
        assert answer.code == 422
        assert message(answer).endswith(expected)


def test_a_huge_number_where_a_text_stands_is_no_text(client: Client) -> None:
    client("POST", BASE, thing("huge-operation"))
    answer = client("PATCH", f"{BASE}/huge-operation", '[{"op":1e400}]', JSON_PATCH)
    expected = "error decoding patch: json: cannot unmarshal number into Go struct field jsonPatchOp.op of type string"
    assert (answer.code, message(answer)) == (400, expected)


# ---- members that stand more than once


def test_members_of_a_built_in_kind_that_stand_twice_are_one(client: Client) -> None:
    head = '"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%s"}'
    rest = '"metadata":{"labels":{"a":"b"}},"data":{"a":"1"},"data":{"b":"2"}'
    for number, validation in enumerate(("Ignore", "Warn")):
        path = f"{MAPS}?fieldValidation={validation}"
        made = read(client("POST", path, f"{{{head % f'twice-{number}'},{rest}}}", JSON))
        assert (made["data"], made["metadata"]["labels"]) == ({"a": "1", "b": "2"}, {"a": "b"})
    # What a JSON patch puts into the document is read as it is written; the document itself is opened.
    metadata = '{"name":"twice-0","labels":{"c":"d"},"labels":{"e":"f"}}'
    patch = f'[{{"op":"replace","path":"/metadata","value":{metadata}}}]'
    for validation in ("Ignore", "Warn"):
        patched = read(client("PATCH", f"{MAPS}/twice-0?fieldValidation={validation}", patch, JSON_PATCH))
        assert patched["metadata"]["labels"] == {"c": "d", "e": "f"}
    patch = f'[{{"op":"replace","path":"","value":{{{head % "twice-0"},{rest}}}}}]'
    assert client("PATCH", f"{MAPS}/twice-0", patch, JSON_PATCH).code == 400


def test_members_of_a_custom_resource_that_stand_twice_are_the_last(client: Client) -> None:
    body = (
        f'{{"apiVersion":"{GROUP}/v1","kind":"Thing","metadata":{{"name":"twice"}},"spec":{{"a":1}},"spec":{{"b":2}}}}'
    )
    assert read(client("POST", BASE, body, JSON))["spec"] == {"b": 2}


# ---- the internal version


def test_a_body_of_the_internal_version_has_no_members_that_are_known(client: Client) -> None:
    body = {"apiVersion": "__internal", "kind": "ConfigMap", "metadata": {"name": "i"}, "data": {}}
    refusal = "the API version in the data (__internal) does not match the expected API version (v1)"
    for validation, warned in (("Ignore", 0), ("Warn", 2)):
        answer = client("POST", f"{MAPS}?fieldValidation={validation}", body)
        assert (answer.code, message(answer), len(warnings(answer))) == (400, refusal, warned)
    answer = client("POST", f"{MAPS}?fieldValidation=Strict", body)
    assert message(answer) == (
        'ConfigMap in version "__internal" cannot be handled as a ConfigMap: strict decoding error: '
        'unknown field "metadata", unknown field "data"'
    )


@pytest.mark.parametrize(
    ("api_version", "kind", "told"),
    [
        ("x/__internal", "ConfigMap", 'no kind "ConfigMap" is registered for the internal version of group "x"'),
        ("__internal", "Nope", 'no kind "Nope" is registered for the internal version of group ""'),
        ("__internal", "Secret", "converting (core.Secret) to (core.ConfigMap): unknown conversion"),
        ("apps/__internal", "Deployment", "converting (apps.Deployment) to (core.ConfigMap): unknown conversion"),
    ],
)
def test_a_kind_of_another_internal_version_is_refused(client: Client, api_version: str, kind: str, told: str) -> None:
    client("POST", MAPS, config_map("internal"))
    answer = client("POST", MAPS, {"apiVersion": api_version, "kind": kind})
    assert answer.code == 400
    assert f'{kind} in version "__internal" cannot be handled as a ConfigMap: {told}' in message(answer)
    answer = client("PATCH", f"{MAPS}/internal", {"apiVersion": api_version, "kind": kind}, MERGE)
    assert answer.code == 422
    assert f": {told}" in message(answer)


def test_an_object_that_a_patch_makes_internal_has_no_name(client: Client) -> None:
    client("POST", MAPS, config_map("nameless"))
    answer = client("PATCH", f"{MAPS}/nameless", {"apiVersion": "__internal"}, MERGE)
    assert (answer.code, message(answer)) == (
        400,
        "the name of the object (nameless based on URL) was undeterminable: name must be provided",
    )


# ---- a link to itself


def test_a_self_link_is_shown_of_what_is_not_stored_alone(client: Client) -> None:
    for path, body in ((BASE, thing), (MAPS, config_map)):
        for number, (options, shown) in enumerate([("&dryRun=All", "/x"), ("", None)]):
            name = f"linked-{number}"
            applied = client("PATCH", f"{path}/{name}?fieldManager=f{options}", body(name, selfLink="/x"), APPLY)
            assert (applied.code, read(applied)["metadata"].get("selfLink")) == (201, shown)
            made = client("POST", f"{path}?{options}", body(f"made-{number}", selfLink="/x"))
            assert (made.code, read(made)["metadata"].get("selfLink")) == (201, None)


# ---- documents that a JSON patch replaces


def test_a_json_patch_replaces_the_whole_document(client: Client) -> None:
    uid = read(client("POST", BASE, thing("whole")))["metadata"]["uid"]
    new = {**thing("whole", uid=uid), "spec": {"replicas": 2}}
    operations = [{"op": "replace", "path": "", "value": new}, {"op": "test", "path": "", "value": new}]
    answer = client("PATCH", f"{BASE}/whole", operations, JSON_PATCH)
    assert message(answer).endswith("metadata.resourceVersion: Invalid value: 0: must be specified for an update")
    client("POST", MAPS, config_map("whole"))
    new_map = {**config_map("whole"), "data": {"b": "2"}}
    answer = client("PATCH", f"{MAPS}/whole", [{"op": "replace", "path": "", "value": new_map}], JSON_PATCH)
    assert read(answer)["data"] == {"b": "2"}
    answer = client("PATCH", f"{MAPS}/whole", [{"op": "replace", "path": "", "value": [1]}], JSON_PATCH)
    assert message(answer).startswith(' "" is invalid: patch: Invalid value: "[1]": couldn\'t get version/kind')


# ---- a scale that is given twice, or as something else


def test_a_scale_is_read_as_go_reads_it(client: Client) -> None:
    client("POST", BASE, {**thing("scaled"), "spec": {"replicas": 1}})
    scale = f"{BASE}/scaled/scale"
    body = '{"apiVersion":"autoscaling/v1","kind":"Scale","metadata":{"name":"scaled","namespace":"default"},'
    answer = client("PUT", scale, body + '"spec":{"replicas":3},"spec":{"x":1}}', JSON)
    assert (answer.code, read(answer)["spec"]) == (200, {"replicas": 3})
    assert len(warnings(answer)) == 2
    answer = client("PATCH", scale, '{"spec":{"replicas":4},"spec":{"replicas":5}}', MERGE)
    assert (answer.code, read(answer)["spec"], len(warnings(answer))) == (200, {"replicas": 5}, 1)
    answer = client("PATCH", f"{scale}?fieldValidation=Strict", '{"spec":{"replicas":4},"spec":{}}', MERGE)
    assert (answer.code, 'strict decoding error: duplicate field "spec"' in message(answer)) == (422, True)
    for patch, told in [
        ("[1]", "json: cannot unmarshal array into Go value of type struct"),
        (
            '{"spec":{"replicas":1e400}}',
            "cannot unmarshal number 1e400 into Go struct field ScaleSpec.spec.replicas of",
        ),
        ('{"metadata":{"generation":1.0}}', "cannot unmarshal number 1.0 into Go struct field ObjectMeta.metadata."),
        ('{"metadata":[]}', "cannot unmarshal array into Go struct field Scale.metadata of type v1.ObjectMeta"),
    ]:
        answer = client("PATCH", f"{scale}?fieldValidation=Ignore", patch, MERGE)
        assert (answer.code, told in message(answer)) == (422, True), patch
    answer = client("PATCH", scale, '{"apiVersion":"autoscaling/__internal"}', MERGE)
    assert (answer.code, len(warnings(answer))) == (400, 3)
    answer = client("PUT", scale, body.replace("/v1", "/__internal") + '"spec":{}}', JSON)
    assert (answer.code, "(autoscaling/__internal) does not match" in message(answer)) == (400, True)


# ---- numbers between int64 and uint64


@pytest.mark.parametrize("number", ["9223372036854775808", "1e19", "18446744073709551615", "-1e19", "1e20"])
def test_an_object_with_a_long_number_is_written_again(client: Client, number: str) -> None:
    name = f"long-{number.replace('+', '')}"
    body = f'{{"apiVersion":"{GROUP}/v1","kind":"Thing","metadata":{{"name":"{name}"}},"spec":{{"n":{number}}}}}'
    shown = read(client("POST", BASE, body, JSON))["spec"]["n"]
    assert float(shown) == float(number)
    for patch in ({"metadata": {"labels": {"a": "b"}}}, {"spec": {"m": 1}}):
        answer = client("PATCH", f"{BASE}/{name}", patch, MERGE)
        assert (answer.code, read(answer)["spec"]["n"]) == (200, shown)
    assert client("PATCH", f"{BASE}/{name}?fieldManager=f&force=true", body, APPLY).code == 200


def test_limits_of_a_definition_are_floats(client: Client) -> None:
    group = "limits.example.com"
    schema = {"type": "object", "properties": {"n": {"type": "number", "maximum": 2**53 + 1}}}
    made = definitions.of_things(group, definitions.version(schema))
    answer = client("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", made)
    (version,) = read(answer)["spec"]["versions"]
    assert version["schema"]["openAPIV3Schema"]["properties"]["n"]["maximum"] == 2**53
    text = json.dumps(made).replace(str(2**53 + 1), "1e400").replace(f"things.{group}", f"others.{group}")
    refused = message(client("POST", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions", text, JSON))
    field = "JSONSchemaProps.spec.versions.schema.openAPIV3Schema.properties.maximum"
    assert refused.endswith(f"json: cannot unmarshal number 1e400 into Go struct field {field} of type float64")


# ---- documents


def test_documents_of_openapi_tell_when_they_changed(client: Client) -> None:
    for path in ("/openapi/v2", "/openapi/v3", "/openapi/v3/apis/apps/v1"):
        assert client("GET", path).header("Last-Modified").endswith(" GMT")
        since = {"If-Modified-Since": "Thu, 01 Jan 2099 00:00:00 GMT"}
        assert client("GET", path, None, since).code == 304
        assert client("GET", path, None, {**since, "If-None-Match": '"other"'}).code == 200


@pytest.mark.parametrize("accept", ["application/*", "application/yaml", "text/html", "application/json;q=0.5, */*"])
def test_the_version_is_json_alone(client: Client, accept: str) -> None:
    assert client("GET", "/version", None, {"Accept": accept}).code == (200 if "*/*" in accept else 406)


# ---- what is set once an object is read


def test_a_generated_name_of_a_namespace_is_its_label_once_it_is_a_good_one(client: Client) -> None:
    answer = client("POST", "/api/v1/namespaces", {"metadata": {"generateName": "-"}})
    fields = {cause["field"] for cause in read(answer)["details"]["causes"]}
    assert (answer.code, fields) == (422, {"metadata.generateName", "metadata.name"})
    made = read(client("POST", "/api/v1/namespaces", {"metadata": {"generateName": "made-"}}))["metadata"]
    assert made["labels"] == {"kubernetes.io/metadata.name": made["name"]}


def test_what_defaulting_cannot_read_is_not_applied(client: Client) -> None:
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    annotations = {"deprecated.daemonset.template.generation": "x"}
    body = {
        "apiVersion": "apps/v1",
        "kind": "DaemonSet",
        "metadata": {"name": "d", "annotations": annotations},
        "spec": {"selector": {"matchLabels": {"a": "b"}}, "template": template},
    }
    path = "/apis/apps/v1/namespaces/default/daemonsets"
    text = 'strconv.ParseInt: parsing "x": invalid syntax'
    answer = client("PATCH", f"{path}/d?fieldManager=f", body, APPLY)
    assert (answer.code, message(answer)) == (
        500,
        f"failed to convert to unversioned (/d; apps/v1, Kind=DaemonSet): {text}",
    )
    answer = client("POST", path, body)
    assert message(answer) == f'DaemonSet in version "v1" cannot be handled as a DaemonSet: {text}'
    assert client("POST", path, {**body, "metadata": {"name": "d"}}).code == 201
    patch = {"metadata": {"annotations": annotations}, "spec": {"unknown": 1}}
    strategic = {"Content-Type": "application/strategic-merge-patch+json"}
    answer = client("PATCH", f"{path}/d", patch, MERGE)
    assert (answer.code, message(answer).endswith(text)) == (422, True)
    answer = client("PATCH", f"{path}/d", patch, strategic)
    assert (answer.code, message(answer)) == (500, text)
    assert '299 - "unknown field \\"spec.unknown\\""' in dict(answer.headers).values()
    answer = client("PATCH", f"{path}/d?fieldValidation=Strict", patch, strategic)
    assert (answer.code, message(answer).endswith('strict decoding error: unknown field "spec.unknown"')) == (422, True)
