"""Finalizers of custom resources without a domain."""

from quarterdeck.registry.customresource.strategy import warn_of_finalizers


def test_new_names_are_told_in_order():
    warnings: list[str] = []
    warn_of_finalizers(["z", "orphan", "a.io/x", "a", "z", "old"], ["old"], warnings)
    assert [text.split(": ")[:2] for text in warnings] == [
        ["metadata.finalizers", '"a"'],
        ["metadata.finalizers", '"z"'],
    ]


def test_a_name_that_looks_like_a_domain_lacks_a_path():
    warnings: list[str] = []
    warn_of_finalizers(["a.io", "b", "a.io/x", "kubernetes", "foregroundDeletion"], [], warnings)
    prefer, avoid = (
        "prefer a domain-qualified finalizer name",
        "to avoid accidental conflicts with other finalizer writers",
    )
    assert warnings == [
        f'metadata.finalizers: "a.io": {prefer} including a path (/) {avoid}',
        f'metadata.finalizers: "b": {prefer} {avoid}',
    ]
