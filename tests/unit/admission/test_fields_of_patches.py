"""JSON patches of policies with fields that are no texts, or that JSON has no form for."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.errors import APIStatus
from unit.admission.test_policies import attributes_of, json_patch, mutating

NOT_JSON = "JSONPath valueExpression evaluated to a type that could not marshal to JSON: "
NO_NUMBER = f"{NOT_JSON}json: error calling MarshalJSON for type *structpb."


def refusal(expression: str) -> str:
    with pytest.raises(APIStatus) as refused:
        mutating(attributes_of({"n": 5, "l": ["a"]}), json_patch(expression))
    assert refused.value.http_code == 403
    return refused.value.message.partition(" denied request: ")[2]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("0.0 / 0.0", "Value: proto: google.protobuf.Value.number_value: invalid NaN value"),
        ("[{'a': 1.0 / 0.0}]", "Value: proto: google.protobuf.Value.number_value: invalid +Inf value"),
        ("optional.of(-1.0 / 0.0)", "Value: proto: google.protobuf.Value.number_value: invalid -Inf value"),
        ("Object.x{a: 0.0 / 0.0}", "Struct: proto: google.protobuf.Value.number_value: invalid NaN value"),
    ],
)
def test_numbers_that_json_does_not_have_are_no_values(value: str, text: str) -> None:
    assert refusal(f"[JSONPatch{{op: 'add', path: '/spec/x', value: {value}}}]") == NO_NUMBER + text
    mutating(
        attributes_of({}),
        json_patch(f"[JSONPatch{{op: 'add', path: '/spec/x', value: {value}}}]"),
        failurePolicy="Ignore",
    )


def test_what_cannot_be_converted_is_told_before_numbers() -> None:
    told = refusal("[JSONPatch{op: 'add', path: '/spec/x', value: [dyn(0.0 / 0.0), dyn(int)]}]")
    assert told == f"{NOT_JSON}type conversion not supported for 'type'"


@pytest.mark.parametrize("value", ["JSONPatch{op: 'a'}", "[JSONPatch{op: 'a'}]", "{'a': JSONPatch{}}"])
def test_a_patch_is_no_value(value: str) -> None:
    told = refusal(f"[JSONPatch{{op: 'add', path: '/spec/x', value: {value}}}]")
    assert told == f"{NOT_JSON}cannot convert to native type: *structpb.Value"


def test_a_patch_in_an_object_is_no_value() -> None:
    told = refusal("[JSONPatch{op: 'add', path: '/spec/x', value: Object.spec{a: JSONPatch{}}}]")
    assert told == f"{NOT_JSON}proto: invalid type: *mutation.JSONPatchVal"


@pytest.mark.parametrize("name", ["op", "path", "from"])
@pytest.mark.parametrize(
    ("value", "go_type"),
    [
        ("object.spec.n", "int64"),
        ("dyn(1u)", "uint64"),
        ("dyn(1.5)", "float64"),
        ("dyn(true)", "bool"),
        ("dyn(b'a')", "[]uint8"),
        ("dyn(null)", "structpb.NullValue"),
        ("dyn(timestamp(0))", "time.Time"),
        ("dyn(duration('1s'))", "time.Duration"),
        ("dyn(quantity('1'))", "*resource.Quantity"),
        ("dyn(optional.none())", "<nil>"),
        ("dyn(optional.of(1))", "int64"),
        ("dyn(['a'])", "[]ref.Val"),
        ("dyn({'a': 1})", "map[ref.Val]ref.Val"),
        ("object.spec.l", "[]interface {}"),
        ("object.spec", "map[string]interface {}"),
        ("dyn(Object{})", "map[string]interface {}"),
        ("dyn(JSONPatch{})", "*mutation.JSONPatchVal"),
    ],
)
def test_fields_of_a_patch_are_texts(name: str, value: str, go_type: str) -> None:
    expression = f"[JSONPatch{{{name}: {value}}}]"
    error = f"unexpected type {go_type} for JSONPatchType '{name}' field"
    assert refusal(expression) == f"expression '{expression}' resulted in error: {error}"


def test_a_type_is_the_text_of_its_name() -> None:
    assert refusal("[JSONPatch{op: dyn(int)}]") == "JSON Patch: Unexpected kind: int"
    assert refusal("[JSONPatch{op: dyn(optional.of('a'))}]") == "JSON Patch: Unexpected kind: a"


@pytest.mark.parametrize(
    ("fields", "text"),
    [
        (r"op: 'a\x07'", "Unexpected kind: unknown"),
        (r"op: 'a\u2028'", "Unexpected kind: a\u2028"),
        (r"op: 'add', path: '/spec/\x07'", "add operation failed to decode path: missing value"),
        (r"op: 'remove', path: '/spec/\v'", "remove operation failed to decode path: missing value"),
        (
            r"op: 'replace', path: '/spec/\x7f'",
            "replace operation failed to decode path: invalid character 'x' in string escape code",
        ),
        (
            r"op: 'test', path: '/spec/\U000e0001'",
            "test operation failed to decode path: invalid character 'U' in string escape code",
        ),
        (
            r"op: 'move', from: '/\a', path: '/a'",
            "move operation failed to decode from: invalid character 'a' in string escape code",
        ),
        (
            r"op: 'copy', from: '/spec/n', path: '/\v'",
            "copy operation failed to decode path: missing value",
        ),
    ],
)
def test_texts_of_patches_that_go_quotes_as_no_json(fields: str, text: str) -> None:
    assert refusal(f"[JSONPatch{{{fields}}}]") == f"JSON Patch: {text}"


def test_paths_may_have_characters_that_json_escapes() -> None:
    attributes = attributes_of({})
    mutating(attributes, json_patch(r"""[JSONPatch{op: 'add', path: '/spec/\n"\u00ad', value: 1}]"""))
    assert attributes.obj is not None
    assert attributes.obj["spec"] == {'\n"\u00ad': 1}
