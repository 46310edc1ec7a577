"""What is wrong with a definition, cause by cause. Each definition is decoded as a body is."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from quarterdeck.apiextensions.resource import definition_of_definitions
from quarterdeck.apiextensions.strategy import DefinitionStatusStrategy, DefinitionStrategy
from quarterdeck.registry.builtin.codec import BuiltinCodec

STRATEGY = DefinitionStrategy()
SPEC = {"type": "object", "properties": {"a": {"type": "string"}, "n": {"type": "integer"}, "m": {"type": "object"}}}
ROOT = {"type": "object", "properties": {"spec": SPEC}}


def version(name: str = "v1", **more: Any) -> dict[str, Any]:
    return {"name": name, "served": True, "storage": name == "v1", "schema": {"openAPIV3Schema": ROOT}, **more}


def definition(*versions: dict[str, Any], **spec: Any) -> dict[str, Any]:
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": "widgets.a.b"},
        "spec": {
            "group": "a.b",
            "scope": "Namespaced",
            "names": {"plural": "widgets", "kind": "Widget"},
            "versions": list(versions) or [version()],
            **spec,
        },
    }


def decode(body: dict[str, Any]) -> dict[str, Any]:
    kind = definition_of_definitions()
    obj = copy.deepcopy(body)
    codec = BuiltinCodec("apiextensions.k8s.io/v1", "CustomResourceDefinition", kind.make_struct, kind.default)
    codec.normalize(obj, report_unknown=True)
    return obj


def create(body: dict[str, Any]) -> tuple[list[str], list[str]]:
    """(causes, warnings)"""
    obj, warnings = decode(body), []
    STRATEGY.prepare_for_create(obj)
    problems = STRATEGY.validate(obj, warnings)
    assert isinstance(problems, list)
    return sorted(map(str, problems)), warnings


def causes(body: dict[str, Any]) -> list[str]:
    return create(body)[0]


def with_schema(schema: dict[str, Any], **more: Any) -> dict[str, Any]:
    return definition(version(schema={"openAPIV3Schema": schema}, **more))


def with_field(schema: dict[str, Any]) -> dict[str, Any]:
    return with_schema({"type": "object", "properties": {"f": schema}})


F = "spec.validation.openAPIV3Schema.properties[f]"


def test_a_sound_definition_has_no_causes() -> None:
    assert create(definition()) == ([], [])


@pytest.mark.parametrize(("versions", "shown"), [(None, "null"), ([], "[]")])
def test_without_versions_there_is_no_storage_version(versions: Any, shown: str) -> None:
    assert causes(definition(versions=versions)) == [
        f"spec.versions: Invalid value: {shown}: must have exactly one version marked as storage version",
        "status.storedVersions: Invalid value: null: must have at least one stored version",
    ]


def test_a_second_storage_version_is_not_stored() -> None:
    found = causes(definition(version(), version("v2", storage=True)))
    assert 'status.storedVersions: Invalid value: ["v1"]: must have the storage version v2' in found


def test_of_two_versions_of_one_name_the_second_is_not_stored() -> None:
    found = causes(definition(version(), version(selectableFields=[{"jsonPath": ".spec.a"}])))
    assert 'status.storedVersions: Invalid value: ["v1"]: must have the storage version v1' in found


def test_an_empty_version_name_is_told_once() -> None:
    found = causes(definition(version("", storage=True)))
    assert [cause.partition(":")[0] for cause in found] == ["spec.versions[0].name"]


def test_versions_are_shown_as_the_internal_type() -> None:
    scale = {"specReplicasPath": ".spec.n", "statusReplicasPath": ".status.n"}
    column = {"name": "A", "type": "string", "jsonPath": ".spec.a"}
    one = version(storage=False, subresources={"status": {}}, additionalPrinterColumns=[column])
    two = version("v2", schema={}, subresources={"scale": scale}, selectableFields=[{"jsonPath": ".spec.a"}])
    found = next(cause for cause in causes(definition(one, two)) if "exactly one version" in cause)
    assert '"Subresources":{"Status":{},"Scale":null}' in found
    assert (
        '"Subresources":{"Status":null,"Scale":{"SpecReplicasPath":".spec.n","StatusReplicasPath":".status.n",'
        '"LabelSelectorPath":null}}' in found
    )
    assert (
        '"AdditionalPrinterColumns":[{"Name":"A","Type":"string","Format":"","Description":"","Priority":0,'
        '"JSONPath":".spec.a"}]' in found
    )
    assert '"Schema":{"OpenAPIV3Schema":null}' in found
    assert '"SelectableFields":[{"JSONPath":".spec.a"}]' in found


@pytest.mark.parametrize("member", ["additionalPrinterColumns", "selectableFields"])
def test_lists_of_versions_that_are_written_down_empty_are_shown_so(member: str) -> None:
    more = {"additionalPrinterColumns": [{"name": "A", "type": "string", "jsonPath": ".a"}]}
    more["selectableFields"] = [{"jsonPath": ".spec.a"}]
    body = definition(version(**{member: []}), version("v1", **{member: more[member]}))
    shown = member[0].upper() + member[1:]
    assert any(f'"{shown}":[]' in cause for cause in causes(body))
    assert member not in decode(body)["spec"]["versions"][0]
    alike = definition(version(**{member: []}), version("v1"))
    assert not any(f'"{shown}":[]' in cause for cause in causes(alike))


def test_an_empty_struct_is_not_like_an_absent_one() -> None:
    found = causes(definition(version(subresources={}), version("v1")))
    assert any('"Subresources":{"Status":null,"Scale":null}' in cause for cause in found)
    found = causes(definition(version(schema={}), {"name": "v1", "served": True, "storage": True}))
    assert any('"Schema":{"OpenAPIV3Schema":null}' in cause for cause in found)


@pytest.mark.parametrize("webhook", [{}, {"conversionReviewVersions": []}])
def test_a_conversion_webhook_that_says_nothing_is_dropped(webhook: dict[str, Any]) -> None:
    body = definition(conversion={"strategy": "None", "webhook": webhook})
    assert decode(body)["spec"]["conversion"] == {"strategy": "None"}


def test_conditions_show_that_they_have_no_time() -> None:
    made = decode({**definition(), "status": {"conditions": [{"type": "A", "status": "True"}]}})
    assert made["status"]["conditions"] == [{"type": "A", "status": "True", "lastTransitionTime": None}]


@pytest.mark.parametrize(
    ("more", "texts"),
    [
        ({"deprecationWarning": ""}, ["can only be set for deprecated versions"]),
        ({"deprecated": True, "deprecationWarning": ""}, ["must not be an empty string"]),
        ({"deprecated": True, "deprecationWarning": "é" * 129}, ["must be <= 256 characters long"]),
    ],
)
def test_deprecation_warnings(more: dict[str, Any], texts: list[str]) -> None:
    assert [cause.rpartition(": ")[2] for cause in causes(definition(version(**more)))] == texts


@pytest.mark.parametrize(
    ("path", "text"),
    [
        (".spec.a", ""),
        (".spec.x", "is an invalid path: does not refer to a valid field"),
        (".spec['a']", "is an invalid path: array notation is not allowed"),
        (".x['a']", "is an invalid path: does not refer to a valid field"),
        (".spec[", "is an invalid path: array notation is not allowed"),
        ("spec.a", "is an invalid path: expected [ or . but got: spec"),
        (".", "is an invalid path: unexpected end of JSON path"),
        (".spec.m", "must point to a field of type string, boolean or integer"),
        (".metadata", "must not point to fields in metadata"),
    ],
)
def test_paths_of_selectable_fields(path: str, text: str) -> None:
    schema = {"type": "object", "properties": {"spec": SPEC, "metadata": {"type": "object"}}}
    found = causes(with_schema(schema, selectableFields=[{"jsonPath": path}]))
    assert (found == []) if not text else any(text in cause for cause in found)


def test_selectable_fields_that_lead_nowhere_are_neither_repeated_nor_counted() -> None:
    found = causes(definition(version(selectableFields=[{"jsonPath": ".spec.x"}] * 9)))
    assert len(found) == 9
    assert all("does not refer to a valid field" in cause for cause in found)
    repeated = causes(definition(version(selectableFields=[{"jsonPath": ".spec.a"}] * 2)))
    assert repeated == ['spec.selectableFields[1].jsonPath: Duplicate value: ".spec.a"']


def test_selectable_fields_need_a_schema() -> None:
    fields = [{"jsonPath": ".spec.a"}]
    shared = causes(definition(version(schema=None, selectableFields=fields)))
    assert any("may only be set when validations.schema is included" in cause for cause in shared)


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "string", "dependencies": {}}, f"{F}.dependencies: Forbidden: dependencies is not supported"),
        ({"type": "string", "additionalItems": False}, f"{F}.additionalItems: Forbidden: additionalItems is not"),
        (
            {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object"}},
            f"{F}.items.x-kubernetes-map-type: Invalid value: null: must be atomic as item of a list with",
        ),
        (
            {
                "type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"],
                "items": {"type": "object", "required": ["k"], "properties": {"k": {"type": "object"}}},
            },
            f'{F}.items.properties[k].type: Invalid value: "object": must be a scalar type',
        ),
        (
            {"x-kubernetes-int-or-string": True, "anyOf": [{"type": "integer", "required": []}, {"type": "string"}]},
            f"{F}.anyOf[0].type: Forbidden: must be empty to be structural",
        ),
        ({"type": "string", "allOf": [{"default": ""}]}, f"{F}.allOf[0].default: Forbidden: must be undefined"),
        (
            {"type": "object", "oneOf": [{"additionalProperties": {}}]},
            f"{F}.oneOf[0].additionalProperties: Forbidden: must be undefined",
        ),
        (
            {"type": "object", "not": {"x-kubernetes-map-type": ""}},
            f"{F}.not.x-kubernetes-map-type: Forbidden: must be undefined",
        ),
    ],
)  # fmt: skip
def test_a_schema_that_is_not_structural_is_refused(schema: dict[str, Any], wanted: str) -> None:
    assert any(cause.startswith(wanted) for cause in causes(with_field(schema))), causes(with_field(schema))


@pytest.mark.parametrize("items", [{}, False, True, {"type": "string"}])
def test_rules_are_not_compiled_where_additional_items_stand(items: object) -> None:
    rules = [{"rule": "self +"}]
    schema = {"type": "string", "additionalItems": items, "x-kubernetes-validations": rules}
    assert causes(with_field(schema)) == [f"{F}.additionalItems: Forbidden: additionalItems is not supported"]


def test_what_is_written_down_empty_is_seen_and_not_kept() -> None:
    root = {**ROOT, "oneOf": []}
    (found,) = causes(with_schema(root, subresources={"status": {}}))
    assert '"OneOf":[],"AnyOf":null' in found
    assert "fields are allowed at the root of the schema if the status subresource is enabled" in found
    obj = decode(with_schema(root))
    assert "oneOf" not in obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]
    STRATEGY.prepare_for_create(obj)
    assert STRATEGY.validate(obj, []) == []
    assert "oneOf" not in obj["spec"]["versions"][0]["schema"]["openAPIV3Schema"]


@pytest.mark.parametrize("place", ["allOf", "anyOf", "oneOf", "not"])
def test_texts_of_rules_are_looked_at_wherever_they_stand(place: str) -> None:
    nested = {"x-kubernetes-validations": [{"rule": " "}, {"rule": "true", "fieldPath": ".x", "reason": "No"}]}
    found = causes(with_field({**SPEC, place: nested if place == "not" else [nested]}))
    at = f"{F}.{place}" + ("" if place == "not" else "[0]") + ".x-kubernetes-validations"
    assert f"{at}[0].rule: Required value: rule is not specified" in found
    assert f'{at}[1].fieldPath: Invalid value: ".x": must be a valid path' in found
    assert any(cause.startswith(f"{at}[1].reason: Unsupported value") for cause in found)


def test_a_fault_beside_a_rule_does_not_keep_the_rule_from_being_compiled() -> None:
    items = {"type": "object", "properties": {"a": SPEC}, "x-kubernetes-validations": [{"rule": "self.x"}]}
    found = causes(with_field({"type": "array", "x-kubernetes-list-type": "set", "items": items}))
    assert any("must be atomic" in cause for cause in found)
    assert any("undefined field 'x'" in cause for cause in found)


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        ({"type": "string", "format": "int32"}, ["int32"]),
        ({"type": "integer", "format": "float"}, ["float"]),
        ({"type": "number", "format": "int64"}, ["int64"]),
        ({"type": "boolean", "format": "date"}, ["date"]),
        ({"type": "string", "format": "quantity"}, ["quantity"]),
        ({"type": "string", "format": "date-time"}, []),
        ({"type": "string", "format": "k8s-short-name"}, []),
        ({"type": "string", "not": {"format": "x"}, "anyOf": [{"format": "y"}]}, ["x", "y"]),
    ],
)
def test_which_formats_are_unknown(schema: dict[str, Any], wanted: list[str]) -> None:
    found, warnings = create(with_field(schema))
    assert found == []
    assert sorted(warnings) == [f'unrecognized format "{name}"' for name in wanted]


@pytest.mark.parametrize(
    ("client", "wanted"),
    [
        ({"url": ":"}, 'Required value: url must be a valid URL: parse ":": missing protocol scheme; desired format'),
        ({"url": "https://u:p@a/"}, 'Invalid value: "u:p": user information is not permitted in the URL'),
        ({"url": "https://u%40h@a/"}, 'Invalid value: "u%40h": user information is not permitted in the URL'),
        ({"url": "https://u:p:q!@a/"}, 'Invalid value: "u:p%3Aq%21": user information is not permitted in the URL'),
        ({"url": "https://@a/"}, 'Invalid value: "": user information is not permitted in the URL'),
        ({"url": "https://a/#f"}, 'Invalid value: "f": fragments are not permitted in the URL'),
        ({"url": "https://a/?x=@"}, 'Invalid value: "x=@": query parameters are not permitted in the URL'),
        ({"service": {"namespace": "d", "name": "s", "path": "x"}}, 'Invalid value: "x": segment[0] may not be empty'),
        ({"service": {"namespace": "d", "name": "s", "path": ""}}, ""),
    ],
)
def test_conversion_webhooks(client: dict[str, Any], wanted: str) -> None:
    webhook = {"clientConfig": client, "conversionReviewVersions": ["v1"]}
    found = causes(definition(conversion={"strategy": "Webhook", "webhook": webhook}))
    assert (found == []) if not wanted else any(wanted in cause for cause in found), found
    if client.get("url") == "https://a/?x=@":
        assert len(found) == 1


def test_an_update_of_the_status_keeps_the_metadata_that_was_sent() -> None:
    old = decode(definition())
    new = decode(definition(scope="Cluster"))
    new["metadata"]["labels"] = {"a": "b"}
    DefinitionStatusStrategy().prepare_for_update(new, old)
    assert new["metadata"]["labels"] == {"a": "b"}
    assert new["spec"] == old["spec"]


EMBEDDED = {"type": "object", "x-kubernetes-embedded-resource": True}


def default_causes(schema: dict[str, Any]) -> list[str]:
    return [cause.removeprefix(F) for cause in causes(with_field(schema))]


@pytest.mark.parametrize(
    ("schema", "wanted"),
    [
        (
            {"x-kubernetes-int-or-string": True, "maximum": 10, "default": 80},
            [".default: Invalid value: 80:  in body should be less than or equal to 10"],
        ),
        ({"x-kubernetes-int-or-string": True, "maximum": 10, "default": True}, []),
        ({"type": "object", "additionalProperties": {"type": "string", "maxLength": 1, "default": "ab"}}, []),
        (
            {"type": "string", "maxLength": 1, "default": "ab"},
            [".default: Too long: may not be more than 1 byte"],
        ),
        (
            {"type": "object", "properties": {"a": {"type": "string"}}, "default": {"b": 1}},
            ['.default: Invalid value: {"b":1}: must not have unknown fields'],
        ),
        (
            {"type": "array", "items": {"type": "object"}, "default": [{"b": 1}]},
            ['.default: Invalid value: [{"b":1}]: must not have unknown fields'],
        ),
        (
            {
                "type": "array", "items": {"type": "object", "properties": {"a": {"type": "object"}}},
                "x-kubernetes-preserve-unknown-fields": True, "default": [{"b": 1}],
            },
            [],
        ),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_default_is_told(schema: dict[str, Any], wanted: list[str]) -> None:
    assert default_causes(schema) == wanted


@pytest.mark.parametrize(
    ("kind", "form", "default", "told"),
    [
        ("integer", "double", 1.5, ("double", "float64")),
        ("integer", "float64", 1.5, ("integer", "number")),
        ("string", "int32", 1, ("int32", "int64")),
        ("string", "int64", 1, ("string", "integer")),
        ("boolean", "ipv4", 1.5, ("ipv4", "float64")),
        ("string", "foo", True, ("foo", "")),
        ("integer", "foo", "x", ("integer", "string")),
        ("boolean", "ipv4", "x", ("ipv4", "x")),
        ("boolean", "ipv4", "10.0.0.1", None),
        ("object", "foo", "x", None),
    ],
)
def test_a_default_is_told_of_formats_that_its_type_does_not_have(
    kind: str, form: str, default: Any, told: tuple[str, str] | None
) -> None:
    """Texts and lists pass for any type that has a format, save for numbers."""
    found = [
        each for each in default_causes({"type": kind, "format": form, "default": default}) if "Checked" not in each
    ]
    shown = [f'.default: Invalid value: "{told[1]}":  in body must be of type {told[0]}: "{told[1]}"'] if told else []
    assert found == shown


@pytest.mark.parametrize(("kind", "form"), [("integer", "double"), ("integer", "float"), ("string", "int32")])
def test_the_range_of_a_default_is_told_with_a_format_of_its_type_alone(kind: str, form: str) -> None:
    found = default_causes({"type": kind, "format": form, "default": 1.5, "minimum": 2})
    assert not any(f"with format {form}" in each for each in found)


def test_metadata_of_a_resource_in_a_default_may_have_unknown_fields() -> None:
    embedded = {**EMBEDDED, "x-kubernetes-preserve-unknown-fields": True}
    spanning = {
        "type": "object",
        "properties": {"e": embedded},
        "default": {"e": {"apiVersion": "v1", "kind": "Pod", "metadata": {"unknown": 1}}},
    }
    assert default_causes(spanning) == []


def test_of_a_resource_that_cannot_be_read_only_that_is_told() -> None:
    embedded = {**EMBEDDED, "x-kubernetes-preserve-unknown-fields": True, "default": {"kind": []}}
    assert default_causes(embedded) == [".default.kind: Invalid value: []: must be a string"]


def test_a_default_in_metadata_has_to_give_good_metadata() -> None:
    kind = {"type": "string", "default": "a b"}
    embedded = {**EMBEDDED, "properties": {"kind": kind, "metadata": {"type": "object", "default": {"name": "a/b"}}}}
    first, second = default_causes(embedded)
    assert first.startswith('.properties[kind].default: Invalid value: "a b": must result in valid metadata: kind: ')
    assert second.startswith(
        '.properties[metadata].default: Invalid value: {"name":"a/b"}: must result in valid metadata: metadata.name: '
    )


def test_rules_judge_a_default_even_beside_rules_with_faults() -> None:
    rules = [{"rule": "true", "fieldPath": ".nope"}, {"rule": "self == ''"}]
    found = default_causes({**SPEC, "default": {}, "x-kubernetes-validations": rules})
    assert any('.default: Invalid value: "object": rule compile error: compilation failed' in cause for cause in found)


def test_rules_below_a_type_without_fields_are_compiled_by_themselves() -> None:
    below = {"type": "integer", "x-kubernetes-validations": [{"rule": "self > 0"}, {"rule": "self.all(x, true)"}]}
    (found,) = default_causes({"type": "string", "properties": {"a": below}})
    assert "expression of type 'int' cannot be range of a comprehension" in found


@pytest.mark.parametrize("where", ["default", "example", "enum"])
@pytest.mark.parametrize("value, changes", [(1e10, True), (2.0, True), (1e21, False), (0.5, False), (7, False)])
@pytest.mark.parametrize("depth", range(4))
def test_a_float_that_is_stored_as_an_integer_is_a_change(where: str, value: float, changes: bool, depth: int) -> None:
    inner: dict[str, Any] = {"type": "number", where: [1, value] if where == "enum" else value}
    nested = (
        {"type": "object", "properties": {"default": inner}},
        {"type": "array", "items": inner},
        {"type": "object", "additionalProperties": inner},
        {"type": "number", "allOf": [inner]},
    )[depth]
    sent = decode(with_schema({"type": "object", "properties": {"spec": nested}}))
    old = copy.deepcopy(sent)
    old["metadata"]["generation"], old["status"] = 4, {"storedVersions": ["v1"]}
    STRATEGY.prepare_for_update(sent, old)
    assert (sent["metadata"].get("generation") == 5) == changes


def test_the_limits_of_numbers_are_floats_anyway() -> None:
    for limit in (10.0, 10):
        sent = decode(with_schema({"type": "object", "properties": {"n": {"type": "number", "maximum": 10.0}}}))
        old = decode(with_schema({"type": "object", "properties": {"n": {"type": "number", "maximum": limit}}}))
        old["status"] = {"storedVersions": ["v1"]}
        STRATEGY.prepare_for_update(sent, old)
        assert "generation" not in sent["metadata"]


ANY = {"x-kubernetes-preserve-unknown-fields": True}


@pytest.mark.parametrize(
    ("before", "after", "changes"),
    [
        ({"default": 0}, {"default": False}, True),
        ({"default": 1}, {"default": True}, True),
        ({"default": {"a": [1]}}, {"default": {"a": [True]}}, True),
        ({"enum": [False, 0]}, {"enum": [False, False]}, True),
        ({"example": 0}, {"example": False}, True),
        ({"default": {"a": 1, "b": 2}}, {"default": {"b": 2, "a": 1}}, False),
        ({"default": 1}, {"default": 1}, False),
    ],
)
def test_true_is_no_number(before: dict[str, Any], after: dict[str, Any], changes: bool) -> None:
    sent, old = (decode(with_field({**ANY, **each})) for each in (after, before))
    old["metadata"]["generation"], old["status"] = 4, {"storedVersions": ["v1"]}
    STRATEGY.prepare_for_update(sent, old)
    assert (sent["metadata"].get("generation") == 5) == changes


def test_a_property_may_be_called_as_a_keyword() -> None:
    def named(limit: float) -> dict[str, Any]:
        inner = {"type": "object", "properties": {"default": {"type": "number", "maximum": limit}}}
        return decode(with_field(inner))

    sent, old = named(10.0), named(10)
    old["metadata"]["generation"], old["status"] = 4, {"storedVersions": ["v1"]}
    STRATEGY.prepare_for_update(sent, old)
    assert "generation" not in sent["metadata"]


@pytest.mark.parametrize(("one", "other"), [(1, True), (0, False), ([1], [1.0])])
def test_versions_that_differ_in_the_type_of_a_value_are_not_alike(one: Any, other: Any) -> None:
    def of(name: str, default: Any) -> dict[str, Any]:
        schema = {"type": "object", "properties": {"f": {**ANY, "default": default, "pattern": "("}}}
        return version(name, schema={"openAPIV3Schema": schema})

    paths = {cause.partition(".properties")[0] for cause in causes(definition(of("v1", one), of("v2", other)))}
    assert {f"spec.versions[{position}].schema.openAPIV3Schema" for position in range(2)} <= paths
    assert "spec.validation.openAPIV3Schema" not in paths
    same = causes(definition(of("v1", one), of("v2", one)))
    assert {cause.partition(".properties")[0] for cause in same} == {"spec.validation.openAPIV3Schema"}


@pytest.mark.parametrize(("more", "told"), [({"x-kubernetes-validations": []}, 1), ({"dependencies": {}}, 1)])
def test_empty_members_of_the_schema_of_metadata(more: dict[str, Any], told: int) -> None:
    found = causes(with_schema({"type": "object", "properties": {"metadata": {"type": "object", **more}}}))
    assert len(found) == told, found
    words = "must not specify anything other than name and generateName"
    assert any(words in cause for cause in found) == ("x-kubernetes-validations" in more)


def test_of_resources_in_a_list_the_first_that_cannot_be_read_is_told() -> None:
    embedded = {**EMBEDDED, "x-kubernetes-preserve-unknown-fields": True}
    resources = [{"apiVersion": "v1", "kind": "Pod", "metadata": {"name": each}} for each in ("a", 1, [])]
    (found,) = default_causes({"type": "array", "items": embedded, "default": resources})
    assert found.startswith('.default[1].metadata: Invalid value: {"name":1}: ')


def test_a_schema_is_shown_with_the_metadata_in_its_defaults_as_it_was_read() -> None:
    embedded = {**EMBEDDED, "x-kubernetes-preserve-unknown-fields": True}
    embedded["default"] = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a", "unknown": 1}}
    root = {"type": "object", "maxProperties": 9, "properties": {"e": embedded}}
    (found,) = causes(with_schema(root, subresources={"status": {}}))
    assert '"metadata":{"name":"a"}' in found


def test_a_default_of_null_has_the_type_null() -> None:
    null = {"type": "object", "properties": {"a": {"type": "null"}, "b": {"type": "Text"}}}
    assert default_causes({**null, "default": {"a": None}}) == [
        ".properties[a].type: Forbidden: type cannot be set to null, use nullable as an alternative",
        '.properties[a].type: Unsupported value: "null": supported values: "array", "boolean", "integer", "number", '
        '"object", "string"',
        '.properties[b].type: Unsupported value: "Text": supported values: "array", "boolean", "integer", "number", '
        '"object", "string"',
    ]
    assert '.default.b: Invalid value: "string": b in body must be of type Text: "string"' in default_causes(
        {**null, "default": {"b": "x"}}
    )


def test_a_format_without_a_type_has_no_type_to_tell() -> None:
    schema = {"type": "number", "default": 0, "oneOf": [{"format": "int64"}]}
    assert default_causes(schema) == [
        '.default: Invalid value: "": "" must validate one and only one schema (oneOf). Found none valid',
        '.default: Invalid value: "integer":  in body must be of type : "integer"',
    ]


def test_a_property_named_as_a_keyword_may_be_an_integer_or_a_string() -> None:
    inner = {"type": "object", "properties": {"default": {"x-kubernetes-int-or-string": True}}}
    assert default_causes({**inner, "default": {"default": True}}) == []


def test_schemas_that_differ_in_what_is_written_down_empty_are_alike() -> None:
    root = {"type": "object", "maxProperties": 9, "properties": {"a": {"type": "object", "required": []}}}
    of_second = {"type": "object", "maxProperties": 9, "oneOf": [], "properties": {"a": {"type": "object"}}}
    versions = [version(schema={"openAPIV3Schema": root}), version("v2", schema={"openAPIV3Schema": of_second})]
    (found,) = causes(definition(*versions, scope="No"))[:1]
    assert found.startswith("spec.scope: ")
    selectable = [{"jsonPath": ".a.b"}]
    (found,) = causes(definition(versions[0], {**versions[1], "selectableFields": selectable}))
    assert found.startswith('spec.versions[1].selectableFields: Invalid value: "": may only be set when')
