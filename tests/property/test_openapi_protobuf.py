"""What the protobuf tables write is what the documents say: read back by the numbers of the format itself."""

from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.openapi import protobuf_v2, protobuf_v3
from reference import gnostic_reference as reference

TEXT = st.text(max_size=8)
NUMBER = st.one_of(st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False))
COUNT = st.integers(0, 2**63 - 1)
JSON = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(-(2**53), 2**53), TEXT),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(TEXT, inner, max_size=3)),
    max_leaves=6,
)
SOME_JSON = JSON.filter(lambda value: value is not None)
_WORDS_MAX = 6
WORDS = {
    "format": TEXT,
    "title": TEXT,
    "description": TEXT,
    "type": TEXT,
    "pattern": TEXT,
    "multipleOf": NUMBER,
    "maximum": NUMBER,
    "minimum": NUMBER,
    "exclusiveMaximum": st.booleans(),
    "exclusiveMinimum": st.booleans(),
    "maxLength": COUNT,
    "minLength": COUNT,
    "maxItems": COUNT,
    "minItems": COUNT,
    "maxProperties": COUNT,
    "minProperties": COUNT,
    "required": st.lists(TEXT, min_size=1, max_size=3),
    "enum": st.lists(JSON, min_size=1, max_size=3),
    "example": SOME_JSON,
    "externalDocs": st.fixed_dictionaries({"description": TEXT, "url": TEXT}),
    "x-kubernetes-list-type": TEXT,
    "x-kubernetes-validations": SOME_JSON,
}


@st.composite
def some_of(draw, words):
    """A few words each: half of all of them would take minutes to draw."""
    names = draw(st.lists(st.sampled_from(sorted(words)), max_size=_WORDS_MAX, unique=True))
    return {name: draw(words[name]) for name in names}


def schemas(words, extend):
    return st.recursive(some_of(words), lambda inner: some_of({**words, **extend(inner)}), max_leaves=8)


def extend_v2(inner):
    return {
        "properties": st.dictionaries(TEXT, inner, min_size=1, max_size=3),
        "items": inner,
        "additionalProperties": st.one_of(st.booleans(), inner),
        "allOf": st.lists(inner, min_size=1, max_size=2),
    }


def extend_v3(inner):
    either = st.one_of(inner, st.builds(lambda name: {"$ref": name}, TEXT))
    return {
        "properties": st.dictionaries(TEXT, either, min_size=1, max_size=3),
        "items": either,
        "additionalProperties": st.one_of(st.booleans(), either),
        **{junctor: st.lists(either, min_size=1, max_size=2) for junctor in ("allOf", "anyOf", "oneOf")},
        "not": inner,
    }


V2_WORDS = {**WORDS, "default": SOME_JSON}
V3_WORDS = {**WORDS, "default": st.one_of(NUMBER, st.booleans(), TEXT), "nullable": st.booleans()}


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, schemas(V2_WORDS, extend_v2), max_size=3))
def test_v2_definitions_read_back(definitions):
    entries = protobuf_v2.encode_definitions(definitions)
    head = protobuf_v2.encode_head({"title": "t", "version": "v"})
    data = head + protobuf_v2.open_paths(0) + protobuf_v2.open_definitions(len(entries)) + entries
    assert reference.decode(data, reference.V2) == {
        "swagger": "2.0",
        "info": {"title": "t", "version": "v"},
        "paths": {},
        "definitions": definitions,
    }


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(TEXT, schemas(V3_WORDS, extend_v3), max_size=3))
def test_v3_schemas_read_back(definitions):
    entries = protobuf_v3.encode_schemas(definitions)
    head = protobuf_v3.encode_head({"title": "t", "version": "v"})
    data = head + protobuf_v3.open_paths(0) + protobuf_v3.open_schemas(len(entries)) + entries
    assert reference.decode(data, reference.V3) == {
        "openapi": "3.0.0",
        "info": {"title": "t", "version": "v"},
        "paths": {},
        "components": {"schemas": definitions},
    }
