"""Corners of writes that kube-apiserver's code decides and that no recording shows: options, orders of checks."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from support import definitions
from support.golden.client import Answer, Client

pytestmark = pytest.mark.e2e

GROUP = "corners.example.com"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
MAPS = "/api/v1/namespaces/default/configmaps"
APPLY = {"Content-Type": "application/apply-patch+yaml"}
MERGE = {"Content-Type": "application/merge-patch+json"}
STRATEGIC = {"Content-Type": "application/strategic-merge-patch+json"}
SCHEME = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"
SCALES = "k8s.io/client-go/scale/util.go:146"
TYPE_META = r'struct { APIVersion string "json:\"apiVersion,omitempty\""; Kind string "json:\"kind,omitempty\"" }'


@pytest.fixture(scope="module")
def client() -> Iterator[Client]:
    with definitions.serving_scaled_things(GROUP) as call:
        yield call


def thing(name: str, **metadata: Any) -> dict[str, Any]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name, **metadata}}


def create(client: Client, name: str, **metadata: Any) -> dict[str, Any]:
    answer = client("POST", BASE, thing(name, **metadata))
    assert answer.code == 201, answer.text
    return read(answer)


def read(answer: Answer) -> Any:
    return json.loads(answer.body)


def message(answer: Answer) -> str:
    return str(read(answer)["message"])


# ---- DELETE


def misfit(value: str, field: str, go_type: str) -> str:
    return f"json: cannot unmarshal {value} into Go struct field {field} of type {go_type}"


@pytest.mark.parametrize(
    "body, text",
    [
        ({"kind": "Foo", "apiVersion": "v1"}, f'no kind "Foo" is registered for version "v1" in scheme "{SCHEME}"'),
        (
            {"kind": "ListOptions", "apiVersion": "meta.k8s.io/v1"},
            "converting (v1.ListOptions) to (v1.DeleteOptions): unknown conversion",
        ),
        ({"apiVersion": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
        ({"kind": "DeleteOptions", "apiVersion": "a/"}, None),
        (
            "[]",
            "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type "
            + TYPE_META,
        ),
        ({"gracePeriodSeconds": 1.5}, misfit("number 1.5", "DeleteOptions.gracePeriodSeconds", "int64")),
        ({"dryRun": [1]}, misfit("number", "DeleteOptions.dryRun", "string")),
        ({"preconditions": {"uid": 1}}, misfit("number", "Preconditions.preconditions.uid", "types.UID")),
        ('{"dryRun": 5, "dryRun": ["All"]}', misfit("number", "DeleteOptions.dryRun", "[]string")),
        (
            '{"kind": 5, "kind": "DeleteOptions"}',
            f"couldn't get version/kind; json parse error: {misfit('number', '.kind', 'string')}",
        ),
    ],
)
def test_a_body_that_is_no_delete_options_is_refused(client: Client, body: Any, text: str | None) -> None:
    answer = client("DELETE", f"{BASE}/none", body, {"Content-Type": "application/json"})
    assert (answer.code, read(answer)["reason"]) == (400, "BadRequest")
    if text is not None:
        assert message(answer) == text


def test_delete_options_of_any_version_count(client: Client) -> None:
    create(client, "versions")
    body = {"kind": "DeleteOptions", "apiVersion": "strange.example.com/v7", "dryRun": ["All"], "unknown": 1}
    assert client("DELETE", f"{BASE}/versions", body).code == 200
    assert client("GET", f"{BASE}/versions").code == 200


def test_delete_options_that_are_given_in_parts_are_read_as_one(client: Client) -> None:
    create(client, "parts")
    text = '{"preconditions": {"uid": "other"}, "preconditions": {"resourceVersion": null}, "dryRun": ["All"]}'
    answer = client("DELETE", f"{BASE}/parts", text, {"Content-Type": "application/json"})
    assert (answer.code, "the UID in the precondition (other)" in message(answer)) == (409, True), answer.text


def test_a_body_of_null_hides_the_options_of_the_query(client: Client) -> None:
    create(client, "null-body")
    assert client("DELETE", f"{BASE}/null-body?dryRun=All", "null", {"Content-Type": "application/json"}).code == 200
    assert client("GET", f"{BASE}/null-body").code == 404


def test_an_empty_propagation_policy_is_none_of_the_policies(client: Client) -> None:
    create(client, "policy")
    texts = {message(client("DELETE", f"{BASE}/policy?propagationPolicy="))}
    texts.add(message(client("DELETE", f"{BASE}/policy", {"propagationPolicy": ""})))
    (text,) = texts
    assert 'propagationPolicy: Unsupported value: ""' in text


def test_a_cascading_deletion_that_waits_is_accepted_only(client: Client) -> None:
    create(client, "waits", finalizers=["example.com/hold"])
    assert client("DELETE", f"{BASE}/waits?orphanDependents=true&dryRun=All").code == 200
    assert client("DELETE", f"{BASE}/waits", {"orphanDependents": False}).code == 202
    create(client, "goes")
    assert client("DELETE", f"{BASE}/goes", {"orphanDependents": False}).code == 200


def test_a_collection_is_deleted_one_by_one_up_to_what_does_not_meet_its_precondition(client: Client) -> None:
    names = [f"ordered-{number}" for number in range(4)]
    uids = [create(client, name, labels={"ordered": "yes"})["metadata"]["uid"] for name in names]
    selected = f"{BASE}?labelSelector=ordered=yes"
    answer = client("DELETE", selected, {"preconditions": {"uid": uids[0]}})
    assert answer.code == 409
    assert read(answer)["details"]["name"] == names[1]
    assert [item["metadata"]["name"] for item in read(client("GET", selected))["items"]] == names[1:]


@pytest.mark.parametrize("finalizer", ["orphan", "foregroundDeletion"])
def test_a_deletion_that_takes_the_last_finalizer_meets_no_resource_version(client: Client, finalizer: str) -> None:
    metadata = create(client, f"let-go-{finalizer.lower()}", finalizers=[finalizer])["metadata"]
    path, known = f"{BASE}/{metadata['name']}", metadata["resourceVersion"]
    options = {"propagationPolicy": "Background", "preconditions": {"resourceVersion": known}}
    assert client("DELETE", path, {**options, "dryRun": ["All"]}).code == 200
    answer = client("DELETE", path, options)
    assert answer.code == 409
    wrong = f"ResourceVersion in precondition: , ResourceVersion in object meta: {known}"
    assert message(answer).endswith(
        f"/{metadata['name']}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: {wrong}"
    )
    assert client("DELETE", path, {**options, "preconditions": {"uid": metadata["uid"]}}).code == 200
    assert client("GET", path).code == 404


def test_the_selectors_of_a_deletion_are_looked_at_before_its_options(client: Client) -> None:
    answer = client("DELETE", f"{BASE}?labelSelector=!!", {"propagationPolicy": "Sideways"})
    assert answer.code == 400


# ---- create


def test_nobody_owns_what_a_create_does_not_keep(client: Client) -> None:
    made = create(client, "owned", deletionTimestamp="2020-01-01T00:00:00Z", deletionGracePeriodSeconds=5)
    assert "managedFields" not in made["metadata"]


# ---- apply


def apply(client: Client, name: str, body: Any, query: str = "") -> Answer:
    return client("PATCH", f"{BASE}/{name}?fieldManager=tester{query}", json.dumps(body), APPLY)


@pytest.mark.parametrize(
    "head, code, text",
    [
        ({"apiVersion": 1, "kind": "Thing"}, 400, "invalid object type: /, Kind=Thing"),
        ({"apiVersion": "a/b/c", "kind": "Thing"}, 400, "invalid object type: /, Kind="),
        ({"apiVersion": f"{GROUP}/v1", "kind": ["Thing"]}, 400, f"invalid object type: {GROUP}/v1, Kind="),
        (
            {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": "x"},
            500,
            f"failed to create typed patch object (/; {GROUP}/v1, Kind=Thing): .metadata: expected map, got &{{x}}",
        ),
    ],
)
def test_an_apply_of_something_strange_is_refused(client: Client, head: Any, code: int, text: str) -> None:
    if client("GET", f"{BASE}/strange").code == 404:
        create(client, "strange")
    answer = apply(client, "strange", head)
    assert (answer.code, message(answer)) == (code, text)


def test_entries_that_are_no_entries_are_refused_in_an_apply(client: Client) -> None:
    answer = apply(client, "entries", thing("entries", managedFields=["x"]))
    assert answer.code == 500
    assert message(answer).endswith(".metadata.managedFields[0]: expected map, got &{x}")
    assert "managed" in message(apply(client, "entries", thing("entries", managedFields=[])))


def test_a_conflict_is_told_before_a_field_that_stands_twice(client: Client) -> None:
    create(client, "twice", labels={"a": "one"})
    body = f"apiVersion: {GROUP}/v1\nkind: Thing\nkind: Thing\nmetadata: {{labels: {{a: two}}}}\n"
    path = f"{BASE}/twice?fieldManager=tester&fieldValidation=Strict"
    assert client("PATCH", path, body, APPLY).code == 409
    assert client("PATCH", f"{path}&force=true", body, APPLY).code == 400
    assert read(client("GET", f"{BASE}/twice"))["metadata"]["labels"] == {"a": "one"}


def test_a_resource_version_of_an_absent_object_is_only_read(client: Client) -> None:
    dry = apply(client, "absent", thing("absent", resourceVersion="7"), "&dryRun=All")
    assert (dry.code, read(dry)["metadata"]["resourceVersion"]) == (201, "7")
    bad = apply(client, "absent", thing("absent", resourceVersion="x"))
    assert (bad.code, message(bad)) == (500, 'strconv.ParseUint: parsing "x": invalid syntax')
    assert apply(client, "absent", thing("absent", resourceVersion="7")).code == 201


@pytest.mark.parametrize("path", [f"{BASE}/linked", f"{MAPS}/linked"])
def test_a_self_link_is_dropped_where_it_would_be_stored(client: Client, path: str) -> None:
    create(client, "linked") if path.startswith(BASE) else client("POST", MAPS, {"metadata": {"name": "linked"}})
    first = revision(client("GET", path))
    link = {"metadata": {"selfLink": "/x"}}
    assert read(client("PATCH", f"{path}?dryRun=All", link, MERGE))["metadata"]["selfLink"] == "/x"
    stored = client("PATCH", path, link, MERGE)
    assert "selfLink" not in read(stored)["metadata"] and revision(stored) == first


# ---- patches


def test_a_foreign_namespace_is_told_before_a_foreign_name(client: Client) -> None:
    create(client, "named")
    answer = client("PATCH", f"{BASE}/named", '{"metadata":{"name":"other","namespace":"other"}}', MERGE)
    assert message(answer).startswith("the namespace of the provided object does not match")


def test_a_list_as_a_merge_patch_that_is_not_validated_replaces_the_document(client: Client) -> None:
    create(client, "listed")
    answer = client("PATCH", f"{BASE}/listed?fieldValidation=Ignore", '[{"a":null}]', MERGE)
    text = f"json: cannot unmarshal array into Go value of type {TYPE_META}"
    assert answer.code == 422
    assert message(answer) == (
        f' "" is invalid: patch: Invalid value: "[{{}}]": couldn\'t get version/kind; json parse error: {text}'
    )


def patch_map(client: Client, patch: Any, headers: dict[str, str | None] | None = None) -> Answer:
    if client("GET", f"{MAPS}/patched").code == 404:
        client("POST", MAPS, {"metadata": {"name": "patched"}, "data": {"a": "b"}})
    return client("PATCH", f"{MAPS}/patched?dryRun=All", json.dumps(patch), headers or MERGE)


@pytest.mark.parametrize(
    "patch, detail",
    [
        ({"kind": "Foo"}, 'no kind "Foo" is registered for version "v1" in scheme "pkg/api/legacyscheme/scheme.go:30"'),
        ({"kind": "Endpoints"}, "converting (v1.Endpoints) to (core.ConfigMap): unknown conversion"),
        ({"kind": "Secret"}, "illegal base64 data at input byte 0"),
        ({"apiVersion": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
    ],
)
def test_a_patch_cannot_make_something_else_of_a_built_in_object(client: Client, patch: Any, detail: str) -> None:
    answer = patch_map(client, patch)
    assert answer.code == 422
    assert message(answer).endswith(detail)


def test_a_built_in_object_without_a_kind_is_of_its_kind(client: Client) -> None:
    assert read(patch_map(client, {"kind": None}))["kind"] == "ConfigMap"
    assert "name must be provided" in message(patch_map(client, {"apiVersion": None}))


@pytest.mark.parametrize(
    "patch",
    [
        {"kind": None},
        {"kind": "Foo"},
        {"apiVersion": "a/b/c"},
        {"apiVersion": None},
        {"Kind": 5},
        {"APIVERSION": {}, "Apiversion": 1},
    ],
)
def test_a_strategic_merge_patch_does_not_touch_the_type(client: Client, patch: Any) -> None:
    answer = read(patch_map(client, patch, STRATEGIC))
    assert (answer["apiVersion"], answer["kind"]) == ("v1", "ConfigMap")


@pytest.mark.parametrize("operation", [{"op": "remove"}, {"op": "replace", "value": None}])
def test_what_has_no_version_is_read_by_no_name(client: Client, operation: Any) -> None:
    body = json.dumps([{**operation, "path": "/apiVersion"}])
    headers = {"Content-Type": "application/json-patch+json"}
    patch_map(client, {})  # makes it
    answer = client("PATCH", f"{MAPS}/patched?dryRun=All", body, headers)
    warnings = [value for name, value in answer.headers if name == "Warning"]
    assert (answer.code, warnings) == (400, [f'299 - "unknown field \\"{name}\\""' for name in ("data", "metadata")])
    assert "was undeterminable: name must be provided" in message(answer)
    refused = client("PATCH", f"{MAPS}/patched?dryRun=All&fieldValidation=Strict", body, headers)
    assert refused.code == 422
    assert message(refused).endswith('strict decoding error: unknown field "data", unknown field "metadata"')


JSON_PATCH: dict[str, str | None] = {"Content-Type": "application/json-patch+json"}


def written_twice(client: Client, name: str, operations: str, query: str = "") -> Answer:
    if client("GET", f"{MAPS}/patched").code == 404:
        client("POST", MAPS, {"metadata": {"name": "patched"}, "data": {"a": "b"}})
    if client("GET", f"{BASE}/duplicated").code == 404:
        create(client, "duplicated")
    return client("PATCH", f"{name}?dryRun=All{query}", operations, JSON_PATCH)


@pytest.mark.parametrize("name", [f"{MAPS}/patched", f"{BASE}/duplicated"])
@pytest.mark.parametrize(
    "operations, told",
    [
        # What is given twice goes into the document as it is written, and is found there again.
        ('{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}}', ["[0].value.a", "metadata.labels.a"]),
        # A further operation within reads it, and writes it once.
        (
            '{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}},'
            '{"op":"add","path":"/metadata/labels/b","value":"3"}',
            ["[0].value.a"],
        ),
        (
            '{"op":"add","path":"/metadata/labels","value":{"a":"1","a":"2"}},'
            '{"op":"move","from":"/metadata/labels","path":"/metadata/annotations"}',
            ["[0].value.a", "metadata.annotations.a"],
        ),
        ('{"op":"test","path":"/metadata/labels","value":null,"value":null}', ["[0].value"]),
    ],
)
def test_what_a_json_patch_gives_twice_is_found_in_the_patched_object_too(
    client: Client, name: str, operations: str, told: list[str]
) -> None:
    answer = written_twice(client, name, f"[{operations}]")
    findings = [f'{"json patch " if path[0] == "[" else ""}duplicate field "{path}"' for path in told]
    shown = [value for header, value in answer.headers if header == "Warning"]
    escaped = [finding.replace('"', '\\"') for finding in findings]
    assert (answer.code, sorted(shown)) == (200, sorted(f'299 - "{finding}"' for finding in escaped))
    refused = written_twice(client, name, f"[{operations}]", "&fieldValidation=Strict")
    assert message(refused).endswith(f"strict decoding error: {', '.join(findings)}")
    ignored = written_twice(client, name, f"[{operations}]", "&fieldValidation=Ignore")
    assert (ignored.code, [each for each, _ in ignored.headers if each == "Warning"]) == (200, [])


@pytest.mark.parametrize("headers", [MERGE, STRATEGIC])
@pytest.mark.parametrize("patch, kind", [("[1e400]", "array"), ("1e400", "number")])
def test_a_patch_that_is_no_object_is_refused_for_that_first(
    client: Client, headers: dict[str, str | None], patch: str, kind: str
) -> None:
    patch_map(client, {})
    answer = client("PATCH", f"{MAPS}/patched", patch, headers)
    assert answer.code == 400
    assert message(answer).endswith(f"json: cannot unmarshal {kind} into Go value of type map[string]interface {{}}")


# ---- scale


def patch_scale(client: Client, patch: Any, headers: dict[str, str | None], query: str = "") -> Answer:
    if client("GET", f"{BASE}/scaled").code == 404:
        create(client, "scaled")
    body = patch if isinstance(patch, str) else json.dumps(patch)
    return client("PATCH", f"{BASE}/scaled/scale?dryRun=All{query}", body, headers)


@pytest.mark.parametrize("patch", [{}, {"metadata": {"labels": {"a": "b"}}}, {"spec": {}}])
def test_a_scale_without_replicas_has_to_be_given_some(client: Client, patch: Any) -> None:
    answer = patch_scale(client, patch, MERGE)
    assert (answer.code, message(answer)) == (400, 'the spec replicas field ".spec.replicas" cannot be empty')
    assert patch_scale(client, {"spec": {"replicas": 2}}, MERGE).code == 200


def test_a_patched_scale_is_that_of_the_address(client: Client) -> None:
    patch = {"metadata": {"name": "other"}, "spec": {"replicas": 1}}
    assert message(patch_scale(client, patch, MERGE)).startswith("the name of the object (other) does not match")
    patch = {"metadata": {"name": "other", "namespace": "other"}, "spec": {"replicas": 1}}
    assert message(patch_scale(client, patch, MERGE)).startswith("the namespace of the provided object")


def test_a_scale_need_not_say_what_it_is(client: Client) -> None:
    create(client, "unsaid")
    path = f"{BASE}/unsaid/scale"
    content = {"metadata": {"name": "unsaid"}, "spec": {"replicas": 3}}
    for said in ({}, {"kind": "Scale"}, {"apiVersion": "autoscaling/v1"}, {"kind": "", "apiVersion": "autoscaling/"}):
        answer = client("PUT", path, {**said, **content})
        assert (answer.code, read(answer)["kind"], read(answer)["spec"]) == (200, "Scale", {"replicas": 3})
        assert "managedFields" not in read(client("GET", path))["metadata"]
    assert client("PATCH", path, '{"kind": null, "apiVersion": null}', MERGE).code == 200
    assert message(client("PUT", path, {})).endswith("undeterminable: name must be provided")
    assert message(client("PUT", path, {**content, "kind": "Other"})).startswith("no kind is registered for the type")


@pytest.mark.parametrize(
    "patch, refusal",
    [
        ({"kind": "Other"}, f'no kind "Other" is registered for version "autoscaling/v1" in scheme "{SCALES}"'),
        ({"apiVersion": "x/v1"}, f'no kind "Scale" is registered for version "x/v1" in scheme "{SCALES}"'),
        ({"apiVersion": "apps/v1beta1"}, "converting (v1beta1.Scale) to (v1.Scale): unknown conversion"),
        ({"kind": "DeleteOptions"}, "converting (v1.DeleteOptions) to (v1.Scale): unknown conversion"),
        ({"apiVersion": "a/b/c"}, "unexpected GroupVersion string: a/b/c"),
        ({"kind": 5}, f"couldn't get version/kind; json parse error: {misfit('number', '.kind', 'string')}"),
    ],
)
def test_a_patched_scale_stays_one(client: Client, patch: Any, refusal: str) -> None:
    answer = patch_scale(client, {**patch, "spec": {"replicas": 1}}, MERGE)
    assert (answer.code, message(answer).endswith(f": {refusal}")) == (422, True), answer.text


DEPLOYMENTS = "/apis/apps/v1/namespaces/default/deployments"


def deploy(client: Client, name: str) -> str:
    """A fresh deployment; the address of its scale."""
    template = {"metadata": {"labels": {"a": "b"}}, "spec": {"containers": [{"name": "c", "image": "i"}]}}
    spec = {"selector": {"matchLabels": {"a": "b"}}, "template": template}
    body = {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}
    answer = client("POST", DEPLOYMENTS, body)
    assert answer.code == 201, answer.text
    return f"{DEPLOYMENTS}/{name}/scale"


def test_the_scale_of_a_built_in_kind_is_read_as_any_body(client: Client) -> None:
    scale = deploy(client, "put")
    assert read(client("PUT", scale, {"metadata": {"name": "put"}, "spec": {"replicas": 4}}))["spec"] == {"replicas": 4}
    warned = client("PUT", scale, {"metadata": {"name": "put"}, "spec": {"replicas": 3, "more": 1}})
    assert (warned.code, warned.header("Warning")) == (200, '299 - "unknown field \\"spec.more\\""')
    refused = client("PUT", scale, {"metadata": {"name": "put"}, "spec": {"replicas": "x"}})
    assert (refused.code, message(refused)) == (
        400,
        'Scale in version "v1" cannot be handled as a Scale: json: cannot unmarshal string into Go struct field '
        "ScaleSpec.spec.replicas of type int32",
    )
    other = client("PUT", scale, {"metadata": {"name": "put", "uid": "x"}, "spec": {}})
    assert (other.code, "Precondition failed: UID in precondition: x" in message(other)) == (409, True)
    stale = client("PUT", scale, {"metadata": {"name": "put", "resourceVersion": "1"}, "spec": {}})
    assert (stale.code, read(client("GET", scale))["spec"]) == (409, {"replicas": 3})
    negative = client("PUT", scale, {"metadata": {"name": "put"}, "spec": {"replicas": -1}})
    assert (negative.code, message(negative)) == (
        422,
        'Scale.autoscaling "put" is invalid: spec.replicas: Invalid value: -1: must be greater than or equal to 0',
    )


def test_the_scale_of_a_fresh_deployment_is_applied(client: Client) -> None:
    scale = deploy(client, "applied")
    body = {"apiVersion": "autoscaling/v1", "kind": "Scale", "metadata": {"name": "applied"}, "spec": {"replicas": 5}}
    answer = client("PATCH", f"{scale}?fieldManager=scaler&force=true", body, APPLY)
    assert (answer.code, read(answer)["spec"]) == (200, {"replicas": 5})
    owners = read(client("GET", f"{DEPLOYMENTS}/applied"))["metadata"]["managedFields"]
    (owner,) = [one for one in owners if one["manager"] == "scaler"]
    assert (owner["operation"], owner["subresource"]) == ("Apply", "scale")
    assert owner["fieldsV1"] == {"f:spec": {"f:replicas": {}}}
    assert read(client("PATCH", scale, {"spec": {"replicas": 2}}, STRATEGIC))["spec"] == {"replicas": 2}


def test_fields_that_stand_twice_in_an_applied_scale_are_told_of(client: Client) -> None:
    body = "apiVersion: autoscaling/v1\nkind: Scale\nkind: Scale\n"
    # With an owner of its replicas: the first apply of a scale fails before that.
    client("POST", BASE, {**thing("scaled-twice"), "spec": {"replicas": 1}})
    path = f"{BASE}/scaled-twice/scale?fieldManager=tester"
    assert client("PATCH", f"{path}&fieldValidation=Strict", body, APPLY).code == 400
    warned = client("PATCH", path, body, APPLY)
    assert (warned.code, warned.header("Warning")) == (200, '299 - "line 3: key \\"kind\\" already set in map"')


def test_an_empty_list_of_metadata_has_no_items(client: Client) -> None:
    accept = {"Accept": "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1"}
    for path in (f"{BASE}?labelSelector=not=there", "/api/v1/namespaces/default/secrets?fieldSelector=metadata.name=x"):
        body = json.loads(client("GET", path, None, accept).body)
        assert body["kind"] == "PartialObjectMetadataList"
        assert body["items"] is None


def test_a_built_in_object_that_an_apply_makes_unfit_cannot_be_converted(client: Client) -> None:
    body = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "unfit", "creationTimestamp": "x"}}
    answer = client("PATCH", f"{MAPS}/unfit?fieldManager=m", json.dumps(body), APPLY)
    assert answer.code == 500
    assert message(answer).startswith(
        "failed to convert new object (/unfit; /v1, Kind=ConfigMap) to proper version: unable to convert unstructured "
        "object to /v1, Kind=ConfigMap: "
    )


# ---- apply


EMPTY_METADATA = [
    {"labels": {}},
    {"annotations": {}},
    {"finalizers": []},
    {"ownerReferences": []},
    {"generateName": ""},
    {"labels": None},
]


def revision(answer: Answer) -> str:
    assert answer.code in (200, 201), answer.text
    return str(read(answer)["metadata"]["resourceVersion"])


@pytest.mark.parametrize("exists", [False, True])
@pytest.mark.parametrize("empty", EMPTY_METADATA, ids=json.dumps)
def test_an_object_applied_with_empty_metadata_is_written_anew_once(
    client: Client, empty: dict[str, Any], exists: bool
) -> None:
    """Upstream stores the empty member, shows it nobody, and writes where the bytes differ from those that are
    stored."""
    name = f"empty-{EMPTY_METADATA.index(empty)}-{exists}".lower()
    path = f"{BASE}/{name}"
    if exists:
        create(client, name)
    applied = client("PATCH", f"{path}?fieldManager=a", {**thing(name, **empty), "spec": {"a": "1"}}, APPLY)
    first = revision(applied)
    assert not set(read(applied)["metadata"]) & set(empty)
    second = revision(client("PATCH", path, {"spec": {"a": "1"}}, MERGE))
    third = revision(client("PATCH", path, {"spec": {"a": "1"}}, MERGE))
    assert (first == second, second == third) == (False, True)


@pytest.mark.parametrize("member", ["creationTimestamp", "generation", "uid", "selfLink", "resourceVersion"])
def test_an_empty_member_that_the_server_sets_is_not_stored(client: Client, member: str) -> None:
    path = f"{BASE}/set-{member.lower()}"
    body = thing(f"set-{member.lower()}", **{member: None})
    first = revision(client("PATCH", f"{path}?fieldManager=a", body, APPLY))
    assert revision(client("PATCH", path, {"spec": None}, MERGE)) == first


# ---- patches


def test_a_refused_merge_patch_names_what_is_wrong_first_in_sorted_order(client: Client) -> None:
    """What a merge patch touches is written with its members sorted before it is read."""
    assert client("POST", MAPS, {"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "two"}}).code == 201
    answer = client("PATCH", f"{MAPS}/two", '{"immutable":"x","data":{"b":[],"a":1}}', MERGE)
    assert answer.code == 422
    assert message(answer).endswith("json: cannot unmarshal number into Go struct field ConfigMap.data of type string")
