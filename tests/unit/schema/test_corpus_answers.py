"""Real CRDs and objects: what kube-apiserver answered to each request, the engine and metadata validation answer too.

The corpus is third-party data and no part of the repository; without it the tests are skipped. CEL is left out: a
refusal that only CEL explains is counted as agreement on what is left.
"""

from __future__ import annotations

import copy
import gzip
import json
import re
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery import field
from quarterdeck.schema import metadecode, objectmeta
from quarterdeck.schema.engine import Engine
from quarterdeck.schema.scale import validate_scale
from support import data

CORPUS = data.find("corpus")
PROJECTS = sorted(path for path in CORPUS.iterdir() if path.is_dir()) if CORPUS else []
_UID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}|<uid-\d+>")
_TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")
_REVISION = re.compile(r"<rv-\d+>|(?<=resourceVersion\":\")\d+")
NAMESPACE = "corpus"
WRONG_NAMESPACE = "the namespace of the provided object does not match the namespace sent on the request"


def load(path: Path) -> Any:
    with gzip.open(path) as file:
        return json.load(file)


def decoded(value: Any) -> Any:
    """Integers beyond int64 are floats, as the server's decoder gives them."""
    if isinstance(value, dict):
        return {key: decoded(item) for key, item in value.items()}
    if isinstance(value, list):
        return [decoded(item) for item in value]
    return float(value) if type(value) is int and not -(2**63) <= value < 2**63 else value


def masked(value: Any) -> Any:
    """Times, uids and resourceVersions alike, wherever they stand."""
    if isinstance(value, dict):
        return {masked(key): masked(item) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(item) for item in value]
    return masked_text(value) if isinstance(value, str) else value


def masked_text(text: str) -> str:
    return _REVISION.sub("<rv>", _TIME.sub("<time>", _UID.sub("<uid>", text)))


class Project:
    def __init__(self, path: Path) -> None:
        self.crds = {crd["metadata"]["name"]: crd for crd in load(path / "crds.json.gz")}
        self.entries = load(path / "objects.json.gz")
        self.engines: dict[tuple[str, str], Engine] = {}

    def engine(self, crd: Any, version: Any) -> Engine:
        key = (crd["metadata"]["name"], version["name"])
        if key not in self.engines:
            self.engines[key] = Engine((version.get("schema") or {}).get("openAPIV3Schema") or {})
        return self.engines[key]

    def answer(self, entry: Any) -> tuple[int, Any]:
        """(code, the stored object as it is read | the refusal's causes | its message)."""
        crd, name = self.crds[entry["crd"]], entry["path"].split("/")[3]
        version = next(v for v in crd["spec"]["versions"] if v["name"] == name)
        body, kind = decoded(copy.deepcopy(entry["request"])), crd["spec"]["names"]["kind"]
        engine = self.engine(crd, version)
        try:
            self.decode(engine, crd, body, "fieldValidation=Strict" in entry["path"])
        except metadecode.DecodeError as error:
            return 400, f'{kind} in version "{name}" cannot be handled as a {kind}: {error}'
        subresources = version.get("subresources") or {}
        if "status" in subresources:
            body.pop("status", None)
        meta = body.setdefault("metadata", {})
        namespaced = crd["spec"]["scope"] == "Namespaced"
        if namespaced and meta.get("namespace", NAMESPACE) != NAMESPACE:
            return 400, WRONG_NAMESPACE
        meta.pop("namespace", None)
        if namespaced:
            meta["namespace"] = NAMESPACE
        if meta.get("generateName") and not meta.get("name"):
            meta["name"] = meta["generateName"] + "xxxxx"
        if body.get("kind") != kind:
            return 422, [field.invalid("kind", body.get("kind") or "", f"must be {kind}")]
        errors = objectmeta.validate_object_meta(meta, namespaced) + engine.validate(body)
        if "scale" in subresources:
            errors += validate_scale(body, subresources["scale"])
        if errors:
            return 422, errors
        if (meta.get("resourceVersion") or "0").isdigit() and meta.get("resourceVersion", "0") != "0":
            return 500, ""
        return 201, self.read_back(crd, version, body)

    def decode(self, engine: Engine, crd: Any, body: Any, strict: bool) -> None:
        group = str(body.get("apiVersion")).partition("/")[0]
        if group != crd["spec"]["group"] or body.get("kind") != crd["spec"]["names"]["kind"]:
            if "metadata" in body:
                body["metadata"] = metadecode.decode_object_meta(body["metadata"])[0]
            return
        unknown = engine.prune_and_default(body, report_unknown=True)
        if strict and unknown:
            shown = ", ".join(f'unknown field "{path}"' for path in unknown)
            raise metadecode.DecodeError(f"strict decoding error: {shown}")

    def read_back(self, crd: Any, version: Any, body: Any) -> Any:
        """Conversions prune by the version they lead to; a read applies the defaults of the stored version."""
        stored = next(v for v in crd["spec"]["versions"] if v["storage"])
        if stored is not version:
            self.engine(crd, stored).prune(body)
        self.engine(crd, stored).default(body)
        if stored is not version:
            self.engine(crd, version).prune(body)
        return body


def difference(project: Project, entry: Any) -> str:
    """Empty where the engine agrees."""
    code, got = project.answer(entry)
    expected = entry["answer"]
    if entry["code"] == 422:
        rules = "x-kubernetes-validations" in json.dumps(project.crds[entry["crd"]])
        wanted = {(c["field"], masked(c["message"])) for c in expected["details"]["causes"]}
        wanted = {cause for cause in wanted if "rules were not checked" not in cause[1]}
        found = {(e.path, masked(e.body())) for e in got} if code == 422 else set()
        if found == wanted or (rules and found < wanted and all(is_of_rules(c) for c in wanted - found)):
            return ""
        return f"too many {sorted(found - wanted)}, too few {sorted(wanted - found)}"
    if code != entry["code"]:
        return f"{code} {got}"
    if code == 400:
        return "" if masked(got) == masked(expected["message"]) else f"{got} for {expected['message']}"
    if code == 201:
        parts = [key for key in {**got, **expected} if key not in ("metadata", "apiVersion")]
        wrong = [key for key in parts if masked(got.get(key)) != masked(expected.get(key))]
        return "; ".join(f"{key}: {got.get(key)} for {expected.get(key)}" for key in wrong)
    return ""


def is_of_rules(cause: tuple[str, str]) -> bool:
    return " in body " not in cause[1] and not cause[1].startswith("Required value:")


@pytest.mark.skipif(not PROJECTS, reason="the corpus is not here")
@pytest.mark.parametrize("path", PROJECTS, ids=lambda path: path.name)
def test_requests_are_answered_as_recorded(path: Path) -> None:
    project = Project(path)
    wrong = []
    for entry in project.entries:
        if entry["op"] in ("example", "mutation") and (found := difference(project, entry)):
            wrong.append(
                f"{entry['op']} {entry['crd']} {entry.get('mutation')} expected {entry['code']}: {found[:600]}"
            )
    assert not wrong, "\n".join(wrong)
