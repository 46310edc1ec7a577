"""JSON patches apply as evanphx/json-patch applies them and are refused as kube-apiserver refuses them."""

import json

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json as codec
from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body
from support import recorded


def value_of(text):
    return codec.decode(text.encode()).value


@pytest.mark.parametrize("row", recorded.load("json-patch.json"), ids=lambda row: row["patch"][:60])
def test_apply_answers_as_go(row):
    operations = value_of(row["patch"])
    before = json.dumps(operations)
    if "error" in row:
        with pytest.raises(jsonpatch.PatchError) as caught:
            jsonpatch.apply(value_of(row["document"]), operations)
        assert caught.value.message == row["error"]
    else:
        assert jsonpatch.apply(value_of(row["document"]), operations) == value_of(row["json"])
    assert json.dumps(operations) == before


@pytest.mark.parametrize(
    "name", ["patch/json-patch-arrays.json", "patch/json-patch-equality.json", "patch/json-patch-errors.json"]
)
def test_recorded_patches_of_an_object_are_answered_alike(name):
    recording = json.loads((recorded.golden_folder() / name).read_text())
    obj = recording["scenario"]["setup"][-1]["body"]
    for step, answer in recorded.golden_steps(name):
        if step.get("method") != "PATCH":
            continue
        patch = jsonpatch_body.decode(json.dumps(step["body"]).encode())
        if answer["code"] == 422:
            with pytest.raises(errors.GenericServerResponse):
                jsonpatch.apply_to_object(codec.decode(codec.encode(obj)).value, patch)
            continue
        patched = jsonpatch.apply_to_object(obj, patch)
        assert patched["spec"] == answer["body"]["spec"], step["body"]


@pytest.mark.parametrize("number", range(12))
def test_recorded_malformed_patches_are_answered_alike(number):
    step, answer = list(recorded.golden_steps("patch/json-patch-malformed.json"))[number]
    obj = {"spec": {"c": 1}}
    try:
        patch = jsonpatch_body.decode((step["raw"] if "raw" in step else json.dumps(step["body"])).encode())
        jsonpatch.apply_to_object(obj, patch)
    except errors.APIStatus as error:
        assert (error.http_code, error.message) == (answer["code"], answer["body"]["message"])
        return
    if patch.strict_errors and step["path"].endswith("=Strict"):
        assert answer["body"]["message"].endswith(f"strict decoding error: {', '.join(patch.strict_errors)}")
    else:
        assert answer["code"] == 200


def test_operations_are_limited():
    jsonpatch_body.decode(b"[" + b",".join([b"{}"] * 10_000) + b"]")
    with pytest.raises(errors.RequestEntityTooLarge) as caught:
        jsonpatch_body.decode(b"[" + b",".join([b"{}"] * 10_001) + b"]")
    assert caught.value.message == (
        "Request entity too large: The allowed maximum operations in a JSON patch is 10000, got 10001"
    )


def test_copies_that_double_are_stopped():
    operations = [{"op": "copy", "from": "/a", "path": "/a/-"}] * 60
    with pytest.raises(jsonpatch.PatchError, match="Unable to complete the copy"):
        jsonpatch.apply({"a": ["x" * 1000]}, operations)


def test_values_of_a_patch_are_not_shared_with_the_document():
    operations = [{"op": "add", "path": "/a", "value": {}}, {"op": "add", "path": "/a/b", "value": 1}]
    for _ in range(2):
        assert jsonpatch.apply({}, operations) == {"a": {"b": 1}}


def test_deep_documents_are_patched_without_recursion():
    document = codec.decode(b'{"a":' * 9_000 + b"1" + b"}" * 9_000).value
    operations = [
        {"op": "copy", "from": "/a", "path": "/b"},
        {"op": "test", "path": "/b", "value": codec.decode(codec.encode(document["a"])).value},
    ]
    assert len(jsonpatch.apply(document, operations)) == 2


def test_unvalidated_patches_have_other_texts():
    with pytest.raises(errors.BadRequest) as caught:
        jsonpatch_body.decode(b"{}", is_validated=False)
    assert caught.value.message == "json: cannot unmarshal object into Go value of type jsonpatch.Patch"
    assert jsonpatch_body.decode(b'[{"op":"add","op":"test","x":1}]', is_validated=False).strict_errors == []


def test_a_patch_that_is_no_list_is_refused_before_its_numbers():
    with pytest.raises(errors.BadRequest, match=r"cannot unmarshal object into Go value of type \[\]handlers"):
        jsonpatch_body.decode(b'{"spec":{"n":1e400}}')
    with pytest.raises(errors.BadRequest, match=r"1e400 into Go struct field jsonPatchOp\.value of type float64"):
        jsonpatch_body.decode(b'[{"op":"add","path":"/a","value":1e400}]')


def test_items_of_a_long_list_are_moved_a_bounded_number_of_times() -> None:
    operations = [{"op": "remove", "path": "/0"}, {"op": "add", "path": "/0", "value": 1}] * 5000
    assert len(jsonpatch.apply(list(range(1900)), operations)) == 1900
    with pytest.raises(errors.RequestEntityTooLarge, match="may move 20000000 items"):
        jsonpatch.apply(list(range(1_000_000)), operations)
    at_the_end = [{"op": "add", "path": "/-", "value": 1}, {"op": "remove", "path": "/-1"}] * 5000
    assert len(jsonpatch.apply(list(range(1_000_000)), at_the_end)) == 1_000_000


@pytest.mark.parametrize(
    ("held", "written", "passes"),
    [
        ("é", '"é"', True),
        ("é", '"\\u00e9"', False),
        ("a/b", '"a\\/b"', False),
        ("a<b", '"a<b"', False),
        ("a<b", '"a\\u003cb"', True),
        ("\n", '"\\n"', True),
        ("\n", '"\\u000a"', False),
        (1.5, "1.5", True),
        (1.5, "1.50", False),
        (1.5, "15e-1", False),
        (1.0, "1", True),
        (1.0, "1.0", False),
        (0, "-0", False),
        ({"b": "é", "a": [1.5]}, '{ "a": [1.5], "b": "é" }', True),
        ({"b": "é", "a": [1.5]}, '{"a":[1.5],"b":"\\u00e9"}', False),
        ({"é": 1}, '{"\\u00e9":1}', True),
        (None, "null", True),
    ],
)
def test_a_test_compares_scalars_as_they_are_written(held, written, passes):
    patch = jsonpatch_body.decode(f'[{{"op":"test","path":"/a","value":{written}}}]'.encode())
    document = {"a": held}
    if passes:
        assert jsonpatch.apply_to_object(document, patch) == {"a": held}
    else:
        with pytest.raises(errors.APIStatus):
            jsonpatch.apply_to_object(document, patch)


def test_what_a_patch_adds_keeps_its_text_until_the_patch_is_applied():
    value = '"path":"/a","value":{"b":"\\u00e9<","c":1.50}'
    patch = jsonpatch_body.decode(f'[{{"op":"add",{value}}},{{"op":"test",{value}}}]'.encode())
    assert jsonpatch.apply_to_object({}, patch) == {"a": {"b": "é<", "c": 1.5}}


def copy_and_test(value):
    added, copied = '{"op":"add","path":"/a","value":"<"}', '{"op":"copy","from":"/a","path":"/b"}'
    patch = jsonpatch_body.decode(f'[{added},{copied},{{"op":"test","path":"/b","value":{value}}}]'.encode())
    return jsonpatch.apply_to_object({}, patch)


def test_a_copy_is_written_with_escapes():
    assert copy_and_test('"\\u003c"') == {"a": "<", "b": "<"}
    with pytest.raises(errors.APIStatus):
        copy_and_test('"<"')


@pytest.mark.parametrize(
    ("written", "size"),
    [
        ('"x"', 3),
        ('"é"', 4),
        ('"\\u00e9"', 8),
        ('"\\n"', 4),
        ('"<>&"', 20),
        ('"\u2028"', 8),
        ("1.50", 4),
        ('["<", 1e2, {"a<": "\\u0061"}]', 35),
    ],
)
def test_a_copy_is_as_large_as_it_is_written(written, size):
    operations = f'[{{"op":"add","path":"/a","value":{written}}},{{"op":"copy","from":"/a","path":"/b"}}]'
    patch = jsonpatch_body.decode(operations.encode())
    jsonpatch.apply({}, patch.operations, copy_bytes_max=size, keeps_texts=patch.keeps_texts)
    with pytest.raises(jsonpatch.PatchError, match=f"size increase of copy is {size}, "):
        jsonpatch.apply({}, patch.operations, copy_bytes_max=size - 1, keeps_texts=patch.keeps_texts)


def test_a_copy_of_the_document_is_as_large_as_go_writes_it():
    with pytest.raises(jsonpatch.PatchError, match="size increase of copy is 24, "):
        jsonpatch.apply({"a": ["<", "é", "&"]}, [{"op": "copy", "from": "/a", "path": "/b"}], copy_bytes_max=1)
