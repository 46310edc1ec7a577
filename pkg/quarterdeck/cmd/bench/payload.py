"""The objects that a run writes: of a definition of its own with so much padding, of a template, or of a definition's
schema, for which a value is made up for each property."""

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import yaml

Json = dict[str, Any]

GROUP: Final = "bench.quarterdeck.dev"
PLURAL: Final = "loadbenches"
RUN_LABEL: Final = f"{GROUP}/run"
_DEPTH_MAX: Final = 12
_TEXT_MAX: Final = 64
# By format (k8s.io/apimachinery and kube-openapi's strfmt).
_FORMATS: Final = {
    "date-time": "2026-01-01T00:00:00Z",
    "date": "2026-01-01",
    "duration": "10s",
    "uri": "https://example.com/",
    "email": "someone@example.com",
    "hostname": "example.com",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "uuid": "00000000-0000-4000-8000-000000000000",
    "byte": "eA==",
}


class PayloadError(Exception):
    """The text is for the person who named the file."""


@dataclass(frozen=True)
class Payload:
    """`definition`: to be made for the run; None: the resource is there. `changed`: the path of what updates change."""

    definition: Json | None
    collection: str  # with {namespace} where the resource has namespaces
    template: Json
    changed: tuple[str, ...]
    has_status: bool = False  # whose turn a controller may write
    run: str = ""  # the value of a label, by which the run's objects are removed

    def build(self, name: str, number: int) -> Json:
        obj = copy.deepcopy(self.template)
        metadata = obj.get("metadata") or {}
        labels = {**(metadata.get("labels") or {}), RUN_LABEL: self.run}
        obj["metadata"] = {**metadata, "name": name, "labels": labels}
        at = obj
        for key in self.changed[:-1]:
            at = at.setdefault(key, {})
        at[self.changed[-1]] = f"{number:09}"
        return obj

    def patch(self, number: int) -> Json:
        value: Any = f"{number:09}"
        for key in reversed(self.changed):
            value = {key: value}
        found: Json = value
        return found


def of_padding(object_bytes: int) -> Payload:
    """A definition with a status, made for the run."""
    text: Json = {"type": "object", "properties": {"padding": {"type": "string"}, "turn": {"type": "string"}}}
    version = {
        "name": "v1",
        "served": True,
        "storage": True,
        "subresources": {"status": {}},
        "schema": {"openAPIV3Schema": {"type": "object", "properties": {"spec": text, "status": text}}},
    }
    definition = _definition(version)
    template = {"apiVersion": f"{GROUP}/v1", "kind": "LoadBench", "spec": {"padding": "x" * object_bytes}}
    return Payload(definition, _collection(GROUP, "v1", PLURAL), template, ("spec", "turn"), has_status=True)


def of_definition(path: Path) -> Payload:
    """Objects that fit the schema of the definition in a file; an annotation is what updates change."""
    definition = _read(path)
    try:
        spec = definition["spec"]
        version = next(each for each in spec["versions"] if each["served"])
        schema = version["schema"]["openAPIV3Schema"]
        group, plural, kind = spec["group"], spec["names"]["plural"], spec["names"]["kind"]
        is_namespaced = spec["scope"] == "Namespaced"
    except (KeyError, TypeError, StopIteration) as error:
        raise PayloadError(f"{path} is not a CustomResourceDefinition with a served version") from error
    properties = {name: each for name, each in schema.get("properties", {}).items() if name not in _OWN}
    made = make_value({**schema, "properties": properties})
    template = {"apiVersion": f"{group}/{version['name']}", "kind": kind, **made}
    return Payload(definition, _collection(group, version["name"], plural, is_namespaced), template, _ANNOTATION)


def of_template(path: Path, resource: str) -> Payload:
    """`resource`: the plural name under which the server has the template's objects."""
    template = _read(path)
    if not template.get("apiVersion") or not template.get("kind"):
        raise PayloadError(f"{path} has no apiVersion and kind")
    group, _, version = str(template["apiVersion"]).rpartition("/")
    template.pop("status", None)
    if isinstance(template.get("metadata"), dict):
        for name in ("resourceVersion", "uid", "creationTimestamp", "managedFields", "generation", "namespace"):
            template["metadata"].pop(name, None)
    return Payload(None, _collection(group, version, resource), template, _ANNOTATION)


_OWN: Final = ("apiVersion", "kind", "metadata", "status")
_ANNOTATION: Final = ("metadata", "annotations", "bench.quarterdeck.dev/turn")


def make_value(schema: Mapping[str, Any], depth: int = 0) -> Any:
    """A small value that fits: defaults, the first of an enumeration, the least number, the shortest text. Patterns and
    rules are not looked at: a schema that has them wants a template."""
    if "default" in schema:
        return copy.deepcopy(schema["default"])
    if schema.get("enum"):
        return schema["enum"][0]
    if schema.get("x-kubernetes-int-or-string"):
        return 1
    match schema.get("type"):
        case "object":
            return _make_object(schema, depth)
        case "array":
            return [make_value(schema.get("items") or {}, depth + 1) for _ in range(schema.get("minItems", 1))]
        case "string":
            text = _FORMATS.get(schema.get("format", ""), "x")
            return text.ljust(schema.get("minLength", 0), "x")[: schema.get("maxLength", _TEXT_MAX)]
        case "integer":
            return _least(schema, 1)
        case "number":
            return float(_least(schema, 1))
        case "boolean":
            return True
    return {}


def _make_object(schema: Mapping[str, Any], depth: int) -> Json:
    required = schema.get("required") or ()
    properties: Mapping[str, Any] = schema.get("properties") or {}
    made = {
        name: make_value(each, depth + 1) for name, each in properties.items() if depth < _DEPTH_MAX or name in required
    }
    more = schema.get("additionalProperties")
    if isinstance(more, dict) and not properties and depth < _DEPTH_MAX:
        made["key"] = make_value(more, depth + 1)
    return made


def _least(schema: Mapping[str, Any], otherwise: int) -> int:
    least = schema.get("minimum", min(otherwise, schema.get("maximum", otherwise)))
    step = schema.get("multipleOf", 1)
    least += 1 if schema.get("exclusiveMinimum") else 0
    return int(-(-least // step) * step)


def _definition(version: Json) -> Json:
    names = {"plural": PLURAL, "singular": "loadbench", "kind": "LoadBench", "listKind": "LoadBenchList"}
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{PLURAL}.{GROUP}"},
        "spec": {"group": GROUP, "scope": "Namespaced", "names": names, "versions": [version]},
    }


def _collection(group: str, version: str, plural: str, is_namespaced: bool = True) -> str:
    root = f"/apis/{group}/{version}" if group else f"/api/{version}"
    return f"{root}/namespaces/{{namespace}}/{plural}" if is_namespaced else f"{root}/{plural}"


def _read(path: Path) -> Json:
    try:
        text = path.read_text()
        found = json.loads(text) if path.suffix == ".json" else yaml.safe_load(text)
    except (OSError, UnicodeDecodeError, ValueError, yaml.YAMLError) as error:
        raise PayloadError(f"cannot read {path}: {error}") from error
    if not isinstance(found, dict):
        raise PayloadError(f"{path} holds no object")
    return found
