"""The judge of the crash tests catches what it is there to catch: one planted fault a test."""

from __future__ import annotations

from support.durability import History


def history_of_one(value: bytes | None = b"new") -> History:
    """/a was acknowledged as b"old" at 101; then a write of `value` began."""
    history = History()
    history.begin("/a", b"old")
    history.acknowledge("/a", 101)
    history.begin("/a", value)
    return history


def test_an_unknown_write_may_have_happened_or_not() -> None:
    assert history_of_one().check({"/a": (b"old", 101)}, 101) == []
    assert history_of_one().check({"/a": (b"new", 102)}, 102) == []
    assert history_of_one(None).check({}, 102) == []


def test_a_lost_object_is_found() -> None:
    assert history_of_one().check({}, 101)


def test_a_lost_update_is_found() -> None:
    history = history_of_one()
    history.acknowledge("/a", 102)
    assert history.check({"/a": (b"old", 101)}, 102)


def test_a_lost_deletion_is_found() -> None:
    history = history_of_one(None)
    history.acknowledge("/a", 102)
    assert history.check({"/a": (b"old", 101)}, 102)


def test_a_partial_object_is_found() -> None:
    assert history_of_one().check({"/a": (b"ne", 102)}, 102)


def test_a_refused_write_that_happened_is_found() -> None:
    history = history_of_one()
    history.refuse("/a")
    assert history.check({"/a": (b"new", 102)}, 102)


def test_an_object_that_nobody_wrote_is_found() -> None:
    assert history_of_one().check({"/a": (b"old", 101), "/b": (b"x", 102)}, 102)


def test_an_acknowledged_write_at_another_revision_is_found() -> None:
    assert history_of_one().check({"/a": (b"old", 103)}, 103)


def test_a_falling_revision_is_found() -> None:
    assert history_of_one().check({"/a": (b"old", 101)}, 100)
    history = History()
    for key in ("/a", "/b"):
        history.begin(key, b"x")
        history.acknowledge(key, 101)
    assert history.check({"/a": (b"x", 101), "/b": (b"x", 101)}, 101)


def test_an_acknowledgement_that_goes_back_is_found() -> None:
    history = history_of_one()
    history.acknowledge("/a", 101)
    assert history.check({"/a": (b"new", 101)}, 101)


def test_the_next_round_starts_from_what_was_found() -> None:
    history = history_of_one()
    assert history.check({"/a": (b"new", 102)}, 102) == []
    assert history.check({"/a": (b"old", 101)}, 102)
