"""Writes that store nothing, for hypothesis: dry runs, refused ones, and ones that the store fails to write."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

from hypothesis import strategies as st

from quarterdeck.storage import interface

Object = dict[str, Any]
Call = tuple[str, str, Any, str]
Fail = Callable[[str], interface.StorageError]

JSON = "application/json"
JSON_PATCH = "application/json-patch+json"
MERGE = "application/merge-patch+json"
STRATEGIC = "application/strategic-merge-patch+json"
APPLY = "application/apply-patch+yaml"
SCALE = {"apiVersion": "autoscaling/v1", "kind": "Scale"}

# What the store may fail a write with. A write that lost a race is tried again, and then fails for good.
FAILURES: Sequence[tuple[Fail, ...]] = (
    (interface.SpaceExceeded,),
    (interface.TooLarge,),
    (lambda key: interface.RevisionConflict(key, 1, 2), interface.SpaceExceeded),
    (interface.KeyNotFound, interface.SpaceExceeded),
)
# It is unknown whether this one happened: allocations stay reserved, nothing else may be seen.
UNKNOWN: tuple[Fail, ...] = (interface.Unavailable,)


class Kind(NamedTuple):
    """`path` of the collection, `body` without metadata. Objects called `live` and `leaving` (under deletion, held by
    a finalizer) are there, one called `absent` is not. `specs`: what a write may make of the spec, valid or not;
    `spec_of` the members of the spec that follow from the name."""

    path: str
    body: Object
    live: str
    leaving: str = ""
    absent: str = "absent"
    specs: Sequence[Object] = ({},)
    subresources: tuple[str, ...] = ()
    patches: tuple[str, ...] = (MERGE, STRATEGIC, JSON_PATCH, APPLY)
    is_collection_deleted: bool = True
    spec_of: Callable[[str], Object] = lambda _: {}

    def named(self, name: str, spec: Object | None = None, **metadata: Any) -> Object:
        made = {**self.body, "metadata": {"name": name, **metadata}}
        content = {**self.body.get("spec", {}), **self.spec_of(name), **(spec or {})}
        return {**made, "spec": content} if content else made


class Writes(NamedTuple):
    """`failures` is how the store fails meanwhile, () for not at all."""

    calls: list[Call]
    failures: tuple[Fail, ...]


# Each makes sure that a write is refused: by validation, by what it says of the live object, by its precondition.
_BAD_METADATA: Mapping[str, Object] = {
    "labels": {"labels": {"not a label": "!"}},
    "uid": {"uid": "of-another"},
    "resourceVersion": {"resourceVersion": "1"},
}


@st.composite
def writes(draw: st.DrawFn, kinds: Sequence[Kind], failures: Sequence[tuple[Fail, ...]]) -> Writes:
    failing = draw(st.sampled_from([(), (), *failures]))
    calls = draw(st.lists(_calls(kinds, is_failing=bool(failing)), min_size=1, max_size=4))
    return Writes(calls, failing)


@st.composite
def _calls(draw: st.DrawFn, kinds: Sequence[Kind], *, is_failing: bool) -> Call:
    kind = draw(st.sampled_from(kinds))
    outcome = draw(st.sampled_from(("dry", "refused", "failing") if is_failing else ("dry", "refused")))
    verbs = ["POST", "PUT", "DELETE", *kind.patches, *(f"/{each}" for each in kind.subresources)]
    verbs += ["collection"] if kind.is_collection_deleted else []
    verb = draw(st.sampled_from(verbs))
    query = ["dryRun=All"] if outcome == "dry" else []
    if verb in ("DELETE", "collection"):
        return _deletion(draw, kind, query, verb, is_refused=outcome == "refused")
    name = draw(st.sampled_from([each for each in (kind.live, kind.leaving, kind.absent) if each]))
    metadata = draw(_metadata())
    spec = draw(st.sampled_from([{}, *kind.specs]))
    if verb.startswith("/"):
        return _subresource(draw, kind, f"{kind.path}/{kind.live}{verb}", query, spec, is_refused=outcome == "refused")
    if outcome == "refused":
        metadata |= _BAD_METADATA[draw(st.sampled_from(sorted(_BAD_METADATA)))] if verb == "PUT" else {}
        metadata |= _BAD_METADATA["labels"]
    body = kind.named(name, spec, **metadata)
    if verb == "POST":
        if not kind.spec_of(name) and draw(st.booleans()):
            del body["metadata"]["name"]
            body["metadata"]["generateName"] = "made-"
        return "POST", _address(kind.path, query), body, JSON
    if verb == "PUT":
        return "PUT", _address(f"{kind.path}/{name}", query), body, JSON
    return _patch(f"{kind.path}/{name}", query, body, verb)


@st.composite
def _metadata(draw: st.DrawFn) -> Object:
    found: Object = {}
    if draw(st.booleans()):
        found["labels"] = {"new": "label"}
    if draw(st.booleans()):
        found["finalizers"] = draw(st.sampled_from([[], ["example.com/other"]]))
    return found


def _patch(address: str, query: list[str], body: Object, content_type: str) -> Call:
    if content_type == APPLY:
        return "PATCH", _address(address, [*query, "fieldManager=m", "force=true"]), body, APPLY
    if content_type == JSON_PATCH:
        members = [("/metadata/" + name, value) for name, value in body["metadata"].items() if name != "name"]
        members += [(f"/{name}", body[name]) for name in ("spec", "data") if name in body]
        operations = [{"op": "add", "path": path, "value": value} for path, value in members]
        return "PATCH", _address(address, query), operations, JSON_PATCH
    return "PATCH", _address(address, query), body, content_type


def _deletion(draw: st.DrawFn, kind: Kind, query: list[str], verb: str, *, is_refused: bool) -> Call:
    policy = draw(st.sampled_from(("Background", "Foreground", "Orphan")))
    options: Object | None = {"propagationPolicy": policy}
    if query and draw(st.booleans()):  # a body stands in place of the query
        options, query = None, [*query, f"propagationPolicy={policy}"]
    elif query:
        options, query = {**options, "dryRun": ["All"]}, []
    elif is_refused:
        options["preconditions"] = {"uid": "of-another"} if draw(st.booleans()) else {"resourceVersion": "1"}
    if verb == "collection":
        return "DELETE", _address(kind.path, query), options, JSON
    return "DELETE", _address(f"{kind.path}/{draw(st.sampled_from((kind.live, kind.absent)))}", query), options, JSON


def _subresource(
    draw: st.DrawFn, kind: Kind, address: str, query: list[str], spec: Object, *, is_refused: bool
) -> Call:
    metadata: Object = {"name": kind.live}
    if is_refused:
        metadata |= _BAD_METADATA["resourceVersion"]
    if address.endswith("/scale"):
        body = {**SCALE, "metadata": metadata, "spec": {"replicas": -1 if is_refused else 7}}
    else:
        body = {**kind.named(spec=spec, **metadata), "status": {"conditions": [], "replicas": 5}}
    verb = draw(st.sampled_from(("PUT", MERGE, JSON_PATCH, APPLY)))
    if verb == "PUT":
        return "PUT", _address(address, query), body, JSON
    if verb == JSON_PATCH:
        path, value = ("/spec/replicas", 7) if address.endswith("/scale") else ("/status", {"replicas": 6})
        operations = [{"op": "test", "path": "/metadata/name", "value": "another" if is_refused else kind.live}]
        return "PATCH", _address(address, query), [*operations, {"op": "add", "path": path, "value": value}], verb
    return _patch(address, query, body, verb)


def _address(path: str, query: list[str]) -> str:
    return f"{path}?{'&'.join(query)}" if query else path
