"""Families, their children and the text that is made of them."""

from __future__ import annotations

import pytest

from quarterdeck.metrics import exposition, registry
from quarterdeck.metrics.registry import Registry, read_mapping, read_one


def expose(metrics: Registry) -> list[str]:
    text = b"".join(exposition.format_pieces(metrics)).decode()
    assert text == "" or text.endswith("\n")
    return text.splitlines()


def test_a_counter_is_told_with_its_help_and_labels() -> None:
    metrics = Registry()
    family = metrics.counter("adds_total", "[ALPHA] Adds.\nAll of them.", ("name", "kind"))
    family.labels("naming", "a").inc()
    family.labels("naming", "a").add(2.5)
    family.labels('odd"\\\n', "b").inc()
    assert expose(metrics) == [
        "# HELP adds_total [ALPHA] Adds.\\nAll of them.",
        "# TYPE adds_total counter",
        'adds_total{kind="a",name="naming"} 3.5',
        'adds_total{kind="b",name="odd\\"\\\\\\n"} 1',
    ]


def test_a_histogram_is_told_cumulatively() -> None:
    metrics = Registry()
    child = metrics.histogram("seconds", "Help.", (0.005, 0.1, 1), ("verb",)).labels("GET")
    for value in (0.005, 0.05, 0.05, 7):
        child.observe(value)
    assert expose(metrics)[2:] == [
        'seconds_bucket{verb="GET",le="0.005"} 1',
        'seconds_bucket{verb="GET",le="0.1"} 3',
        'seconds_bucket{verb="GET",le="1"} 3',
        'seconds_bucket{verb="GET",le="+Inf"} 4',
        'seconds_sum{verb="GET"} 7.105',
        'seconds_count{verb="GET"} 4',
    ]


def test_a_histogram_without_labels_has_no_empty_braces() -> None:
    metrics = Registry()
    metrics.histogram("seconds", "Help.", (1,)).labels().observe(0.5)
    assert expose(metrics)[2:] == [
        'seconds_bucket{le="1"} 1',
        'seconds_bucket{le="+Inf"} 1',
        "seconds_sum 0.5",
        "seconds_count 1",
    ]


def test_values_that_are_kept_elsewhere_are_read_at_each_scrape() -> None:
    metrics = Registry()
    depths = {"naming": 3}
    metrics.read_gauge("depth", "Help.", read_mapping(lambda: depths), ("name",))
    metrics.read_gauge("depth", "Help.", read_mapping(lambda: {"garbage": 1}), ("name",))
    metrics.read_counter("seen_total", "Help.", read_one(lambda: 2**40 + 0.5))
    assert 'depth{name="naming"} 3' in expose(metrics)
    depths["naming"] = -1
    assert expose(metrics) == [
        "# HELP depth Help.",
        "# TYPE depth gauge",
        'depth{name="garbage"} 1',
        'depth{name="naming"} -1',
        "# HELP seen_total Help.",
        "# TYPE seen_total counter",
        "seen_total 1099511627776.5",
    ]


def test_families_come_by_name_and_empty_ones_not_at_all() -> None:
    metrics = Registry()
    metrics.gauge("b", "Help.").labels().set(1)
    metrics.counter("c", "Help.", ("x",))
    metrics.gauge("a", "Help.").labels().dec()
    assert [line for line in expose(metrics) if not line.startswith("#")] == ["a -1", "b 1"]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (float("inf"), "+Inf"),
        (float("-inf"), "-Inf"),
        (float("nan"), "NaN"),
        (1e21, "1e+21"),
        (2.0**53, "9007199254740992.0"),
        (0.1, "0.1"),
    ],
)
def test_numbers_are_written_as_prometheus_reads_them(value: float, text: str) -> None:
    metrics = Registry()
    metrics.gauge("a", "Help.").labels().set(value)
    assert expose(metrics)[2] == f"a {text}"


def test_the_same_name_is_the_same_family_and_never_another_kind() -> None:
    metrics = Registry()
    assert metrics.counter("a", "Help.", ("x",)) is metrics.counter("a", "Help.", ("x",))
    with pytest.raises(ValueError, match="registered already"):
        metrics.gauge("a", "Help.", ("x",))
    with pytest.raises(ValueError, match="registered already"):
        metrics.counter("a", "Help.", ("y",))
    with pytest.raises(ValueError, match="registered already"):
        metrics.read_counter("a", "Help.", read_one(lambda: 1), ("x",))


def test_the_wrong_number_of_label_values_is_refused() -> None:
    family = Registry().counter("a", "Help.", ("x",))
    with pytest.raises(ValueError, match="not 2 of them"):
        family.labels("1", "2")


def test_children_are_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "CHILDREN_MAX", 3)
    family = Registry().counter("a", "Help.", ("path",))
    for number in range(100):
        family.labels(f"/{number}").inc()
    assert {values: child.value for values, child in family.children()} == {
        ("/0",): 1,
        ("/1",): 1,
        ("/2",): 1,
        (registry.OTHER,): 97,
    }


def test_a_removed_child_is_told_no_more() -> None:
    metrics = Registry()
    family = metrics.counter("a", "Help.", ("x",))
    held = family.labels("1")
    family.remove(("1",))
    family.remove(("2",))
    held.inc()
    assert expose(metrics) == []


def test_many_series_come_in_pieces_that_join_to_whole_lines() -> None:
    metrics = Registry()
    family = metrics.histogram("seconds", "Help.", (1, 2, 3), ("name",))
    for number in range(2000):
        family.labels(str(number)).observe(number)
    pieces = list(exposition.format_pieces(metrics))
    assert len(pieces) > 3
    assert all(piece.endswith(b"\n") for piece in pieces)
    assert b"".join(pieces).count(b"# TYPE") == 1


@pytest.mark.parametrize(
    ("accept", "escaping"),
    [
        ("", "underscores"),
        ("text/plain;version=0.0.4;escaping=allow-utf-8;q=0.5,*/*;q=0.1", "allow-utf-8"),
        ("text/plain; escaping=dots", "dots"),
        ("text/plain; escaping=other", "underscores"),
    ],
)
def test_the_media_type_tells_how_names_are_escaped(accept: str, escaping: str) -> None:
    told = exposition.content_type(accept)
    assert told == f"text/plain; version=0.0.4; charset=utf-8; escaping={escaping}"
