"""An object that is sent as protobuf becomes the same object as one that is sent as JSON, of every built-in kind."""

from __future__ import annotations

import copy

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.apimachinery.codec.protobuf_types import message_of
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.definition import Definition
from quarterdeck.storage.cacher import Cacher
from support.memory_store import MemoryStore
from support.typed_objects import objects

DEFINITIONS = resources.definitions(Cacher(MemoryStore()))


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda each: f"{each.resource.group}.{each.resource.kind}")
@settings(max_examples=20)
@given(data=st.data())
def test_both_forms_become_one_object(definition: Definition, data: st.DataObject) -> None:
    api_version, kind = definition.resource.api_version, definition.resource.kind
    codec = BuiltinCodec(api_version, kind, definition.make_struct, definition.default)
    obj = data.draw(objects(message_of(api_version, kind)))
    head, end = protobuf.envelope_ends(
        api_version, kind, len(written := protobuf.encode_message(obj, api_version, kind))
    )
    from_protobuf = protobuf.decode(head + written + end)
    plain = protobuf.load_plain(head + written + end, api_version, kind)
    from_json = copy.deepcopy(obj)
    codec.normalize(from_json, report_unknown=False)
    codec.normalize(from_protobuf, report_unknown=False)
    assert from_protobuf == from_json
    assert plain is not None
    codec.normalize(plain, report_unknown=False)
    assert plain == from_json
    again = copy.deepcopy(from_json)
    codec.normalize(again, report_unknown=False)
    assert again == from_json, "what is stored is read as it was stored"
