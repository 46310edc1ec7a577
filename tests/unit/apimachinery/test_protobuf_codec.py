"""Built-in types as protobuf, both ways."""

import pytest

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.codec.protobuf_gonames import go_name
from quarterdeck.apimachinery.codec.protobuf_types import message_of
from quarterdeck.apimachinery.typetables import reader

POD = {
    "apiVersion": "v1",
    "kind": "Pod",
    "metadata": {
        "name": "a",
        "labels": {"b": "c"},
        "creationTimestamp": "2024-01-02T03:04:05Z",
        "ownerReferences": [{"kind": "X", "name": "y", "uid": "z", "apiVersion": "g/v1", "controller": False}],
        "managedFields": [{"manager": "m", "fieldsType": "FieldsV1", "fieldsV1": {"f:a": {".": {}}}}],
    },
    "spec": {
        "containers": [
            {
                "name": "c",
                "ports": [{"containerPort": 80}],
                "env": [{"name": "A", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k", "optional": False}}}],
                "readinessProbe": {"httpGet": {"path": "/", "port": "http"}, "periodSeconds": 5},
                "livenessProbe": {"tcpSocket": {"port": 80}},
                "resources": {"limits": {"cpu": "1"}},
                "securityContext": {"runAsUser": 0, "capabilities": {"add": ["X"]}},
            }
        ],
        "volumes": [{"name": "v", "emptyDir": {}}, {"name": "w", "configMap": {"name": "m", "defaultMode": 0}}],
        "ephemeralContainers": [{"name": "e", "targetContainerName": "c"}],
        "terminationGracePeriodSeconds": 0,
    },
}
OBJECTS = [
    POD,
    {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}, "spec": {}, "status": {}},
    {"apiVersion": "v1", "kind": "Secret", "metadata": {}, "data": {"a": "aGk=", "b": ""}, "type": "Opaque"},
    {
        "apiVersion": "v1",
        "kind": "ConfigMapList",
        "metadata": {"resourceVersion": "5"},
        "items": [{"data": {"a": "b"}}],
    },
    {"apiVersion": "v1", "kind": "Status", "status": "Failure", "code": 404, "details": {"causes": [{"field": "x"}]}},
    {"apiVersion": "apps/v1", "kind": "DeleteOptions", "propagationPolicy": "", "preconditions": {"uid": "x"}},
    {
        "apiVersion": "coordination.k8s.io/v1",
        "kind": "Lease",
        "spec": {"holderIdentity": "", "renewTime": "2024-01-02T03:04:05.123456Z", "leaseTransitions": 0},
    },
    {
        "apiVersion": "events.k8s.io/v1",
        "kind": "Event",
        "eventTime": "2024-01-02T03:04:05.000001Z",
        "regarding": {"kind": "Pod"},
        "deprecatedCount": 3,
    },
    {"apiVersion": "rbac.authorization.k8s.io/v1", "kind": "Role", "rules": [{"verbs": ["get"], "apiGroups": [""]}]},
    {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SubjectAccessReview",
        "spec": {"user": "u", "extra": {"k": ["a", "b"]}, "resourceAttributes": {"verb": "get"}},
        "status": {},
    },
    {
        "apiVersion": "apps/v1",
        "kind": "Deployment",
        "spec": {"replicas": 0, "strategy": {"rollingUpdate": {"maxSurge": "25%", "maxUnavailable": 0}}},
    },
    {
        "apiVersion": "apiregistration.k8s.io/v1",
        "kind": "APIService",
        "metadata": {"name": "v1.example.com"},
        "spec": {"service": {"namespace": "a", "name": "b", "port": 443}, "caBundle": "aGk=", "versionPriority": 15},
        "status": {
            "conditions": [{"type": "Available", "status": "True", "lastTransitionTime": "2024-01-02T03:04:05Z"}]
        },
    },
    {"apiVersion": "v1", "kind": "ResourceQuota", "spec": {"hard": {"pods": "5"}}},
]


def enclosed(raw: bytes, more: bytes = b"") -> bytes:
    return protobuf.MAGIC + b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap" + b"\x12" + bytes([len(raw)]) + raw + more


def test_every_table_can_be_read():
    for (group, version), table in reader.TABLES.items():
        for name in reader.names(table):
            entry = reader.find(table, name)
            if not entry.alias:
                message = message_of(f"{group}/{version}" if group else version, name)
                assert len(message.by_number) == len(message.by_name) == len(entry.fields), name


def holds(found, expected):
    """Whether everything expected is there; what stands by value in Go is there beside it."""
    if isinstance(expected, dict):
        return all(name in found and holds(found[name], value) for name, value in expected.items())
    if isinstance(expected, list):
        return len(found) == len(expected) and all(map(holds, found, expected))
    return found == expected


@pytest.mark.parametrize("obj", OBJECTS, ids=lambda obj: obj["kind"])
def test_objects_survive_the_way_there_and_back(obj):
    data = protobuf.encode(obj)
    assert data is not None
    decoded = protobuf.decode(data)
    assert holds(decoded, obj)
    assert protobuf.encode(decoded) == data


def test_bytes_of_a_status_are_those_that_go_writes():
    details = {"name": "a", "group": "g", "kind": "widgets"}
    status = {
        "metadata": {},
        "status": "Failure",
        "message": "m",
        "reason": "NotFound",
        "details": details,
        "code": 404,
    }
    inner = b"\x0a\x01a\x12\x01g\x1a\x07widgets\x28\x00\x32\x00"
    raw = b"\x0a\x06\x0a\x00\x12\x00\x1a\x00\x12\x07Failure\x1a\x01m\x22\x08NotFound"
    raw += b"\x2a" + bytes([len(inner)]) + inner + b"\x30\x94\x03"
    assert protobuf.encode_message(status, "v1", "Status") == raw


def test_maps_are_sorted_by_their_keys():
    written = protobuf.encode_message({"data": {"b": "", "a": "x"}}, "v1", "ConfigMap")
    assert written.endswith(b"\x12\x06\x0a\x01a\x12\x01x\x12\x05\x0a\x01b\x12\x00")


SCHEMA = {
    "type": "object",
    "default": {"a": None},
    "maximum": 1.5,
    "minimum": 0,
    "enum": [1, None, "x"],
    "items": {"type": "string"},
    "additionalProperties": False,
    "additionalItems": {"type": "integer"},
    "dependencies": {"a": ["b"], "c": {"type": "string"}},
    "properties": {"x": {"items": [{"type": "string"}], "additionalProperties": True, "default": False}},
    "x-kubernetes-preserve-unknown-fields": False,
    "x-kubernetes-validations": [{"rule": "true", "optionalOldSelf": False}],
}


def test_schemas_survive_the_way_there_and_back():
    obj = definition_of(SCHEMA)
    data = protobuf.encode(obj)
    decoded = protobuf.decode(data)
    assert decoded["spec"]["versions"][0]["schema"]["openAPIV3Schema"] == SCHEMA
    assert protobuf.encode(decoded) == data


def test_schemas_that_nest_too_deeply_are_refused():
    schema = {"type": "object"}
    for _ in range(1000):
        schema = {"properties": {"a": schema}}
    with pytest.raises(protobuf.DecodeError, match="nested deeper"):
        protobuf.decode(protobuf.encode(definition_of(schema)))


def test_bounds_that_are_no_numbers_are_refused():
    data = protobuf.encode(definition_of({"maximum": 1.5}))
    for bits in (b"\x00" * 6 + b"\xf0\x7f", b"\x00" * 6 + b"\xf8\x7f"):
        with pytest.raises(protobuf.DecodeError, match="unsupported value"):
            protobuf.decode(data.replace(b"\x00" * 6 + b"\xf8\x3f", bits))


def definition_of(schema):
    version = {"name": "v1", "served": True, "schema": {"openAPIV3Schema": schema}}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.example.com"},
        "spec": {"group": "example.com", "versions": [version]},
    }


def test_bytes_of_a_namespace_are_what_clients_send():
    # `kubectl create namespace x`: Go writes the empty members of what is no pointer.
    envelope = b"\x0a\x0f\x0a\x02v1\x12\x09Namespace"
    metadata = b"\x0a\x01x\x12\x00\x1a\x00\x22\x00\x2a\x00\x32\x00\x38\x00\x42\x00"
    raw = b"\x0a" + bytes([len(metadata)]) + metadata + b"\x12\x00\x1a\x02\x0a\x00"
    body = protobuf.MAGIC + envelope + b"\x12" + bytes([len(raw)]) + raw + b"\x1a\x00\x22\x00"
    assert protobuf.decode(body) == {
        "apiVersion": "v1",
        "kind": "Namespace",
        "metadata": {"name": "x"},
        "spec": {},
        "status": {},
    }


@pytest.mark.parametrize(
    ("kind", "value", "expected"),
    [
        ("Lease", b"\x08\x00\x10\x00", "1970-01-01T00:00:00.000000Z"),  # as Go writes it
        ("Lease", b"\x10\x00", "1970-01-01T00:00:00.000000Z"),
        ("Lease", b"\x18\x05", "1970-01-01T00:00:00.000000Z"),  # of an unknown field alone
        ("Lease", b"", None),
    ],
)
def test_the_beginning_of_1970_is_a_time(kind: str, value: bytes, expected: str | None) -> None:
    spec = b"\x22" + bytes([len(value)]) + value  # renewTime
    raw = b"\x12" + bytes([len(spec)]) + spec
    head = b"\x0a\x16coordination.k8s.io/v1\x12" + bytes([len(kind)]) + kind.encode()
    body = protobuf.MAGIC + b"\x0a" + bytes([len(head)]) + head + b"\x12" + bytes([len(raw)]) + raw
    assert protobuf.decode(body)["spec"] == {"renewTime": expected}


def test_unknown_fields_and_groups_are_skipped():
    raw = b"\x9a\x06\x03abc" + b"\xa3\x06\x08\x01\xa4\x06" + b"\x12\x06\x0a\x01k\x12\x01v"
    body = protobuf.MAGIC + b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap" + b"\x12" + bytes([len(raw)]) + raw
    assert protobuf.decode(body) == {"apiVersion": "v1", "kind": "ConfigMap", "data": {"k": "v"}}


@pytest.mark.parametrize(
    "number, meant",
    [
        (b"\x83\x80\x80\x80\x10", 3),  # 1 << 32 | 3
        (b"\xff\xff\xff\xff\x0f", -1),  # 1 << 32, less 1
        (b"\xfe\xff\xff\xff\xff\xff\xff\xff\xff\x01", -2),
    ],
)
def test_of_numbers_too_long_for_their_fields_the_low_bits_count(number: bytes, meant: int) -> None:
    port = b"\x18" + number + b"\x22" + bytes([len(number) + 3]) + b"\x08\x00\x10" + number
    spec = b"\x0a" + bytes([len(port)]) + port
    raw = b"\x12" + bytes([len(spec)]) + spec
    body = protobuf.MAGIC + b"\x0a\x0d\x0a\x02v1\x12\x07Service" + b"\x12" + bytes([len(raw)]) + raw
    assert protobuf.decode(body)["spec"] == {"ports": [{"port": meant, "targetPort": meant}]}


def test_what_is_written_twice_is_put_together():
    raw = b"\x0a\x03\x0a\x01a" + b"\x12\x06\x0a\x01k\x12\x01v" + b"\x0a\x03\x1a\x01n" + b"\x12\x06\x0a\x01l\x12\x01w"
    body = protobuf.MAGIC + b"\x0a\x04\x0a\x02v1" + b"\x0a\x0b\x12\x09ConfigMap" + b"\x12" + bytes([len(raw)]) + raw
    assert protobuf.decode(body) == {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": {"name": "a", "namespace": "n"},
        "data": {"k": "v", "l": "w"},
    }


def test_strings_that_are_no_utf_8_are_read_as_go_shows_them():
    raw = b"\x0a\x05\x0a\x03\xffa\xc3"
    body = protobuf.MAGIC + b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap" + b"\x12" + bytes([len(raw)]) + raw
    assert protobuf.decode(body)["metadata"] == {"name": "\ufffda\ufffd"}


def test_kinds_without_a_table_have_no_protobuf_form():
    assert protobuf.encode({"apiVersion": "example.com/v1", "kind": "Widget"}) is None
    assert not protobuf.is_known("example.com", "v1", "Widget")
    assert protobuf.is_known("", "v1", "ConfigMap")
    with pytest.raises(protobuf.UnknownKind):
        protobuf.decode(protobuf.MAGIC + b"\x0a\x09\x0a\x02v1\x12\x03Foo\x12\x00")


def test_what_the_envelope_does_not_say_is_taken_from_what_is_expected():
    body = protobuf.MAGIC + b"\x0a\x00\x12\x00"
    assert protobuf.decode(body, "v1", "ConfigMap") == {"apiVersion": "v1", "kind": "ConfigMap"}
    with pytest.raises(protobuf.DecodeError, match=r"Object 'Kind' is missing in 'runtime\.TypeMeta"):
        protobuf.decode(body)


@pytest.mark.parametrize(
    "raw, message",
    [
        (b"\x0a\x05ab", "unexpected EOF"),
        (b"\x2f", "proto: illegal wireType 7"),
        (b"\x0f", "proto: wrong wireType = 7 for field ObjectMeta"),
        (b"\x2b\x00\x00\x07", "proto: illegal wireType 7"),
        (b"\x2b\x2c\x2c", "proto: ConfigMap: wiretype end group for non-group"),
        (b"\x04", "proto: ConfigMap: wiretype end group for non-group"),
        (b"\x00", "proto: ConfigMap: illegal tag 0 (wire type 0)"),
        (b"\x28", "unexpected EOF"),
        (b"\x2b", "unexpected EOF"),
        (b"\x0c", "proto: ConfigMap: wiretype end group for non-group"),
        (b"\x08\x01", "proto: wrong wireType = 0 for field ObjectMeta"),
        (b"\xff" * 11, "proto: integer overflow"),
        (b"\x0a" + b"\xff" * 9 + b"\x01", "proto: negative length found during unmarshaling"),
    ],
)
def test_broken_bytes_are_refused(raw, message):
    with pytest.raises(protobuf.DecodeError) as caught:
        protobuf.decode(enclosed(raw))
    assert caught.value.message == message
    assert (caught.value.kind, caught.value.version) == ("ConfigMap", "v1")


@pytest.mark.parametrize(
    ("kind", "name", "expected"),
    [
        ("v1 ObjectMeta", "uid", "UID"),
        ("v1 OwnerReference", "apiVersion", "APIVersion"),
        ("v1 PodSpec", "serviceAccount", "DeprecatedServiceAccount"),
        ("v1 Pod", "metadata", "ObjectMeta"),
        ("v1 RBDVolumeSource", "image", "RBDImage"),
        ("v1 Container", "image", "Image"),
        ("resource.k8s.io/v1 DeviceAttribute", "ints", "IntValues"),
        ("apiextensions.k8s.io/v1 JSONSchemaProps", "$ref", "Ref"),
        ("apiextensions.k8s.io/v1 JSONSchemaProps", "x-kubernetes-int-or-string", "XIntOrString"),
        ("networking.k8s.io/v1 IngressSpec", "tls", "TLS"),
    ],
)
def test_fields_are_named_as_in_go(kind: str, name: str, expected: str) -> None:
    message = message_of(*kind.split(" "))
    assert go_name(message.name, message.by_name[name]) == expected


@pytest.mark.parametrize(
    ("more", "message"),
    [
        (b"\x19" + b"\x01" * 8, "proto: wrong wireType = 1 for field ContentEncoding"),
        (b"\x20\x01", "proto: wrong wireType = 0 for field ContentType"),
    ],
)
def test_all_of_the_envelope_is_looked_at(more: bytes, message: str) -> None:
    with pytest.raises(protobuf.DecodeError) as caught:
        protobuf.decode(enclosed(b"\x0a\x03\x0a\x01a", more))
    assert caught.value.message == message
    assert protobuf.decode(enclosed(b"\x0a\x03\x0a\x01a", b"\x1a\x01x\x22\x01y"))["metadata"] == {"name": "a"}


@pytest.mark.parametrize("raw", [b"x", b"", b'{"f:a":'])
def test_a_set_of_fields_that_is_no_json_is_none(raw: bytes) -> None:
    owned = b"\x0a" + bytes([len(raw)]) + raw
    entry = b"\x3a" + bytes([len(owned)]) + owned
    metadata = b"\x8a\x01" + bytes([len(entry)]) + entry
    decoded = protobuf.decode(enclosed(b"\x0a" + bytes([len(metadata)]) + metadata))
    assert decoded["metadata"]["managedFields"] == [{"fieldsV1": False}]


@pytest.mark.parametrize("data", [0, "", False, [], {"a": 1}])
def test_any_json_that_is_given_is_kept(data: object) -> None:
    obj = {
        "apiVersion": "apps/v1",
        "kind": "ControllerRevision",
        "metadata": {"name": "a"},
        "data": data,
        "revision": 1,
    }
    encoded = protobuf.encode(obj)
    assert encoded is not None
    assert protobuf.decode(encoded)["data"] == data
