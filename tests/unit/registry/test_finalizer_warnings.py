"""Finalizers of custom resources without a domain."""

from quarterdeck.registry.customresource.strategy import warn_of_finalizers


def test_new_names_are_told_in_order():
    warnings: list[str] = []
    warn_of_finalizers(["z", "orphan", "a.io/x", "a", "z", "old"], ["old"], warnings)
    assert [text.split(": ")[:2] for text in warnings] == [
        ["metadata.finalizers", '"a"'],
        ["metadata.finalizers", '"z"'],
    ]
