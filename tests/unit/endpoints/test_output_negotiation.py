"""Which form of an answer an Accept header gets."""

import pytest

from quarterdeck.apimachinery import accept, errors
from quarterdeck.endpoints import negotiation
from quarterdeck.endpoints.negotiation import JSON, PROTOBUF, YAML

TABLE = "as=Table;g=meta.k8s.io;v=v1"


@pytest.mark.parametrize(
    "header, media_types",
    [
        ("application/yaml;q=0.2, application/json;q=0.9", ["json", "yaml"]),
        ("*/*, application/yaml", ["yaml", "*"]),
        ("application/*, application/yaml", ["yaml", "*"]),
        ("*/*, application/yaml;q=0.1", ["yaml", "*"]),  # upstream's relation is no order
        ("application/yaml;q=0.1, */*", ["*", "yaml"]),
        ("application/json;q=x, application/yaml", ["yaml", "json"]),
        ("nonsense, a/b/c, *, application/json", ["json", "*"]),
        ("a/b/, */, application/json;q=0.5=, a/c;q=0.6=0", ["b", "c", "json", "*"]),
        (" a / b ;q=0.5, \xa0a/c, a/\td, a/e;q=\u0661", ["c", "\td", "b", "e"]),  # blanks alone are left out
    ],
)
def test_the_order_of_clauses(header, media_types):
    assert [clause.subtype for clause in accept.parse(header)] == media_types


@pytest.mark.parametrize(
    "header, media_type",
    [
        ("*/*, application/yaml", YAML),
        ("application/json;stream=watch", JSON),
        ("application/yaml;stream=watch, application/json", JSON),
        ("application/json;sv=v2, application/yaml", YAML),
        ("application/json;charset=utf-8", JSON),
        (f"application/vnd.kubernetes.protobuf;{TABLE}, application/yaml;{TABLE}", YAML),
    ],
)
def test_the_first_clause_that_fits(header, media_type):
    assert negotiation.negotiate(header, custom=False).media_type == media_type


@pytest.mark.parametrize("custom, kind", [(False, "protobuf"), (True, "json")])
def test_of_custom_resources_only_metadata_is_protobuf(custom, kind):
    assert negotiation.negotiate(f"{PROTOBUF}, */*", custom=custom).media_type.endswith(kind)
    partial = f"{PROTOBUF};as=PartialObjectMetadata;g=meta.k8s.io;v=v1, application/json"
    output = negotiation.negotiate(partial, custom=custom)
    assert (output.media_type, output.as_kind) == (PROTOBUF, "PartialObjectMetadata")


@pytest.mark.parametrize(
    "header",
    [
        "Application/JSON",
        "\xa0application/json",
        "application/json\xa0",
        "application/json;v=v1",
        "application/json;g=meta.k8s.io",
        "application/json;stream=x",
    ],
)
def test_what_is_not_acceptable(header):
    with pytest.raises(errors.NotAcceptable):
        negotiation.negotiate(header, custom=True)


@pytest.mark.parametrize(
    "header, media_type",
    [
        ("application/yaml", YAML),
        (f"application/yaml;{TABLE}", None),
        (f"application/json;{TABLE}, application/yaml", YAML),
        (PROTOBUF, PROTOBUF),
        ("text/html", None),
        ("", JSON),
    ],
)
def test_a_status_is_never_transformed(header, media_type):
    found = negotiation.negotiate_error(header)
    assert (found and found.media_type) == media_type


def test_the_router_of_built_in_resources_knows_whole_media_types():
    negotiation.require_media_type("text/html, application/yaml;q=0.1")
    with pytest.raises(errors.NotAcceptable) as caught:
        negotiation.require_media_type("application/*", streams=True)
    assert caught.value.message.endswith(f"{PROTOBUF}, {JSON};stream=watch, {PROTOBUF};stream=watch")
