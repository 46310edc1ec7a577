"""What the built-in kinds refuse, drop and mark."""

import pytest

from quarterdeck.apis import priorities
from quarterdeck.registry import deletion
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.coordination.lease import LeaseStrategy
from quarterdeck.registry.builtin.core.configmap import ConfigMapStrategy
from quarterdeck.registry.builtin.core.event import EventStrategy
from quarterdeck.registry.builtin.core.namespace import (
    NamespaceFinalizeStrategy,
    NamespaceStatusStrategy,
    NamespaceStrategy,
)
from quarterdeck.schema.goscalar import DecodeError, decode_scalar
from quarterdeck.schema.gotype import MICRO_TIME
from quarterdeck.storage.cacher import Cacher
from support.memory_store import MemoryStore

DEFINITIONS = resources.definitions(Cacher(MemoryStore()))
EVENTS = EventStrategy(namespaced=True)
LEASES = LeaseStrategy(namespaced=True)


def event(**members):
    return {"metadata": {"name": "e", "namespace": "n"}, **members}


@pytest.mark.parametrize("involved", ["other", ""])
def test_an_event_is_in_the_namespace_of_what_it_is_about(involved):
    (problem,) = EVENTS.check(event(involvedObject={"namespace": involved}))
    assert (problem.path, problem.detail) == ("involvedObject.namespace", "does not match event.namespace")
    assert EVENTS.check(event(involvedObject={"namespace": "n"})) == []


def test_events_of_cluster_scoped_objects_are_in_the_default_namespace():
    assert EVENTS.check({"metadata": {"name": "e", "namespace": "default"}, "involvedObject": {"kind": "Node"}}) == []


def test_an_event_with_an_event_time_says_who_did_what():
    obj = event(involvedObject={"namespace": "n"}, eventTime="2024-01-01T00:00:00.000000Z", message="m" * 1025)
    required = [problem.path for problem in EVENTS.check(obj) if problem.detail == ""]
    assert required == ["reportingComponent", "reportingInstance", "action", "reason"]
    assert EVENTS.check(obj)[-1].detail == "can have at most 1024 characters"


@pytest.mark.parametrize(("kind", "times"), [("ServiceAccount", 4), ("ConfigMap", 4), ("Lease", 3), ("Event", 2)])
def test_labels_of_an_update_are_told_of_as_often_as_upstream_looks(kind, times):
    strategy = next(each.strategy for each in DEFINITIONS if each.resource.kind == kind)
    system = {"name": "x", "namespace": "n", "uid": "u", "resourceVersion": "1"}
    old, new = ({"metadata": {**system, "labels": labels}, "spec": {}} for labels in ({}, {"-x": "1"}))
    for obj in (old, new):
        obj["involvedObject"] = {"namespace": "n"}
    assert [problem.path for problem in strategy.validate_update(new, old, [])] == ["metadata.labels"] * times


def test_a_lease_drops_gated_members_that_are_not_stored():
    new = {"metadata": {}, "spec": {"preferredHolder": "p", "strategy": "OldestEmulationVersion"}}
    LEASES.prepare_for_update(new, {"metadata": {}, "spec": {"strategy": "s"}})
    assert new["spec"] == {"strategy": "OldestEmulationVersion"}


@pytest.mark.parametrize(
    ("text", "part"),
    [("2024-01-01T00:00:00Z", '"Z" as ".000000"'), ("2024-01-01T00:00:00.123456789Z", '"789Z" as "Z07:00"')],
)
def test_a_micro_time_has_six_digits(text, part):
    with pytest.raises(DecodeError, match=f"cannot parse {part}"):
        decode_scalar(text, MICRO_TIME, "LeaseSpec.renewTime")
    assert decode_scalar("2024-01-01T01:00:00.123456+01:00", MICRO_TIME, "") == "2024-01-01T00:00:00.123456Z"


def test_a_deleted_namespace_has_no_grace_period():
    strategy = NamespaceStrategy(namespaced=False)
    live = {"metadata": {"name": "n"}, "spec": {"finalizers": ["kubernetes"]}, "status": {"phase": "Active"}}
    marked = strategy.mark(live, deletion.Options(propagation_policy="Foreground"))
    assert marked["metadata"].pop("deletionTimestamp")
    assert marked["metadata"] == {"name": "n", "finalizers": ["foregroundDeletion"]}
    assert marked["status"] == {"phase": "Terminating"}


@pytest.mark.parametrize("orphans, finalizer", [(True, "orphan"), (False, "foregroundDeletion")])
def test_a_namespace_that_is_not_to_orphan_anything_waits_for_all(orphans, finalizer):
    strategy = NamespaceStrategy(namespaced=False)
    live = {"metadata": {"name": "n", "finalizers": ["orphan"]}, "spec": {"finalizers": ["kubernetes"]}}
    options = deletion.Options(orphan_dependents=orphans, propagation_policy="Background")
    assert strategy.mark(live, options)["metadata"]["finalizers"] == [finalizer]


_NEITHER = "name is neither a standard finalizer name nor is it fully qualified"


def test_the_finalizers_of_a_namespace_have_names_with_a_domain():
    obj = {"metadata": {"name": "n"}, "spec": {"finalizers": ["nodomain", "x y", "a.io/b"]}}
    found = NamespaceStrategy(namespaced=False).check(obj)
    assert [problem.path for problem in found] == ["spec.finalizers"] * 3
    assert [problem.detail == _NEITHER for problem in found] == [True, False, True]
    found = NamespaceFinalizeStrategy(namespaced=False).check_update(obj, obj)
    assert [problem.path for problem in found] == ["spec.finalizers[0]", "spec.finalizers[1]", "spec.finalizers[1]"]


@pytest.mark.parametrize(
    "strategy, times",
    [
        (ConfigMapStrategy(namespaced=True), 2),
        (LEASES, 0),
        (NamespaceStrategy(namespaced=False), 2),
        (NamespaceStatusStrategy(namespaced=False), 1),
    ],
)
def test_an_update_takes_finalizers_with_a_domain_only(strategy, times):
    metadata = {"name": "a", "namespace": "n", "uid": "u", "resourceVersion": "1"}
    rest = {"spec": {}, "status": {"phase": "Active"}}
    new, old = {"metadata": metadata | {"finalizers": ["nodomain"]}, **rest}, {"metadata": metadata, **rest}
    found = [problem for problem in strategy.validate_update(new, old, []) if problem.detail == _NEITHER]
    assert [problem.path for problem in found] == ["metadata.finalizers[0]"] * times


def test_a_namespace_is_selected_by_its_phase():
    namespaces = next(each for each in DEFINITIONS if each.resource.name == "namespaces")
    assert namespaces.selectable == ("status.phase",)
    assert namespaces.select_fields({"metadata": {"name": "n"}, "status": {"phase": "Active"}}) == {
        "status.phase": "Active"
    }


def test_of_the_secrets_of_a_service_account_only_names_are_kept():
    from quarterdeck.registry.builtin.core.serviceaccount import ServiceAccountStrategy

    strategy = ServiceAccountStrategy(namespaced=True)
    given = [{"name": "a", "kind": "Secret", "namespace": "other"}, {"kind": "Secret"}]
    new = {"metadata": {"name": "x"}, "secrets": given}
    old = {"metadata": {"name": "x"}}
    for prepare in (strategy.prepare_for_create, lambda obj: strategy.prepare_for_update(obj, old)):
        obj = {**new, "metadata": {"name": "x"}}
        prepare(obj)
        assert obj["secrets"] == [{"name": "a"}, {}]


def test_each_version_of_a_group_has_its_place_in_discovery():
    served = {(each.resource.group, each.resource.version) for each in DEFINITIONS}
    assert served - set(priorities.PRIORITIES) == {("apiregistration.k8s.io", "v1")}
