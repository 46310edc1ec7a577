"""Bodies that cannot be decoded are refused in upstream's words, taken from the recordings of kube-apiserver."""

import json

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import body, mediatypes, protobuf
from support import recorded

SCHEME = body.Scheme("pkg/api/legacyscheme/scheme.go:30", protobuf.is_known)
CUSTOM = body.Target("${GROUP}", "v1", "Widget")
CONFIG_MAP = body.Target("", "v1", "ConfigMap", SCHEME)
RECORDINGS = (
    "verbs/body-syntax-errors.json",
    "verbs/body-kind-errors.json",
    "verbs/strings.json",
    "verbs/numbers.json",
    "verbs/yaml-forms.json",
    "verbs/content-types.json",
    "strict/json-duplicates.json",
    "validation/yaml-body.json",
    "core/unknown-fields-and-types.json",
)
# What a type says about its fields is not the codec's matter.
NOT_OURS = ("Go struct field ObjectMeta", "Go struct field ConfigMap", "Go struct field ContainerPort", "unknown field")


def recorded_bodies():
    for name in RECORDINGS:
        for number, (step, answer) in enumerate(recorded.golden_steps(name)):
            path = step["path"].partition("?")[0]
            if step.get("method") != "POST" or "message" in step.get("ignore", ()):
                continue
            if path.endswith("/widgets"):
                yield pytest.param(step, answer, CUSTOM, id=f"{name}:{number}")
            elif path.endswith("/configmaps"):
                yield pytest.param(step, answer, CONFIG_MAP, id=f"{name}:{number}")


def decode(step, target):
    data = step["raw"] if "raw" in step else json.dumps(step["body"])
    headers = {"Content-Type": "application/json"} | (step.get("headers") or {})
    decoded = body.decode_object(data.encode(), headers["Content-Type"] or "", target)
    if decoded.strict_errors and step["path"].endswith("=Strict"):
        raise body.cannot_be_handled(target, body.strict_error(decoded.strict_errors))
    body.check_version(decoded.value, target)
    return decoded


@pytest.mark.parametrize("step, answer, target", list(recorded_bodies()))
def test_recorded_bodies_are_answered_alike(step, answer, target):
    message = answer["body"].get("message", "") if isinstance(answer["body"], dict) else ""
    if any(text in message for text in NOT_OURS):
        pytest.skip("the type's matter")
    if answer["code"] in (400, 415):
        with pytest.raises(errors.APIStatus) as caught:
            decode(step, target)
        assert caught.value.message == message
        assert caught.value.http_code == answer["code"]
    else:
        value = decode(step, target).value
        assert value["kind"]


def test_kind_and_version_of_a_builtin_type_are_filled_in():
    decoded = body.decode_object(b'{"metadata":{"name":"a"}}', "", CONFIG_MAP)
    assert decoded.value == {"metadata": {"name": "a"}, "apiVersion": "v1", "kind": "ConfigMap"}


def test_kind_is_found_whatever_the_case_of_its_letters():
    with pytest.raises(errors.BadRequest, match="Object 'Kind' is missing"):
        body.decode_object(b'{"Kind":"Widget","apiVersion":"${GROUP}/v1"}', "", CUSTOM)
    decoded = body.decode_object(b'{"KIND":"ConfigMap","apiversion":"v1"}', "", CONFIG_MAP)
    assert decoded.value["kind"] == "ConfigMap"


@pytest.mark.parametrize("target", [CUSTOM, CONFIG_MAP])
@pytest.mark.parametrize(
    ("head", "told"),
    [
        ('"kind":5,"kind":"{0}"', "number into Go struct field .kind of type string"),
        ('"apiVersion":{{"a":[]}},"kind":"{0}","apiVersion":"v1"', "object into Go struct field .apiVersion of"),
        ('"KIND":"{0}","kind":null,"kind":[1]', "array into Go struct field .kind of type string"),
    ],
)
def test_each_of_several_kinds_is_read(target, head, told):
    data = f"{{{head.format(target.kind)},{json.dumps('metadata')}:{{}}}}".encode()
    with pytest.raises(errors.BadRequest, match=f"json parse error: json: cannot unmarshal {told}"):
        body.decode_object(data, "", target)


def test_a_kind_that_is_null_the_second_time_is_the_first():
    with pytest.raises(errors.BadRequest, match='no kind "Other" is registered for version "v1"'):
        body.decode_object(b'{"apiVersion":"v1","kind":"Other","kind":null}', "", CONFIG_MAP)


def test_duplicates_in_yaml_are_one_strict_error_and_several_warnings():
    data = b"apiVersion: v1\nkind: ConfigMap\ndata:\n  a: b\n  a: c\ndata: {}\n"
    decoded = body.decode_object(data, "application/yaml", CONFIG_MAP)
    assert len(decoded.strict_errors) == 1
    warnings = body.strict_warnings([*decoded.strict_errors, 'unknown field "x"'])
    assert warnings == [
        'line 5: key "a" already set in map',
        'line 6: key "data" already set in map',
        'unknown field "x"',
    ]


@pytest.mark.parametrize(
    "header, media_type",
    [
        ("application/json", "application/json"),
        ("Application/JSON; charset=utf-8", "application/json"),
        ('application/json; a="b;c"; d=e', "application/json"),
        ("application/json;", "application/json"),
        ("application/json;;", ""),
        ("application/json; x", ""),
        ("application/json;x=y;x=z", ""),
        ("application/json;x=y;X=z", ""),
        ('application/json;x=y;a=b;x="y"', "application/json"),
        (r'application/json;x="y;x=z";x="y\;x=z"', "application/json"),
        ("json", ""),
        ("", ""),
    ],
)
def test_media_types_are_read(header, media_type):
    assert mediatypes.parse(header) == media_type


def test_body_that_is_no_text_is_quoted_byte_by_byte():
    with pytest.raises(errors.BadRequest) as caught:
        body.decode_object(b'{"metadata":{"name":"\xe2\x82"}}', "", CUSTOM)
    assert 'Object \'Kind\' is missing in \'{"metadata":{"name":"\ufffd\ufffd"}}\'' in caught.value.message


def test_protobuf_of_a_custom_resource_is_refused():
    with pytest.raises(errors.BadRequest, match="does not implement the protobuf marshalling interface"):
        body.decode_object(protobuf.MAGIC + b"\x12\x00", body.PROTOBUF, CUSTOM)
    with pytest.raises(errors.BadRequest, match=r"unexpected EOF \(6b38730078\)"):
        body.decode_object(protobuf.MAGIC + b"x", body.PROTOBUF, CUSTOM)


def test_protobuf_of_a_builtin_type_is_decoded():
    obj = {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": "a"}, "data": {"k": "v"}}
    data = protobuf.encode(obj)
    assert data is not None
    assert body.decode_object(data, body.PROTOBUF, CONFIG_MAP).value == obj


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "empty data (<empty>)"),
        (b"{}", "provided data does not appear to be a protobuf message, expected prefix [107 56 115 0] ({})"),
        (b"k8s\0", "empty body (6b387300)"),
        (b"k8s\0\x0a", "unexpected EOF (6b3873000a)"),
    ],
)
def test_bytes_that_are_no_protobuf_are_refused(data, message):
    with pytest.raises(errors.BadRequest) as caught:
        body.decode_object(data, body.PROTOBUF, CONFIG_MAP)
    assert caught.value.message == f"the object provided is unrecognized (must be of type ConfigMap): {message}"
