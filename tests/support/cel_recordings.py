"""Replays the parts of recordings that x-kubernetes-validations decide, without a server.

A CRD in a recording is compiled and its causes about rules compared; objects sent to it are validated and the causes
compared with those in the answer that rules gave. What other validation would have said is left alone.
"""

from __future__ import annotations

import copy
import json
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from quarterdeck.cel.crd_rules import CompiledRules, compile_rules

_FROM_RULES = re.compile(r"failed rule: |evaluating rule: |for rule: |cost budget")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NUMBER = re.compile(r"selfType\d+")


@dataclass
class Difference:
    step: str
    want: object
    got: object


@dataclass
class Replay:
    checked: int = 0
    differences: list[Difference] = field(default_factory=list)

    def compare(self, step: str, want: object, got: object) -> None:
        self.checked += 1
        if want != got:
            self.differences.append(Difference(step, want, got))


def replay(path: Path) -> Replay:
    recording = json.loads(path.read_text())
    scenario = recording["scenario"]
    found = Replay()
    state = _State()
    for step in scenario.get("setup") or ():
        if "crd" in step:
            state.define(step["crd"])
        elif "path" in step:
            _run(step, None, state, found)
    answers = iter(recording["answers"])
    for step in scenario["steps"]:
        if "sleep" in step:
            continue
        answer = None if step.get("unrecorded") else next(answers)
        if "crd" in step:
            state.define(step["crd"])
            continue
        _run(step, answer, state, found)
    return found


class _State:
    def __init__(self) -> None:
        self.rules: dict[str, CompiledRules] = {}
        self.schemas: dict[str, dict[str, Any]] = {}
        self.objects: dict[str, Any] = {}
        self.crds: dict[str, Any] = {}

    def define(self, crd: dict[str, Any]) -> list[CompiledRules]:
        made = []
        names = crd["spec"]["names"]
        self.crds[crd["metadata"].get("name")] = crd
        versions = crd["spec"]["versions"]
        for i, version in enumerate(versions):
            schema = (version.get("schema") or {}).get("openAPIV3Schema")
            if schema is None:
                continue
            same = all(v.get("schema") == versions[0].get("schema") for v in versions)
            place = "spec.validation" if same else f"spec.versions[{i}].schema"
            compiled = compile_rules(schema, is_root=True, path=f"{place}.openAPIV3Schema")
            key = f"{version['name']}/{names['plural']}"
            self.rules[key] = compiled
            self.schemas[key] = schema
            made.append(compiled)
        return made

    def key_of(self, path: str) -> str | None:
        parts = path.split("?")[0].strip("/").split("/")
        for key in self.rules:
            version, plural = key.split("/")
            if plural in parts and version in parts:
                return key
        return None

    def keep(self, path: str, body: Any) -> None:
        if isinstance(body, dict) and "metadata" in body:
            self.objects[f"{path.split('?')[0]}/{body['metadata'].get('name')}"] = body


def _run(step: dict[str, Any], answer: dict[str, Any] | None, state: _State, found: Replay) -> None:
    path, method, body = step.get("path", ""), step.get("method", "GET"), step.get("body")
    if "customresourcedefinitions" in path:
        name = path.split("?")[0].rsplit("/", 1)[-1]
        if method == "PATCH" and name in state.crds:
            crd = copy.deepcopy(state.crds[name])
            body = _merge(crd, body) if isinstance(body, dict) else _replace(crd, body)
        elif method not in ("POST", "PUT"):
            return
        if not isinstance(body, dict) or "plural" not in (body.get("spec") or {}).get("names", {}):
            return
        compiled = state.define(copy.deepcopy(body))
        if answer is not None:
            _compare_definition(step, answer, compiled, found)
        return
    key = state.key_of(path)
    if key is None or not isinstance(body, dict) or method not in ("POST", "PUT", "PATCH") or "/status" in path:
        return
    where = path.split("?")[0]
    old = state.objects.get(where)
    content = (step.get("headers") or {}).get("Content-Type", "application/json")
    new = copy.deepcopy(body)
    if method == "PATCH":
        if content != "application/merge-patch+json" or old is None:
            return
        new = _merge(copy.deepcopy(old), new)
    _drop_nulls(new, state.schemas[key])
    if answer is None:
        state.objects[where if method != "POST" else f"{where}/{new['metadata'].get('name')}"] = new
        return
    _compare_object(step, answer, state.rules[key].validate(new, None if method == "POST" else old), found)
    if answer["code"] in (200, 201):
        kept = answer["body"] if isinstance(answer["body"], dict) and "spec" in answer["body"] else new
        if method == "POST":
            state.keep(where, {**kept, "metadata": {**new["metadata"], **(kept.get("metadata") or {})}})
        else:
            state.objects[where] = kept


def _compare_definition(
    step: dict[str, Any], answer: dict[str, Any], compiled: list[CompiledRules], found: Replay
) -> None:
    if answer["code"] == 422 and "details" not in answer["body"]:
        return  # recorded without its causes
    causes = _causes(answer)
    wanted = {c for c in causes if "x-kubernetes-validations[" in c[1] or "x-kubernetes-validations" in c[2]}
    got = {c for rules in compiled for c in map(_cause_of, rules.errors)}
    found.compare(json.dumps(step["body"])[:4000], sorted(wanted), sorted(got))


def _compare_object(step: dict[str, Any], answer: dict[str, Any], result: Any, found: Replay) -> None:
    shown = json.dumps(step["body"])[:300]
    if answer["code"] in (200, 201):
        found.compare(shown, [], [str(e) for e in result.errors])
        return
    causes = _causes(answer)
    if answer["code"] != 422 or any("rules were not checked" in c[2] for c in causes):
        return
    got = {_cause_of(e) for e in result.errors}
    wanted = {c for c in causes if c in got or _FROM_RULES.search(c[2])}
    found.compare(shown, sorted(wanted), sorted(got))


def _causes(answer: dict[str, Any]) -> list[tuple[str, str, str]]:
    body = answer["body"]
    if not isinstance(body, dict):
        return []
    causes = (body.get("details") or {}).get("causes") or []
    return [(c["reason"], c.get("field", ""), _normal(c.get("message") or "")) for c in causes]


def _cause_of(error: Any) -> tuple[str, str, str]:
    cause = error.to_cause()
    return cause["reason"], cause["field"], _normal(cause["message"])


def _normal(message: str) -> str:
    """As recordings are: types' numbers, times in UTC and uids have no value of their own."""
    message = _NUMBER.sub("selfType", message)
    message = _TIME.sub("<time>", message)
    return _UID.sub("<uid-1>", message)


def _merge(target: Any, patch: Any) -> Any:
    if not isinstance(patch, dict):
        return patch
    if not isinstance(target, dict):
        target = {}
    for name, value in patch.items():
        if value is None:
            target.pop(name, None)
        else:
            target[name] = _merge(target.get(name), value)
    return target


def _replace(target: Any, patch: list[dict[str, Any]]) -> Any:
    """The JSON patches of recordings' definitions replace whole values."""
    for operation in patch:
        *parents, last = operation["path"].strip("/").split("/")
        place = target
        for name in parents:
            place = place[int(name)] if isinstance(place, list) else place[name]
        place[last] = operation["value"]
    return target


def _drop_nulls(value: Any, schema: dict[str, Any]) -> None:
    """A null for a field that may not be null is dropped or replaced by its default before rules run."""
    if isinstance(value, dict):
        for name, child in (schema.get("properties") or {}).items():
            if name in value and value[name] is None and not child.get("nullable"):
                del value[name]
            if name not in value and "default" in child:
                value[name] = copy.deepcopy(child["default"])
            if name in value:
                _drop_nulls(value[name], child)
        values = schema.get("additionalProperties")
        if isinstance(values, dict):
            for child_value in value.values():
                _drop_nulls(child_value, values)
    elif isinstance(value, list) and isinstance(schema.get("items"), dict):
        for item in value:
            _drop_nulls(item, schema["items"])
