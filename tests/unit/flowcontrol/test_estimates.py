"""How many seats a list or a write takes."""

from __future__ import annotations

import pytest

from quarterdeck.flowcontrol.estimates import Watches, estimate_list, estimate_write, is_counted, name_of
from quarterdeck.flowcontrol.work import Work

STORED = {"resourceVersion": ["7"], "resourceVersionMatch": ["Exact"]}


@pytest.mark.parametrize(
    ("verb", "query", "name", "stats", "expected"),
    [
        ("list", {}, "", (100, 1000), 1),
        ("list", {}, "", (250, 1000), 3),
        ("list", {}, "", (1_000_000, 1000), 10),  # from the cache, in pieces
        ("list", STORED, "", (2000, 1000), 20),
        ("list", STORED, "", (1_000_000, 1000), 100),
        ("list", {**STORED, "limit": ["500"]}, "", (1_000_000, 1000), 5),
        ("list", {**STORED, "limit": ["500"], "labelSelector": ["a=b"]}, "", (4000, 1000), 20),
        ("list", {"limit": ["500"]}, "", (1_000_000, 1000), 5),
        ("list", {"limit": ["500"], "continue": ["t"]}, "", (1_000_000, 10_000), 50),
        ("list", {"limit": ["x"]}, "", (1, 1), 100),
        ("list", {}, "one", (1_000_000, 1000), 1),
        ("list", {}, "", None, 1),
        ("list", {}, "", (0, 0), 1),
        ("watch", {}, "", (1_000_000, 1000), 10),
        ("watch", {"resourceVersion": ["0"]}, "", (1_000_000, 1000), 10),
        ("watch", {"resourceVersion": ["7"]}, "", (1_000_000, 1000), 1),
        ("watch", {"resourceVersion": ["7"], "sendInitialEvents": ["true"]}, "", (1_000_000, 1000), 10),
    ],
)
def test_a_list_takes_a_seat_for_each_100_kb_that_it_holds(
    verb: str, query: dict[str, list[str]], name: str, stats: tuple[int, int] | None, expected: int
) -> None:
    assert estimate_list(verb, query, name, stats, 0).width == expected


def test_no_list_is_wider_than_its_level_allows() -> None:
    assert estimate_list("list", STORED, "", (1_000_000, 1000), 8).width == 8


def test_a_write_takes_a_seat_for_each_ten_watches_when_it_is_done() -> None:
    assert estimate_write(9, 0) == Work(1, is_write=True)
    assert estimate_write(10, 0) == Work(1, 1, 0.005, is_write=True)
    assert estimate_write(45, 0) == Work(1, 5, 0.005, is_write=True)
    wide = estimate_write(1000, 0)  # 100 seats for 5 ms are 10 seats for 50
    assert (wide.final_seats, wide.latency_s) == (10, pytest.approx(0.05))


def test_watches_of_an_object_are_those_of_all_of_its_namespace_and_of_itself() -> None:
    watches = Watches()
    for key in (("", "pods", "", ""), ("", "pods", "n", ""), ("", "pods", "n", "a"), ("", "pods", "m", "")):
        watches.add(*key)
    assert watches.count("", "pods", "n", "a") == 3
    assert watches.count("", "pods", "n", "b") == 2
    assert watches.count("", "pods", "m", "") == 2
    watches.remove("", "pods", "n", "")
    assert watches.count("", "pods", "n", "b") == 1


def test_a_watch_of_one_nodes_pods_meets_few_writes() -> None:
    assert not is_counted("pods", "spec.nodeName=a")
    assert is_counted("pods", "status.phase=Running")
    assert is_counted("pods", "spec.nodeName=")
    assert is_counted("nodes", "spec.nodeName=a")


def test_a_field_selector_may_ask_for_one_name() -> None:
    assert name_of("metadata.name=a") == "a"
    assert name_of("metadata.namespace=n,metadata.name==a") == "a"
    assert name_of("spec.metadata.name=a") == ""
    assert name_of("") == ""
