"""The approval annotation of definitions in Kubernetes' own groups."""

from __future__ import annotations

import pytest

from quarterdeck.apiextensions.approval import approval_state


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("", "missing"),
        ("unapproved, for a test", "bypassed"),
        ("https://github.com/kubernetes/kubernetes/pull/78458", "approved"),
        ("yes", "invalid"),
        ("http://[", "invalid"),
        ("https://user@/x", "invalid"),
        ("https://user@a/x", "approved"),
        ("http://a b", "invalid"),
        ("https://x/%zz", "invalid"),
        ("http://x:y/", "invalid"),
        ("https://a/\x7f", "invalid"),
        ("  https://a/", "invalid"),
        ("//x/y", "invalid"),
        ("http:///x", "invalid"),
        ("https://github.com/x y", "approved"),
    ],
)
def test_reason_of_a_value(value: str, reason: str) -> None:
    assert approval_state(value)[0] == reason


def test_a_quoted_value_is_escaped() -> None:
    assert approval_state('unapproved "x"\n')[1] == 'not approved: "unapproved \\"x\\"\\n"'
