"""The recorded requests that concern schemas, answered by the engine alone: no server, no store.

A small model of the registry keeps the objects: enough to create, replace and merge-patch them, and to change the
schema under them. What needs more (apply, other media types, conflicts) ends a scenario's replay. CEL is left out, so
that its causes are not compared.
"""

from __future__ import annotations

import copy
import json
import re
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery import field, gofmt
from quarterdeck.schema import metadecode, objectmeta
from quarterdeck.schema.engine import Engine

GOLDEN = Path(__file__).parents[2] / "golden"
AREAS = ("validation", "defaulting", "pruning", "strict", "ratcheting", "metadata")
RECORDINGS = sorted(path for area in AREAS for path in (GOLDEN / area).glob("*.json"))
RULES_SKIPPED = "some validation rules were not checked"
MERGE = "application/merge-patch+json"
JSON_PATCH = "application/json-patch+json"


class NotModelled(Exception):
    """The rest of the scenario cannot be replayed here."""


class Registry:
    def __init__(self) -> None:
        self.objects: dict[str, Any] = {}
        self.engine: Engine
        self.spec: Any = None

    def define(self, crd: Any) -> None:
        versions = crd["spec"]["versions"]
        if len(versions) != 1:
            raise NotModelled
        self.spec = crd["spec"]
        self.engine = Engine(versions[0]["schema"]["openAPIV3Schema"])

    @property
    def has_status(self) -> bool:
        return "status" in (self.spec["versions"][0].get("subresources") or {})

    @property
    def namespaced(self) -> bool:
        return self.spec["scope"] == "Namespaced"

    def decode(self, body: Any, strict: bool) -> Any:
        unknown = self.engine.prune_and_default(body, report_unknown=True)
        if strict and unknown:
            raise metadecode.DecodeError("strict decoding error: " + ", ".join(f'unknown field "{u}"' for u in unknown))
        return body

    def create(self, body: Any, strict: bool) -> Any:
        obj = self.decode(body, strict)
        meta = obj.setdefault("metadata", {})
        if self.has_status:
            obj.pop("status", None)
        meta.pop("managedFields", None)
        meta.pop("namespace", None)
        if self.namespaced:
            meta["namespace"] = "ns"
        if meta.get("generateName") and not meta.get("name"):
            meta["name"] = meta["generateName"] + "xxxxx"
        meta["generation"] = 1
        errors = objectmeta.validate_object_meta(meta, self.namespaced) + self.engine.validate(obj)
        if errors:
            return errors
        meta["resourceVersion"] = "1"
        self.objects[meta["name"]] = obj
        self.engine.default(obj)  # the answer is what a read would give
        return obj

    def update(self, name: str, body: Any, strict: bool, of_status: bool) -> Any:
        old = copy.deepcopy(self.objects[name])
        self.engine.default(old)
        new = self.decode(body, strict)
        if of_status:
            new = {**copy.deepcopy(old), **({"status": new["status"]} if "status" in new else {})}
            if "status" not in body:
                new.pop("status", None)
            errors = self.engine.validate_status(new, old)
        else:
            if self.has_status:
                new.pop("status", None)
                if "status" in old:
                    new["status"] = copy.deepcopy(old["status"])
            meta, old_meta = new.setdefault("metadata", {}), old["metadata"]
            for key in ("namespace", "uid", "generation", "creationTimestamp", "deletionTimestamp"):
                if key in old_meta and key not in meta:
                    meta[key] = old_meta[key]
            meta["generation"] = old_meta["generation"]
            meta.pop("managedFields", None)
            if not self.namespaced:
                meta.pop("namespace", None)
            meta["resourceVersion"] = "1"
            errors = objectmeta.validate_common_fields(meta, old_meta, self.namespaced)
            errors += objectmeta.validate_object_meta_update(meta, old_meta)
            errors += self.engine.validate(new, old)
        if errors:
            return errors
        self.objects[name] = new
        answer = copy.deepcopy(new)
        self.engine.default(answer)
        return answer


def merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return copy.deepcopy(patch)
    made = dict(target) if isinstance(target, dict) else {}
    for key, value in patch.items():
        if value is None:
            made.pop(key, None)
        else:
            made[key] = merge(made.get(key), value)
    return made


def json_patch(target: Any, patch: Any) -> Any:
    target = copy.deepcopy(target)
    for step in patch:
        if step["op"] not in ("add", "replace", "remove"):
            raise NotModelled
        *way, last = [part.replace("~1", "/").replace("~0", "~") for part in step["path"].split("/")[1:]]
        inner = target
        for part in way:
            inner = inner[int(part)] if isinstance(inner, list) else inner[part]
        if step["op"] == "remove":
            del inner[int(last) if isinstance(inner, list) else last]
        elif isinstance(inner, list):
            inner.insert(len(inner), step["value"]) if last == "-" else inner.__setitem__(int(last), step["value"])
        else:
            inner[last] = step["value"]
    return target


def decoded(value: Any) -> Any:
    """As the server's decoder gives values: integers beyond int64 as floats, no lone surrogates."""
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    if isinstance(value, str):
        return re.sub("[\ud800-\udfff]", "\ufffd", value)
    return float(value) if type(value) is int and not -(2**63) <= value < 2**63 else value


def answer(registry: Registry, step: Any) -> Any:
    method, path = step.get("method", "GET"), step["path"]
    headers = step.get("headers") or {}
    media = headers.get("Content-Type", "application/json")
    if headers.get("Accept") or any(mark in path for mark in ("dryRun", "fieldManager", "force", "limit")):
        raise NotModelled
    match = re.fullmatch(
        r"/apis/\$\{GROUP\}/v1(?:/namespaces/\$\{NS\})?/widgets(?:/([^/?]+))?(/status)?(?:\?fieldValidation=(\w+))?",
        path,
    )
    if match is None:
        raise NotModelled
    name, of_status, level = match[1], match[2] is not None, match[3]
    body = step.get("body")
    if "raw" in step:
        if media != "application/json" or level in ("Strict", "Warn"):
            raise NotModelled
        if len(step["raw"]) > 2000:
            raise NotModelled
        body = json.loads(step["raw"])
    body = decoded(copy.deepcopy(body))
    if method == "GET":
        if not name:
            return None
        stored = copy.deepcopy(registry.objects[name])
        registry.engine.default(stored)
        return stored
    if not isinstance(body, (dict, list)) or (
        isinstance(body, dict) and method != "PATCH" and body.get("kind") != "Widget"
    ):
        raise NotModelled
    if method == "POST" and not name and media == "application/json":
        return registry.create(body, level == "Strict")
    if name not in registry.objects:
        raise NotModelled
    if method == "PUT" and media == "application/json":
        return registry.update(name, body, level == "Strict", of_status)
    if method == "PATCH" and media in (MERGE, JSON_PATCH) and level != "Strict":
        patch = merge if media == MERGE else json_patch
        current = copy.deepcopy(registry.objects[name])
        registry.engine.default(current)
        return registry.update(name, patch(current, body), False, of_status)
    raise NotModelled


def causes_of(errors: list[field.FieldError]) -> set[tuple[str, str]]:
    return {(error.path, error.body()) for error in errors}


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_the_engine_answers_as_recorded(path: Path) -> None:
    recording = json.loads(path.read_text())
    scenario, answers = recording["scenario"], iter(recording["answers"])
    registry = Registry()
    compared = 0
    try:
        for step in scenario.get("setup", []):
            prepare(registry, step)
        for step in scenario["steps"]:
            if "sleep" in step:
                continue
            expected = None if step.get("unrecorded") else next(answers)
            if "customresourcedefinitions" in step["path"]:
                prepare(registry, step)
                continue
            compared += compare(registry, step, expected)
    except NotModelled:
        pass
    if not compared:
        pytest.skip("nothing of it concerns the engine alone")


def prepare(registry: Registry, step: Any) -> None:
    if "crd" in step:
        registry.define(copy.deepcopy(step["crd"]))
    elif "await" in step and "path" not in step:
        return
    elif "customresourcedefinitions" in step["path"]:
        media = (step.get("headers") or {}).get("Content-Type")
        if step.get("method") != "PATCH" or media not in (MERGE, JSON_PATCH):
            raise NotModelled
        patch = merge if media == MERGE else json_patch
        registry.define(patch({"spec": registry.spec}, step["body"]))
    elif registry.spec is None:
        raise NotModelled
    else:
        answer(registry, step)


def compare(registry: Registry, step: Any, expected: Any) -> int:
    if expected is not None and expected["code"] not in (200, 201, 400, 422):
        raise NotModelled
    before = copy.deepcopy(registry.objects)
    try:
        got = answer(registry, step)
    except metadecode.DecodeError as error:
        if expected["code"] == 422:  # a patch: the text quotes the whole object
            return 0
        assert expected["code"] == 400
        assert masked(str(error)) in masked(expected["body"]["message"])
        return 1
    if expected is None or got is None or expected["code"] == 400:
        if expected is not None and expected["code"] == 400:
            raise NotModelled
        return 0
    if expected["code"] == 422:
        listed = expected["body"]["details"].get("causes", ())
        if not all(isinstance(cause, dict) for cause in listed):
            raise NotModelled
        causes = {(cause["field"], cause["message"]) for cause in listed}
        if any(name in ("patch", "metadata.resourceVersion") for name, _ in causes) or not causes:
            raise NotModelled
        causes = {cause for cause in causes if RULES_SKIPPED not in cause[1]}
        has_rules = "x-kubernetes-validations" in json.dumps(registry.spec)
        found = masked(causes_of(got)) if isinstance(got, list) else set()
        if has_rules:
            registry.objects = before  # CEL may have refused what was accepted here
            assert found <= masked(causes)
        else:
            assert found == masked(causes)
        return 1
    assert not isinstance(got, list), causes_of(got)
    wanted, got = dict(expected["body"]), dict(got)
    for part in ("metadata", "apiVersion", "kind"):
        wanted.pop(part, None)
        got.pop(part, None)
    if not step.get("only"):
        assert masked(got) == masked(wanted)
    return 1


def masked(value: Any) -> Any:
    """Times, uids and the like as the recordings have them."""
    if isinstance(value, set):
        return {(name, masked(text)) for name, text in value}
    text = value if isinstance(value, str) else gofmt.format_json(value)
    text = re.sub(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z", "<time>", text)
    text = re.sub(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}", "<uid>", text)
    text = re.sub(r"<uid-\d+>|\$\{u\d\}", "<uid>", text)
    return re.sub(r'"resourceVersion":"[^"]*"', '"resourceVersion":""', text)
