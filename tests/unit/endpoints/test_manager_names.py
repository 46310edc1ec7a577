"""Who a request's writes are put down to."""

from __future__ import annotations

import pytest

from quarterdeck.endpoints.handlers.common import manager_of


@pytest.mark.parametrize(
    ("field_manager", "user_agent", "manager"),
    [
        ("m", "kubectl/v1", "m"),
        ("", "kubectl/v1 (linux)", "kubectl"),
        ("", "a\tb/1", "ab"),
        ("", "/x", "unknown"),
        ("", "x" * 130, "x" * 128),
        ("", "\xc3\xa9x/1", "\u00e9x"),
        ("", "\xe9x/1", "\ufffdx"),
        ("", "\xe2\x80\x8bx/1", "x"),  # a space of no width cannot be seen
        ("", "\xe9" * 130, "\ufffd" * 42),
        ("", "\xe2\x80\x8b/1", "unknown"),
    ],
)
def test_the_user_agents_first_word_is_read_as_utf8_and_cut_by_bytes(
    field_manager: str, user_agent: str, manager: str
) -> None:
    assert manager_of(field_manager, user_agent) == manager
