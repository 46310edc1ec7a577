"""What a control plane tells of a test that failed."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Final

_OBJECTS_MAX: Final = 50
_EVENTS_MAX: Final = 30
_REQUESTS_MAX: Final = 40
_TEXT_MAX: Final = 64 * 1024
_OWN: Final = "?of=report"  # servers know no such option: it tells a report's own requests from those of tests
# They change without anybody's doing, or are told of by themselves.
_NOT_SHOWN: Final = frozenset((("", "events"), ("events.k8s.io", "events"), ("coordination.k8s.io", "leases")))

Object = dict[str, Any]
Call = Callable[..., tuple[int, Any]]


def describe(call: Call, audit: Path, first_revision: int, root: str = "") -> Iterator[tuple[str, str]]:
    """Titles and texts, each of at most 64 KiB. Objects are those written since `first_revision`, requests those whose
    paths begin with `root`."""
    import yaml

    requests = _read_requests(audit, root)
    changed = _list_changed(call, first_revision)
    shown = [yaml.safe_dump(_strip(each), sort_keys=False) for each in changed[-_OBJECTS_MAX:]]
    yield "objects", _cut("---\n".join(shown)) or "nothing was written"
    _, events = call("GET", f"/api/v1/events{_OWN}")
    yield "events", _cut("\n".join(_tell_event(each) for each in events["items"][-_EVENTS_MAX:])) or "none"
    yield "last requests", _cut("\n".join(requests)) or "none"


def _list_changed(call: Call, first_revision: int) -> list[Object]:
    """By revision: the last changed ones are the last."""
    found = []
    for root, resource in _find_resources(call):
        status, listed = call("GET", f"{root}/{resource['name']}{_OWN}")
        if status == 200:
            head = {"apiVersion": listed["apiVersion"], "kind": resource["kind"]}
            found += [{**head, **each} for each in listed["items"]]
    return sorted((each for each in found if _revision(each) > first_revision), key=_revision)


def _revision(value: Object) -> int:
    return int(value["metadata"].get("resourceVersion") or 0)  # what is not stored has none


def _find_resources(call: Call) -> Iterator[tuple[str, Object]]:
    """Each kind in its group's preferred version."""
    groups = [{"preferredVersion": {"groupVersion": "v1"}}, *call("GET", f"/apis{_OWN}")[1]["groups"]]
    for group in groups:
        version = group["preferredVersion"]["groupVersion"]
        root = f"/apis/{version}" if "/" in version else f"/api/{version}"
        status, answer = call("GET", root + _OWN)
        for resource in answer["resources"] if status == 200 else ():
            if "list" in resource["verbs"] and (group.get("name", ""), resource["name"]) not in _NOT_SHOWN:
                yield root, resource


def _strip(value: Object) -> Object:
    metadata = {name: each for name, each in value["metadata"].items() if name != "managedFields"}
    stripped = {**value, "metadata": metadata}
    if value["kind"] == "Secret":
        stripped = {name: each for name, each in stripped.items() if name not in ("data", "stringData")}
    return stripped


def _tell_event(event: Object) -> str:
    about = event["involvedObject"]
    place = f"{about.get('kind', '')} {about.get('namespace', '')}/{about.get('name', '')}"
    return f"{event.get('type', '')} {event.get('reason', '')} {place}: {event.get('message') or ''}"


def _read_requests(audit: Path, root: str) -> list[str]:
    if not audit.exists():
        return []
    told = []
    whole, _, _ = audit.read_bytes().rpartition(b"\n")  # the server may be writing the last line
    for line in reversed(whole.splitlines()):
        event = json.loads(line)
        uri = event["requestURI"]
        if event["stage"] != "ResponseComplete" or not uri.startswith(f"{root}/") or uri.endswith(_OWN):
            continue
        status = event.get("responseStatus") or {}
        time = event["requestReceivedTimestamp"]
        told.append(f"{time} {event['verb']} {uri[len(root) :]} {status.get('code', '')} {event.get('userAgent', '')}")
        if len(told) == _REQUESTS_MAX:
            break
    told.reverse()
    return told


def _cut(text: str) -> str:
    return text if len(text) <= _TEXT_MAX else text[:_TEXT_MAX] + "\n…"
