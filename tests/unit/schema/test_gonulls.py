"""Empty lists that a stored object has no more."""

from __future__ import annotations

from quarterdeck.schema import gonulls, gotypes


def test_empty_lists_that_are_always_written_are_null_once_stored() -> None:
    nulls = gonulls.find(gotypes.struct_of("storage.k8s.io/v1", "CSINode"))
    full = {"spec": {"drivers": [{"name": "a", "topologyKeys": ["k"]}]}}
    assert gonulls.put_nulls(full, nulls) is full
    assert gonulls.put_nulls({"spec": {"drivers": []}}, nulls) == {"spec": {"drivers": None}}
    mixed = {"spec": {"drivers": [{"name": "a", "topologyKeys": []}, *full["spec"]["drivers"]]}}
    made = gonulls.put_nulls(mixed, nulls)
    assert made["spec"]["drivers"] == [{"name": "a", "topologyKeys": None}, *full["spec"]["drivers"]]
    assert mixed["spec"]["drivers"][0]["topologyKeys"] == []  # the object that was sent stays
