"""What a refused patch quotes: the text of the patched document, as upstream patches texts."""

import json
import random

import pytest

from quarterdeck.apimachinery import errors, gofmt
from quarterdeck.apimachinery.patch import jsonpatch, jsonpatch_body, mergepatch, texts

M = '"m":{"k":[1,null],"x":"<"},"n":null'
DOCUMENT = '{"a":1,' + M + "}"


@pytest.mark.parametrize(
    ("patch", "expected"),
    [
        (r'{"a": "\u00e9"}', r'{"a":"\u00e9",$M}'),
        ('{"a": 1e-07}', '{"a":1e-07,$M}'),
        ('{"z": {"b": 1.50, "a": null, "A": [null, {"y": null}]}}', '{"a":1,$M,"z":{"A":[null,{}],"b":1.50}}'),
        ('{"m": [{"y": null, "b": 1}]}', '{"a":1,"m":[{"y":null,"b":1}],"n":null}'),
        ('{"m": {"x": null, "k": null}, "a": null, "n": null}', '{"m":{}}'),
        (r'{"m": {"\u00e9": {"\u00e9": 1}}}', '{"a":1,"m":{"k":[1,null],"x":"<","é":{"é":1}},"n":null}'),
    ],
)
def test_a_merge_patch_keeps_what_it_does_not_look_into(patch, expected):
    assert texts.merged(DOCUMENT, patch.encode()) == expected.replace("$M", M).replace("<", "\\u003c")


@pytest.mark.parametrize(
    ("operations", "expected"),
    [
        ('[{"op": "add", "path": "/z", "value": {"b": 1, "a": "\\u00e9"}}]', '{"a":1,$M,"z":{"b":1,"a":"\\u00e9"}}'),
        ('[{"op": "replace", "path": "/m/k/-1", "value": 2.50e2}]', '{"a":1,"m":{"k":[1,2.50e2],"x":"<"},"n":null}'),
        ('[{"op": "remove", "path": "/m"}, {"op": "test", "path": "/a", "value": 1}]', '{"a":1,"n":null}'),
        (
            '[{"op": "add", "path": "/m/k/-"}, {"op": "add", "path": "/m/k/0", "value": []}]',
            '{"a":1,"m":{"k":[[],1,null,null],"x":"<"},"n":null}',
        ),
        (
            '[{"op": "copy", "from": "/m", "path": "/c"}, {"op": "move", "from": "/a", "path": "/c/q~1r"}]',
            '{"c":{"k":[1,null],"q/r":1,"x":"<"},$M}',
        ),
        ('[{"op": "test", "path": "/m/x", "value": "<"}]', '{"a":1,"m":{"k":[1,null],"x":"<"},"n":null}'),
        ('[{"op": "copy", "from": "/gone", "path": "/c"}]', '{"a":1,"c":null,$M}'),
        (
            '[{"op": "add", "path": "/z", "value": {"b": 1, "a": 2}}, {"op": "copy", "from": "/z", "path": "/z/c"}]',
            '{"a":1,$M,"z":{"a":2,"b":1,"c":{"a":2,"b":1}}}',
        ),
    ],
)
def test_a_json_patch_keeps_the_text_of_its_values(operations, expected):
    assert texts.patched(DOCUMENT, operations.encode()) == expected.replace("$M", M).replace("<", "\\u003c")


def value_of(choose, depth=3):
    kind = choose.randrange(8 if depth else 6)
    if kind == 6:
        return [value_of(choose, depth - 1) for _ in range(choose.randrange(3))]
    if kind == 7:
        return {choose.choice("abcé"): value_of(choose, depth - 1) for _ in range(choose.randrange(4))}
    return choose.choice([None, True, 1, -2.5, "x", "é<"])


@pytest.mark.parametrize("seed", range(40))
def test_the_text_is_that_of_the_patched_value(seed):
    choose = random.Random(seed)
    for _ in range(50):
        document = {"a": value_of(choose), "b": value_of(choose)}
        merge = {choose.choice("abc"): value_of(choose) for _ in range(2)}
        text = texts.merged(gofmt.format_json(document), json.dumps(merge).encode())
        assert json.loads(text) == mergepatch.apply(document, merge)
        operations = [
            {"op": choose.choice(["add", "replace", "copy", "move", "remove"]), "from": "/a", "value": value_of(choose),
             "path": choose.choice(["/a", "/c", "/b/a", "/b/0", "/b/-"])}
            for _ in range(2)
        ]  # fmt: skip
        body = json.dumps(operations).encode()
        try:
            expected = jsonpatch.apply_to_object(json.loads(json.dumps(document)), jsonpatch_body.decode(body))
        except errors.GenericServerResponse:
            continue
        assert json.loads(texts.patched(gofmt.format_json(document), body)) == expected


def test_what_a_patch_looks_into_is_sorted():
    document = '{"z":{"d":{"f":1,"e":2},"c":[{"h":1,"g":2}]},"y":{"b":1,"a":2}}'
    compares = '[{"op": "test", "path": "/z", "value": {"c": [{"g": 2, "h": 1}], "d": {"e": 2, "f": 1}}}]'
    assert texts.patched(document, compares.encode()) == (
        '{"y":{"b":1,"a":2},"z":{"c":[{"g":2,"h":1}],"d":{"e":2,"f":1}}}'
    )
    adds = '[{"op": "add", "path": "/z/c/0/i", "value": 3}]'
    assert texts.patched(document, adds.encode()) == (
        '{"y":{"b":1,"a":2},"z":{"c":[{"g":2,"h":1,"i":3}],"d":{"f":1,"e":2}}}'
    )
    assert texts.patched(document, b"[]") == '{"y":{"b":1,"a":2},"z":{"d":{"f":1,"e":2},"c":[{"h":1,"g":2}]}}'
    assert texts.merged(document, b'{"y": {"c": 3}}') == (
        '{"y":{"a":2,"b":1,"c":3},"z":{"d":{"f":1,"e":2},"c":[{"h":1,"g":2}]}}'
    )
