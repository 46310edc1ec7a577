"""Thousands of owner references: the answer and the work are bounded by the request."""

from __future__ import annotations

from quarterdeck.registry.owners import drop_repeated
from quarterdeck.schema.objectmeta import validate_owner_references


def reference(number: int, **more: object) -> dict[str, object]:
    return {"apiVersion": "v1", "kind": "Pod", "name": f"p{number}", "uid": f"u{number}", **more}


def test_of_many_controllers_a_bounded_text_is_told() -> None:
    references = [reference(number, controller=True) for number in range(800)]
    errors = validate_owner_references(references, "metadata.ownerReferences")
    assert 1 <= len(errors) < 40
    assert "in references for Pod/p0 and Pod/p1" in str(errors[0])
    few = validate_owner_references(references[:10], "metadata.ownerReferences")
    assert len(few) == 9


def test_repeated_owners_are_dropped_in_order() -> None:
    references = [reference(number % 10_000) for number in range(20_000)]
    obj = {"metadata": {"ownerReferences": references}}
    warnings: list[str] = []
    drop_repeated(obj, warnings, is_admitted=False)
    assert obj["metadata"]["ownerReferences"] == references[:10_000]
    assert warnings[0].endswith("duplicate UID(s) observed: " + ", ".join(f"u{n}" for n in range(10_000)))
