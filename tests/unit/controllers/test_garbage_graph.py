"""The graph of owners: edges in step with references, records that go with their last dependent."""

from __future__ import annotations

from quarterdeck.controllers.garbage.graph import Coordinates, Graph, Node, Reference, build_node, is_at


def refer(uid: str, *, blocks: bool = False) -> Reference:
    return Reference(uid, "v1", "ConfigMap", f"name-{uid}", blocks)


def node(uid: str, *references: Reference, is_foreground: bool = False) -> Node:
    return Node(uid, "/registry/core/configmaps/", "ns", f"name-{uid}", references, is_foreground, is_foreground)


def test_an_object_without_owners_takes_no_place() -> None:
    graph = Graph()
    graph.put(node("a"))
    assert not graph.nodes and not graph.owners


def test_dependents_are_found_by_their_owner() -> None:
    graph = Graph()
    graph.put(node("b", refer("a")))
    graph.put(node("c", refer("a"), refer("b")))
    assert graph.dependents_of("a") == ["b", "c"]
    assert graph.dependents_of("b") == ["c"]
    assert graph.dependents_of("c") == []


def test_only_blocking_dependents_block() -> None:
    graph = Graph()
    graph.put(node("b", refer("a")))
    assert not graph.is_blocked("a")
    graph.put(node("b", refer("a", blocks=True)))
    assert graph.is_blocked("a")
    graph.put(node("b", refer("a")))
    assert not graph.is_blocked("a")


def test_a_changed_reference_moves_the_edge() -> None:
    graph = Graph()
    graph.put(node("c", refer("a")))
    old = graph.put(node("c", refer("b")))
    assert old is not None and old.references == (refer("a"),)
    assert "a" not in graph.owners
    assert graph.dependents_of("b") == ["c"]


def test_the_last_dependent_takes_the_owners_record_along() -> None:
    graph = Graph()
    graph.put(node("b", refer("a", blocks=True)))
    assert graph.remove("b") is not None
    assert not graph.nodes and not graph.owners
    assert graph.remove("b") is None


def test_a_deleted_owner_stays_known_while_somebody_refers_to_it() -> None:
    graph = Graph()
    graph.put(node("b", refer("a")))
    graph.owners["a"].gone = Coordinates(frozenset(("v1",)), "ConfigMap", "ns", "name-a")
    graph.put(node("c", refer("a")))
    assert graph.owners["a"].gone is not None
    graph.remove("b")
    graph.remove("c")
    assert not graph.owners


def test_finalizers_count_only_under_deletion() -> None:
    metadata = {"uid": "a", "finalizers": ["orphan", "foregroundDeletion"]}
    kept = build_node("p", "ns", "a", metadata)
    assert not kept.is_foreground and not kept.is_orphaning and not kept.is_needed
    going = build_node("p", "ns", "a", {**metadata, "deletionTimestamp": "2026-01-01T00:00:00Z"})
    assert going.is_foreground and going.is_orphaning and going.is_needed


def test_an_owner_in_another_namespace_is_another_object() -> None:
    reference = Reference("a", "apps/v1", "Deployment", "web", False)
    served = frozenset(("apps/v1beta1", "apps/v1"))
    assert is_at(reference, Coordinates(served, "Deployment", "ns", "web"), "ns")
    assert is_at(reference, Coordinates(served, "Deployment", "", "web"), "ns")
    assert not is_at(reference, Coordinates(served, "Deployment", "other", "web"), "ns")
    assert not is_at(reference, Coordinates(frozenset(("apps/v1beta1",)), "Deployment", "ns", "web"), "ns")
    assert not is_at(reference, Coordinates(frozenset(("v1",)), "Deployment", "ns", "web"), "ns")
