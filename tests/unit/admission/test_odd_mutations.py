"""Objects that the patch of a webhook makes something else of."""

from __future__ import annotations

import base64
import json
from pathlib import Path
from typing import Any

import pytest

from support import admission_hook, definitions, in_process
from support.admission_hook import patch
from unit.admission.test_webhooks import GROUP, MERGE, THINGS, Fixture, hooked, thing

MAPS = "/api/v1/namespaces/default/configmaps"
LEGACY = 'in scheme "pkg/api/legacyscheme/scheme.go:30"'


def config_map(name: str = "a") -> dict[str, Any]:
    return {"apiVersion": "v1", "kind": "ConfigMap", "metadata": {"name": name}, "data": {"k": "v"}}


def change(**members: Any) -> dict[str, Any]:
    return patch(*({"op": "add", "path": f"/{name}", "value": value} for name, value in members.items()))


def raw(operations: str) -> dict[str, Any]:
    return {"patchType": "JSONPatch", "patch": base64.b64encode(operations.encode()).decode()}


@pytest.mark.parametrize(
    ("made", "refusal"),
    [
        (
            {"apiVersion": "other/v1"},
            f'other/v1, Kind=Thing is unstructured and is not suitable for converting to "{GROUP}/v1"',
        ),
        ({"apiVersion": ""}, f'/, Kind=Thing is unstructured and is not suitable for converting to "{GROUP}/v1"'),
        ({"apiVersion": f"{GROUP}/v9"}, f"request to convert CR from an invalid group/version: {GROUP}/v9"),
        ({"kind": ""}, "Internal error occurred: Object 'Kind' is missing in "),
        ({"kind": 5}, "Internal error occurred: couldn't get version/kind; json parse error: json: cannot unmarshal"),
        ({"kind": "Other"}, f'Other.{GROUP} "a" is invalid: kind: Invalid value: "Other": must be Thing'),
    ],
)
async def test_a_custom_resource_is_of_another_type(tmp_path: Path, made: dict[str, Any], refusal: str) -> None:
    async with hooked(tmp_path) as it:
        await it.call("POST", THINGS, thing("live"))
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: change(**made)
        refused = await it.call("POST", THINGS, thing())
        assert (refused["code"], refused["message"].startswith(refusal)) == (422 if "Other" in refusal else 500, True)
        if "Other" not in refusal:
            refused = await it.call("PATCH", f"{THINGS}/live", {"spec": {"size": 2}}, MERGE)
            assert (refused["code"], refused["message"].startswith(refusal)) == (500, True)


@pytest.mark.parametrize(
    ("made", "refusal"),
    [
        (
            {"apiVersion": "other/v1"},
            f'Internal error occurred: no kind "ConfigMap" is registered for version "other/v1" {LEGACY}',
        ),
        ({"kind": "Other"}, f'Internal error occurred: no kind "Other" is registered for version "v1" {LEGACY}'),
        ({"kind": "ConfigMapList"}, "converting (v1.ConfigMapList) to (core.ConfigMap): unknown conversion"),
        ({"kind": "Secret"}, "Internal error occurred: illegal base64 data at input byte 0"),
    ],
)
async def test_a_built_in_object_is_of_another_type(tmp_path: Path, made: dict[str, Any], refusal: str) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", "", "configmaps"))
        it.hook.responds["m"] = lambda request: change(**made)
        refused = await it.call("POST", MAPS, config_map())
        assert (refused["code"], refused["message"]) == (500, refusal)


async def test_a_built_in_object_need_not_say_its_type(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", "", "configmaps"))
        it.hook.responds["m"] = lambda request: patch(
            *({"op": "remove", "path": f"/{x}"} for x in ("apiVersion", "kind"))
        )
        assert (await it.call("POST", MAPS, config_map()))["kind"] == "ConfigMap"


async def test_metadata_of_a_custom_resource_that_cannot_be_read_is_dropped(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: patch(
            {"op": "add", "path": "/metadata/labels", "value": {"a": 5}},
            {"op": "add", "path": "/metadata/selfLink", "value": "/x"},
            {"op": "add", "path": "/metadata/annotations", "value": {"b": "c"}},
        )
        metadata = (await it.call("POST", THINGS, thing()))["metadata"]
        assert (metadata["annotations"], metadata.keys() & {"labels", "selfLink"}) == ({"b": "c"}, set())
        metadata = (await it.call("POST", f"{THINGS}?dryRun=All", thing("b")))["metadata"]
        assert metadata["selfLink"] == "/x"


async def test_an_object_without_metadata_has_no_name(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: patch({"op": "remove", "path": "/metadata"})
        refused = await it.call("POST", THINGS, thing())
        assert (refused["code"], "metadata.name: Required value" in refused["message"]) == (422, True)


@pytest.mark.parametrize("made", [None, [], "x", 1, [{"name": "a"}]])
async def test_metadata_that_is_no_map_cannot_be_filled_in(tmp_path: Path, made: Any) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: change(metadata=made)
        for path in (THINGS, f"{THINGS}?dryRun=All"):
            refused = await it.call("POST", path, thing())
            told = (refused["code"], refused["reason"], refused["message"])
            assert told == (500, "InternalError", "Internal error occurred: system metadata was not initialized")


@pytest.mark.parametrize(
    ("owner", "missing"),
    [
        ({"uid": 1}, ["apiVersion", "kind", "name", "uid"]),
        ({"apiVersion": "v1", "kind": "ConfigMap", "name": "n", "uid": None}, ["uid"]),
        ({"apiVersion": "v1", "kind": "ConfigMap", "name": [], "uid": "u", "controller": True}, ["name"]),
        # What is no text is not needed: upstream stores it, and nobody sees it.
        ({"apiVersion": "v1", "kind": "ConfigMap", "name": "n", "uid": "u", "controller": "x"}, []),
        ("x", []),
    ],
)
async def test_an_owner_whose_texts_are_of_another_type_lacks_them(
    tmp_path: Path, owner: Any, missing: list[str]
) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: patch(
            {"op": "add", "path": "/metadata/ownerReferences", "value": [owner]}
        )
        answer = await it.call("POST", THINGS, thing())
        fields = [cause["field"] for cause in answer.get("details", {}).get("causes", [])]
        assert fields == [f"metadata.ownerReferences.{name}" for name in missing]
        assert missing or "ownerReferences" not in answer["metadata"]


async def test_a_number_that_no_float64_holds(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", GROUP), it.hook.webhook("n", "", "configmaps"))
        told = "Internal error occurred: json: cannot unmarshal number 1e400 into Go "
        it.hook.responds["m"] = lambda request: raw('[{"op":"add","path":"/spec/n","value":1e400}]')
        refused = await it.call("POST", THINGS, thing())
        assert (refused["code"], refused["message"]) == (500, f"{told}value of type float64")
        it.hook.responds["n"] = lambda request: raw('[{"op":"add","path":"/metadata/generation","value":1e400}]')
        refused = await it.call("POST", MAPS, config_map())
        field = "struct field ObjectMeta.metadata.generation of type int64"
        assert (refused["code"], refused["message"]) == (500, told + field)
        # No field of a ConfigMap reads it.
        it.hook.responds["n"] = lambda request: raw('[{"op":"add","path":"/n","value":1e400}]')
        assert (await it.call("POST", MAPS, config_map()))["code"] == 201


async def test_a_patch_replaces_the_whole_object(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.configure("Mutating", it.hook.webhook("m", "", "configmaps"))
        for value, told in [
            (None, "replace operation value must be object or array: %!w(<nil>)"),
            ([1], "couldn't get version/kind; json parse error: json: cannot unmarshal array into Go value of type"),
        ]:
            it.hook.responds["m"] = lambda request, value=value: raw(
                json.dumps([{"op": "replace", "path": "", "value": value}])
            )
            refused = await it.call("POST", MAPS, config_map())
            assert refused["message"].startswith(f"Internal error occurred: {told}")
        new = {"metadata": {"name": "a", "namespace": "default"}, "data": {"new": "yes"}}
        it.hook.responds["m"] = lambda request: patch({"op": "replace", "path": "", "value": new})
        assert (await it.call("POST", MAPS, config_map()))["data"] == {"new": "yes"}


async def test_a_null_that_the_schema_does_not_allow_is_refused(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.call("POST", THINGS, thing("live", size=1))
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        for member, path in (("spec", "spec"), ("spec/size", "spec.size"), ("spec/inner", "spec.inner")):
            it.hook.responds["m"] = lambda request, member=member: change(**{member: None})
            for refused in (
                await it.call("POST", THINGS, thing(size=2)),
                await it.call("PATCH", f"{THINGS}/live", {"spec": {"size": 2}}, MERGE),
            ):
                assert (refused["code"], f'{path}: Invalid value: "null"' in refused["message"]) == (422, True)
        it.hook.responds["m"] = lambda request: change(**{"spec/color": None})  # which has a default
        assert (await it.call("POST", THINGS, thing()))["spec"] == {"color": "red"}


async def test_the_type_of_a_patch_counts_where_there_is_something_to_patch(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.call("POST", THINGS, thing("live"))
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        odd = {**change(**{"metadata/labels": {"a": "b"}}), "patchType": "MergePatch", "warnings": ["careful"]}
        it.hook.responds["m"] = lambda request: odd
        refused = await it.call("POST", THINGS, thing())
        assert (refused["code"], refused["warnings"]) == (500, ['299 - "careful"'])
        assert refused["message"].endswith('unsupported patch type "MergePatch"')
        refused = await it.call("DELETE", f"{THINGS}/live")
        assert refused["message"].endswith("attempted to modify the object, which is not supported for this operation")
        it.hook.responds["m"] = lambda request: {**raw("{"), "patchType": "MergePatch"}
        assert "received undecodable patch" in (await it.call("POST", THINGS, thing()))["message"]


async def test_an_integer_that_becomes_a_float_is_a_change(tmp_path: Path) -> None:
    async with hooked(tmp_path) as it:
        await it.call("POST", THINGS, thing("live", size=1))
        await it.configure("Mutating", it.hook.webhook("m", GROUP))
        it.hook.responds["m"] = lambda request: raw('[{"op":"add","path":"/spec/size","value":1.0}]')
        patched = await it.call("PATCH", f"{THINGS}/live", {"spec": {"size": 2}}, MERGE)
        assert (patched["metadata"]["generation"], patched["spec"]["size"]) == (2, 1)


async def test_an_object_in_another_version_is_seen_and_changed_as_it_is(tmp_path: Path) -> None:
    """Neither pruned nor defaulted by the schema of the version that the webhook names, but for what it changes."""

    def version(name: str, **properties: Any) -> dict[str, Any]:
        spec = {"type": "object", "properties": properties}
        schema = {"type": "object", "properties": {"spec": spec}}
        return definitions.version(schema, name=name, storage=name == "v1")

    async with admission_hook.running(tmp_path) as hook, in_process.running(tmp_path) as server:
        one = version("v1", a={"type": "string"}, c={"type": "integer"})
        two = version("v2", b={"type": "integer", "default": 5}, c={"type": "integer", "default": 6})
        await server.define(definitions.of_things(GROUP, one, two))
        it = Fixture(server, hook)
        rules = [{"operations": ["*"], "apiGroups": [GROUP], "apiVersions": ["v2"], "resources": ["*"]}]
        await it.configure("Validating", hook.webhook("v", GROUP, rules=rules))
        assert (await it.call("POST", THINGS, thing("seen", a="x")))["spec"] == {"a": "x"}
        (_, request) = hook.asked[-1]
        assert (request["kind"]["version"], request["object"]["spec"]) == ("v2", {"a": "x"})
        await it.configure("Mutating", hook.webhook("m", GROUP, rules=rules))
        hook.responds["m"] = lambda request: change(**{"metadata/labels": {"l": "1"}, "spec/z": 1})
        made = await it.call("POST", THINGS, thing("changed", a="x", c=3))
        assert (made["metadata"]["labels"], made["spec"]) == ({"l": "1"}, {"a": "x", "c": 3})
        made = await it.call("POST", THINGS, thing("defaulted", a="x"))
        assert made["spec"] == {"a": "x", "c": 6}
