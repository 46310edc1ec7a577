"""What webhooks decided, remembered within bounds."""

from __future__ import annotations

import pytest

from quarterdeck.authorization.authorizer import Decision
from quarterdeck.authorization.webhook import cache
from quarterdeck.authorization.webhook.cache import DecisionCache

YES = Decision(True)


def test_an_entry_lives_as_long_as_it_may(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr(cache.time, "monotonic", lambda: now)
    decisions = DecisionCache()
    decisions.put(b"a", YES, 5.0)
    decisions.put(b"b", YES, 0.0)
    assert (decisions.find(b"a"), decisions.find(b"b")) == (YES, None)
    now = 105.0
    assert decisions.find(b"a") is None


def test_the_least_recently_used_goes_first() -> None:
    decisions = DecisionCache(entries_max=2)
    for key in (b"a", b"b"):
        decisions.put(key, YES, 60.0)
    assert decisions.find(b"a") == YES
    decisions.put(b"c", YES, 60.0)
    assert [decisions.find(key) for key in (b"a", b"b", b"c")] == [YES, None, YES]


def test_all_together_are_no_larger_than_they_may_be() -> None:
    decisions = DecisionCache(bytes_max=100)
    decisions.put(b"a" * 60, YES, 60.0)
    decisions.put(b"b" * 30, Decision(True, "r" * 30), 60.0)
    assert (decisions.find(b"a" * 60), decisions.find(b"b" * 30)) == (None, Decision(True, "r" * 30))
    decisions.put(b"c" * 101, YES, 60.0)
    assert decisions.find(b"c" * 101) is None
