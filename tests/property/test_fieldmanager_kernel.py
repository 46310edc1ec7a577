"""The kernel of usual writes against the rules of ownership, which decide where the kernel does not."""

import copy
import json

from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery import errors
from quarterdeck.fieldmanager import manager, types
from reference import fieldmanager as reference
from support import fieldobjects

VERSION = "example.dev/v1"
RESETS = {"": {VERSION: {"f:status": {}}}, "status": {VERSION: {"f:metadata": {}}}}
SCHEMAS = {VERSION: types.from_open_api(fieldobjects.ROOT)}
NAMES = st.sampled_from(["ann", "bob", "cid"])


class Rules(manager.FieldManager):
    """Without the kernel."""

    def _update_in_kernel(self, *_args, **_more):
        return None

    def _apply_in_kernel(self, *_args, **_more):
        return None


class Counting(manager.FieldManager):
    """How often the kernel decided."""

    decided = 0

    def _update_in_kernel(self, *args, **more):
        found = super()._update_in_kernel(*args, **more)
        self.decided += found is not None
        return found

    def _apply_in_kernel(self, *args, **more):
        found = super()._apply_in_kernel(*args, **more)
        self.decided += found is not None
        return found


def build(kind):
    return kind(SCHEMAS.get, lambda obj, _version: obj, kind="Thing", reset_fields=RESETS)


def at(second):
    return f"2026-01-01T{second // 3600:02}:{second // 60 % 60:02}:{second % 60:02}Z"


def write(fields, live, step, second):
    """The object after one write, or the Status of its refusal."""
    verb, name, spec, subresource, force = step
    live = copy.deepcopy(live)
    config = {"apiVersion": VERSION, "kind": "Thing", "metadata": {"name": "t"}, "spec": copy.deepcopy(spec)}
    more = {"manager": name, "subresource": subresource, "api_version": VERSION, "now": at(second)}
    if verb == "apply":
        try:
            return fields.apply(live, config, force=force, **more)
        except errors.APIStatus as error:
            return error.to_status()
    new = config if live is None else {**live, "spec": config["spec"], "metadata": dict(live["metadata"])}
    fields.update(live, new, **more)
    return new


steps = st.tuples(
    st.sampled_from(["apply", "update"]),
    NAMES,
    fieldobjects.specs(),
    st.sampled_from(["", "", "status"]),
    st.booleans(),
)


@given(st.lists(steps, min_size=1, max_size=8), st.booleans())
def test_the_kernel_decides_as_the_rules_do(writes, within_one_second):
    kernel, rules = build(manager.FieldManager), build(Rules)
    live = None
    for position, step in enumerate(writes):
        second = 0 if within_one_second else position
        new = write(kernel, live, step, second)
        assert new == write(rules, live, step, second)
        if new["kind"] != "Status":
            live = new


def test_the_kernel_decides_the_usual_write():
    fields = build(Counting)
    live = write(fields, None, ("update", "ann", {"text": "red"}, "", False), 0)
    live = write(fields, live, ("update", "bob", {"text": "blue"}, "", False), 1)
    live = write(fields, live, ("apply", "cid", {"text": "blue"}, "", False), 2)
    live = write(fields, live, ("apply", "cid", {"text": "green"}, "", True), 3)
    assert fields.decided == 3
    assert [entry["manager"] for entry in live["metadata"]["managedFields"]] == ["cid", "ann"]


def test_entries_that_stay_are_the_same_entries():
    fields = build(Counting)
    live = write(fields, None, ("update", "ann", {"text": "red"}, "", False), 0)
    live = write(fields, live, ("apply", "bob", {"text": "red"}, "", False), 1)
    new = {**live, "metadata": {**live["metadata"], "labels": {"a": "b"}}}
    fields.update(live, new, manager="cid", api_version=VERSION, now=at(2))
    before, after = live["metadata"]["managedFields"], new["metadata"]["managedFields"]
    assert [entry for entry in after if any(entry is old for old in before)] == before
    assert len(after) == 3


EMPTIES = [("apply", "ann", {}, "", False), ("update", "bob", {"text": "x", "set": []}, "", False)]


@given(st.lists(steps, min_size=1, max_size=6), NAMES, fieldobjects.specs())
@example(EMPTIES, "ann", {})
@example([*EMPTIES, ("apply", "bob", {}, "", False)], "ann", {})
@settings(max_examples=200, deadline=None)
def test_an_apply_takes_away_what_the_reference_does(writes, name, spec):
    fields = build(manager.FieldManager)
    live = None
    for position, step in enumerate(writes):
        new = write(fields, live, step, position)
        live = live if new["kind"] == "Status" else new
    assume(live is not None and live["metadata"].get("managedFields"))
    owned = {}
    for entry in live["metadata"]["managedFields"]:
        owner = entry["manager"], entry["operation"], entry.get("subresource", "")
        owned[owner] = reference.from_tree(entry["fieldsV1"])
    got = write(fields, live, ("apply", name, spec, "", True), 60)
    last = owned.get((name, "Apply", ""), set())
    before = {"spec": live["spec"]} if "spec" in live else {}
    config = {"spec": spec}
    owned[name, "Apply", ""] = reference.applied_fields(fieldobjects.ROOT, config)
    merged = reference.merge(fieldobjects.ROOT, before, config)
    expected = reference.prune(fieldobjects.ROOT, merged, last, set().union(*owned.values())) if last else merged
    assert json.dumps({"spec": got.get("spec", "absent")}, sort_keys=True) == json.dumps(
        {"spec": expected.get("spec", "absent")}, sort_keys=True
    )
