"""What kube-apiserver answered to applies and updates, replayed on the field manager alone.

The server around it is played by some lines here: they merge patches, drop what a subresource may not set, and leave
out every step whose answer is not field management's (validation, names, other kinds).
"""

import copy
import json
import re
from pathlib import Path
from urllib.parse import parse_qs, urlsplit

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.fieldmanager import manager, noop, types

RECORDINGS = Path(__file__).resolve().parents[2] / "golden"
NAMES = {
    "apply": [
        "atomic", "conflicts", "empty-schema", "force", "list-order", "list-set", "managed-fields-apply-then-update",
        "managed-fields-reset", "managed-fields-update-then-apply", "nested-lists", "owner-references",
        "shared-ownership", "special-types", "status-subresource", "versions", "create-and-no-op", "dry-run",
        "body-errors",
    ],
}  # fmt: skip
UID = re.compile(r"\$\{\w*uid\}|<uid-\d+>")


def scenarios():
    return [pytest.param(area, name, id=f"{area}-{name}") for area, names in NAMES.items() for name in names]


class Server:
    """One kind, its objects, and a field manager."""

    def __init__(self, definition):
        spec = definition["spec"]
        self.kind = spec["names"]["kind"]
        self.group = spec["group"]
        self.clock = 0
        schemas, resets = {}, {"": {}, "status": {}}
        self.has_status = any("status" in (v.get("subresources") or {}) for v in spec["versions"])
        for version in spec["versions"]:
            api_version = f"{self.group}/{version['name']}"
            schemas[api_version] = types.from_open_api(version["schema"]["openAPIV3Schema"])
            if self.has_status:
                resets[""][api_version] = {"f:status": {}}
                resets["status"][api_version] = {"f:apiVersion": {}, "f:kind": {}, "f:metadata": {}, "f:spec": {}}
        self.manager = manager.FieldManager(
            schemas.get, lambda obj, version: {**obj, "apiVersion": version}, kind=self.kind, reset_fields=resets
        )
        self.objects = {}

    def handle(self, step):
        url = urlsplit(step["path"])
        query = {key: values[-1] for key, values in parse_qs(url.query).items()}
        parts = url.path.strip("/").split("/")
        api_version = "/".join(parts[1:3])
        rest = parts[6:]
        name = rest[0] if rest else step["body"]["metadata"]["name"]
        subresource = rest[1] if len(rest) > 1 else ""
        live = self.objects.get(name)
        if live is not None:
            live = {**copy.deepcopy(live), "apiVersion": api_version}
        method = step.get("method", "GET")
        if method == "GET":
            return 200, live
        self.clock += 1
        who = {"manager": query.get("fieldManager", "golden"), "api_version": api_version, "subresource": subresource}
        now = f"2026-01-02T03:{self.clock // 60:02}:{self.clock % 60:02}Z"
        media = (step.get("headers") or {}).get("Content-Type", "")
        if media.startswith("application/apply-patch"):
            force = query.get("force") == "true"
            new = self.manager.apply(live, copy.deepcopy(step["body"]), force=force, now=now, **who)
        else:
            new = copy.deepcopy(step["body"]) if method in ("POST", "PUT") else patched(live, step["body"], media)
            new = {**new, "apiVersion": api_version}
            if live is not None:
                for field in ("uid", "creationTimestamp", "namespace", "generation", "resourceVersion"):
                    if field in live["metadata"]:
                        new["metadata"].setdefault(field, live["metadata"][field])
            self.manager.update(live, new, now=now, **who)
        return self.store(name, live, new, subresource, dry_run="dryRun" in query)

    def store(self, name, live, new, subresource, dry_run):
        if subresource == "status":
            owners = new["metadata"].get("managedFields")
            new = {**live, "status": new.get("status"), "metadata": {**live["metadata"], "managedFields": owners}}
            new = {key: value for key, value in new.items() if value is not None}
        elif self.has_status:
            new.pop("status", None)
            if live is not None and "status" in live:
                new["status"] = live["status"]
        if new["metadata"].get("managedFields") is None:
            new["metadata"].pop("managedFields", None)
        if live is None:
            new["metadata"]["uid"] = "u"
        elif noop.is_no_op(live, new):
            return 200, live
        if not dry_run:
            self.objects[name] = new
        return 201 if live is None else 200, new


def patched(live, patch, media):
    new = copy.deepcopy(live)
    if media.startswith("application/json-patch"):
        for step in patch:
            node, keys = new, step["path"].strip("/").split("/")
            for key in keys[:-1]:
                node = node[key]
            assert step["op"] == "replace"
            node[keys[-1]] = copy.deepcopy(step["value"])
        return new
    todo = [(new, patch)]
    while todo:
        target, wanted = todo.pop()
        for key, value in wanted.items():
            if value is None:
                target.pop(key, None)
            elif isinstance(value, dict):
                if not isinstance(target.get(key), dict):
                    target[key] = {}
                todo.append((target[key], value))
            else:
                target[key] = copy.deepcopy(value)
    return new


def comparable(obj):
    """Without what the server around field management adds; entries in a fixed order, times as present or not."""
    obj = copy.deepcopy(obj)
    entries = obj["metadata"].get("managedFields") or []
    for entry in entries:
        if "time" in entry:
            entry["time"] = True
    kept = {
        key: value
        for key, value in obj["metadata"].items()
        if key in ("labels", "annotations", "finalizers", "ownerReferences")
    }
    kept["managedFields"] = sorted(entries, key=json.dumps)
    obj["metadata"] = kept
    return json.loads(UID.sub("uid", json.dumps(obj)))


def is_about_field_management(answer):
    message = answer["body"].get("message", "")
    if answer["code"] in (409, 500):
        return answer["body"].get("reason") in (None, "Conflict") and "uid mismatch" not in message
    return message.startswith(("invalid object type", "metadata.managedFields")) if answer["code"] >= 400 else True


@pytest.mark.parametrize(("area", "name"), scenarios())
def test_field_management_does_what_was_recorded(area, name):
    recording = json.loads((RECORDINGS / area / f"{name}.json").read_text())
    scenario = recording["scenario"]
    server = Server(next(step["crd"] for step in scenario["setup"] if "crd" in step))
    answers = iter(recording["answers"])
    compared = 0
    for step in scenario["steps"]:
        if "sleep" in step:
            continue
        answer = None if step.get("unrecorded") else next(answers)
        if answer is None or "/widgets" not in step["path"]:
            continue
        if "raw" in step or not is_about_field_management(answer):
            continue
        if step.get("method") == "PUT" and "resourceVersion" not in step["body"]["metadata"] and answer["code"] >= 400:
            continue
        try:
            code, obj = server.handle(step)
        except errors.APIStatus as error:
            got, want = error.to_status(), copy.deepcopy(answer["body"])
            for status in (got, want):
                causes = (status.get("details") or {}).get("causes")
                if causes:
                    causes.sort(key=json.dumps)
            assert UID.sub("uid", json.dumps(got)) == UID.sub("uid", json.dumps(want)), step
        else:
            assert code == answer["code"], (step, obj)
            want = answer["body"]
            if "only" in step:
                assert obj["spec"] == want["spec"]
            else:
                got, want = comparable(obj), comparable(want)
                for path in step.get("ignore", []):
                    for side in (got, want):
                        assert path == "metadata.managedFields"
                        del side["metadata"]["managedFields"]
                assert got == want, step
        compared += 1
    assert compared
