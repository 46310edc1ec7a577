"""Path elements as a client writes them, and as they are stored; structured-merge-diff reads them so."""

import pytest

from quarterdeck.fieldmanager import fields, managed, pathelement


def normalize(text):
    return pathelement.normalize(text)


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ('v:{"b":1,"a":[2,{"d":null,"c":"x"}]}', 'v:{"a":[2,{"c":"x","d":null}],"b":1}'),
        ('v:{"a":1,"a":2}', 'v:{"a":2}'),
        ("v:[1, 2.0, true]", "v:[1,2,true]"),
        ('k:{"a":{"x":1}}', 'k:{"a":{"x":1}}'),
        ('k:{"b":[1],"a":"x"}', 'k:{"a":"x","b":[1]}'),
        ('v:{"<":"<"}', 'v:{"\\u003c":"\\u003c"}'),
    ],
)
def test_items_that_are_maps_and_lists_keep_what_they_hold(sent, stored):
    assert normalize(sent) == stored


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ('v:"a"x', 'v:"a"'),
        ('k:{"a":1}x', 'k:{"a":1}'),
        ("v: 1 2", "v:1"),
        ("v:nullx", "v:null"),
        ("v:truex", "v:true"),
        ("k:nullx", "k:{}"),
        ('k:{"a":1,"a":2}', 'k:{"a":1,"a":2}'),
        ("i:+1", "i:1"),
        ("i:-01", "i:-1"),
    ],
)
def test_what_follows_the_value_is_not_looked_at(sent, stored):
    assert normalize(sent) == stored


@pytest.mark.parametrize(
    ("sent", "stored"),
    [
        ("v:-0", "v:-0"),
        ("v:123456789012345678901234567890", "v:1.2345678901234568e+29"),
        ("v:9007199254740993", "v:9007199254740993"),
        ("v:9223372036854775808", "v:9223372036854776000"),
        ("v:1.50e1", "v:15"),
        ('k:{"a":1e-7}', 'k:{"a":1e-07}'),
        ('v:"\\ud800"', 'v:"\ufffd"'),
        ('v:"\\ud83d\\ude00"', 'v:"\U0001f600"'),
    ],
)
def test_numbers_are_written_as_go_writes_them_and_texts_are_whole(sent, stored):
    assert normalize(sent) == stored


@pytest.mark.parametrize(
    "sent",
    [
        *("v:NaN", "v:Infinity", "v:-Infinity", "v:1e400", 'k:{"a":NaN}', "v:[1e400]", "v:[-Infinity]"),
        *(
            "v:01",
            "v:1.",
            "v:1e",
            "v:1-2",
            "v:-",
            "v:+1",
            "v:.5",
            "v:",
            "v:x",
            "v:[1",
            "v:" + "[" * 100_000,
            "v:" + "[" * 101 + "]" * 101,
        ),
        *("k:1", "k:[]", 'k:"a"', "k:{", "k:", "k:nul"),
        *("i: 1", "i:1 ", "i:1_0", "i:\u0663", "i:99999999999999999999", "i:"),
        *("", "f", "fx", "\u00e9:a", "\u00e9"),
    ],
)
def test_what_is_no_path_element_is_refused(sent):
    with pytest.raises(pathelement.MalformedFields):
        normalize(sent)


@pytest.mark.parametrize("kind", ["v:", 'k:{"a":'])
@pytest.mark.parametrize(("opened", "inner", "closed"), [("[", "", "]"), ('{"a":', "1", "}")])
def test_a_hundred_levels_are_read(kind, opened, inner, closed):
    text = kind + opened * 100 + inner + closed * 100 + "}" * (kind != "v:")
    assert normalize(text) == text


def test_kinds_that_are_not_known_are_left_out():
    assert normalize("x:a") is None


@pytest.mark.parametrize("sent", [[], "", 0, False])
@pytest.mark.parametrize("trusted", [True, False])
def test_only_null_and_nothing_are_the_empty_set(sent, trusted):
    entry = {"manager": "m", "operation": "Update", "apiVersion": "v1", "fieldsType": "FieldsV1"}
    with pytest.raises(ValueError, match="expect"):
        managed.decode([{**entry, "fieldsV1": sent}], trusted=trusted)
    for empty in ({}, {"fieldsV1": None}, {"fieldsV1": {}}):
        (owned,) = managed.decode([{**entry, **empty}], trusted=trusted).values()
        assert owned.fields == {}


def test_a_set_of_paths_has_its_elements_in_their_one_form():
    sent = {"f:list": {"v: 2.0": {}, 'v:"a"x': {".": {}}}}
    assert fields.normalize(sent) == {"f:list": {"v:2": {}, 'v:"a"': {}}}


@pytest.mark.parametrize(
    ("first", "second", "stored"),
    [
        ({}, {}, {}),
        ({"f:a": {}}, {}, {".": {}, "f:a": {}}),
        ({}, {"f:a": {}}, {".": {}, "f:a": {}}),
        ({"f:a": {}}, {"f:b": {}}, {"f:b": {}}),
        ({".": {}, "f:a": {}}, {"f:b": {}}, {".": {}, "f:b": {}}),
        ({"f:a": {}}, {"x:b": {}}, {".": {}, "f:a": {}}),
        (None, {"x:b": {}}, {}),
    ],
)
def test_the_last_spelling_of_an_element_with_anything_below_it_counts(first, second, stored):
    for sent in ({"v:1": first, "v:1.0": second}, {"v:1.0": second, "v:1": first}):
        assert fields.normalize({"f:list": sent}) == {"f:list": {"v:1": stored}}
