"""What a custom resource's codec says of stored bytes."""

from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.registry.customresource.codec import CustomResourceCodec, NoneConverter
from quarterdeck.schema.engine import Engine

WITH_DEFAULT = {"type": "object", "properties": {"spec": {"type": "object", "default": {}}}}


def build(version):
    engines = {"g.dev/v1": Engine({"type": "object"}), "g.dev/v2": Engine(WITH_DEFAULT)}
    return CustomResourceCodec(GroupVersionKind("g.dev", version, "Thing"), "g.dev/v2", engines, NoneConverter())


def test_an_object_of_another_version_is_not_current_and_may_lack_defaults():
    stored = b'{"apiVersion":"g.dev/v1","kind":"Thing","metadata":{"name":"a"}}'
    codec = build("v2")
    assert not codec.is_current(stored)
    read = codec.decode(stored)
    codec.normalize(read, report_unknown=False)
    assert "spec" in read


def test_normalizing_a_current_object_changes_nothing():
    stored = b'{"apiVersion":"g.dev/v2","kind":"Thing","metadata":{"name":"a"},"more":1}'
    codec = build("v2")
    assert codec.is_current(stored)
    read = codec.decode(stored)
    spec = read["spec"]
    codec.normalize(read, report_unknown=False)
    assert read == {"apiVersion": "g.dev/v2", "kind": "Thing", "metadata": {"name": "a"}, "spec": {}}
    assert read["spec"] is spec
