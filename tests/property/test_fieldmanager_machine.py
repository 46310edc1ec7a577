"""Managers that apply and update at random: what must hold of ownership after every step."""

import copy
import json

from hypothesis import Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

from quarterdeck.apimachinery import errors
from quarterdeck.fieldmanager import manager, noop, types
from reference import fieldmanager as reference
from support import fieldobjects

VERSION = "example.dev/v1"
APPLIERS = ["ann", "bob"]
UPDATERS = ["ann", "cid"]


def without_holes(value):
    """No set mentions an empty list of type set or map, and a null that is applied gives way to what is there: who
    applies them does not come to own what it applied, as upstream has it."""
    if isinstance(value, dict):
        return {name: without_holes(item) for name, item in value.items() if item is not None and item != []}
    return [without_holes(item) for item in value] if isinstance(value, list) else value


applied_specs = fieldobjects.specs().map(without_holes)


def spec_of(obj):
    return {"spec": obj["spec"]} if "spec" in obj else {}


class Ownership(RuleBasedStateMachine):
    def __init__(self):
        super().__init__()
        schema = types.from_open_api(fieldobjects.ROOT)
        self.fields = manager.FieldManager({VERSION: schema}.get, lambda obj, _version: obj, kind="Thing")
        self.live = None
        self.clock = 0

    def now(self):
        self.clock += 1
        return f"2026-01-01T{self.clock // 3600:02}:{self.clock // 60 % 60:02}:{self.clock % 60:02}Z"

    def config(self, spec):
        return {"apiVersion": VERSION, "kind": "Thing", "metadata": {"name": "t"}, "spec": copy.deepcopy(spec)}

    def apply(self, name, spec, *, force):
        return self.fields.apply(
            copy.deepcopy(self.live), self.config(spec), manager=name, force=force, api_version=VERSION, now=self.now()
        )

    def store(self, new):
        new.setdefault("metadata", {}).setdefault("uid", "u")
        self.live = json.loads(json.dumps(new))

    def owners(self):
        """(name, operation) → paths."""
        entries = (self.live or {}).get("metadata", {}).get("managedFields", [])
        return {(entry["manager"], entry["operation"]): reference.from_tree(entry["fieldsV1"]) for entry in entries}

    def present(self):
        return reference.all_fields(fieldobjects.ROOT, spec_of(self.live))

    @rule(name=st.sampled_from(APPLIERS), spec=applied_specs)
    def apply_by_force(self, name, spec):
        before, owners = self.live, self.owners()
        self.store(self.apply(name, spec, force=True))
        if before is not None and not owners:
            # Nobody was tracked: the fields that were there got an owner first.
            owners = {("before-first-apply", "Update"): reference.all_fields(fieldobjects.ROOT, spec_of(before))}
        applied = reference.applied_fields(fieldobjects.ROOT, {"spec": spec})
        # Whoever forces an apply owns exactly what it applied, and it is in the object.
        assert self.owners().get((name, "Apply"), set()) == applied
        assert applied <= self.present()
        for other, paths in owners.items():
            if other != (name, "Apply"):
                kept = self.owners().get(other, set())
                assert kept <= paths
                # Ownership is never lost but to who applied the field, or with the field itself. The object as a whole
                # is no field: who owns no more than that is forgotten.
                assert (paths - kept - {()}) & self.present() <= applied
        self.check_gone(before, owners, (name, "Apply"), applied)

    def check_gone(self, before, owners, key, applied):
        """What only this applier owned and no longer applies is gone, unless it holds what others own."""
        given_up = owners.get(key, set()) - applied
        for other, paths in owners.items():
            if other != key:
                given_up -= paths
        still = {path for paths in self.owners().values() for path in paths}
        for path in given_up & self.present():
            assert any(own[: len(path)] == path for own in still), path

    @rule(name=st.sampled_from(APPLIERS), spec=applied_specs)
    def apply_politely(self, name, spec):
        try:
            new = self.apply(name, spec, force=False)
        except errors.ApplyConflict as conflict:
            # The same conflict again, and force resolves it.
            assert conflict.details["causes"]
            with_force = self.apply(name, spec, force=True)
            assert with_force["spec"] != self.live.get("spec")
            return
        assert json.dumps(new.get("spec")) == json.dumps(self.apply(name, spec, force=True).get("spec"))
        self.store(new)

    @rule(name=st.sampled_from(UPDATERS), spec=fieldobjects.specs(duplicates=True).map(without_holes))
    def update(self, name, spec):
        owners = self.owners()
        live = copy.deepcopy(self.live)
        new = {**self.config(spec)}
        if live is not None:
            new["metadata"] = copy.deepcopy(live["metadata"])
        self.fields.update(live, new, manager=name, api_version=VERSION, now=self.now())
        if live is not None:
            added, modified, removed = reference.compare(fieldobjects.ROOT, spec_of(live), spec_of(new))
            tracked = bool(owners)
        else:
            added, modified, removed = reference.all_fields(fieldobjects.ROOT, spec_of(new)) - {()}, set(), set()
            tracked = True
        self.store(new)
        if not tracked:
            assert not self.owners()
            return
        taken = added | modified
        assert taken <= self.owners().get((name, "Update"), set())
        for other, paths in owners.items():
            left = paths - taken - removed
            if other == (name, "Update"):
                left |= taken
            assert self.owners().get(other, set()) == left

    @precondition(lambda self: self.live is not None and self.owners())
    @rule(name=st.sampled_from(APPLIERS), spec=applied_specs)
    def applying_twice_changes_nothing(self, name, spec):
        self.store(self.apply(name, spec, force=True))
        before = copy.deepcopy(self.live)
        again = self.apply(name, spec, force=False)
        assert json.dumps(again, sort_keys=True) == json.dumps(before, sort_keys=True)
        assert noop.is_no_op(before, again)

    @invariant()
    def nothing_is_owned_that_is_not_there(self):
        if self.live is None:
            return
        for paths in self.owners().values():
            assert paths <= self.present()

    @invariant()
    def sets_are_in_canonical_order(self):
        for entry in (self.live or {}).get("metadata", {}).get("managedFields", []):
            tree = entry["fieldsV1"]
            assert json.dumps(tree) == json.dumps(reference.to_tree(reference.from_tree(tree)))


TestOwnership = Ownership.TestCase
# Shrinking a history of objects takes minutes: a failing one is reported as it is, by its seed.
TestOwnership.settings = settings(
    max_examples=40, stateful_step_count=12, deadline=None, phases=(Phase.explicit, Phase.reuse, Phase.generate)
)
