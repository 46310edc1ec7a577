"""The comparison of the two forms: quiet where they agree, loud where they do not."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from itertools import cycle

import pytest

from fuzz import compare_forms, leveling


class Scripted:
    """Gives the answers of one run after the other, from the beginning again after the last."""

    def __init__(self, *runs: Sequence[object]) -> None:
        self._runs: Iterator[Sequence[object]] = cycle(runs)

    def ask(self, seed: int) -> None:
        pass

    def answers(self) -> list[str]:
        return [json.dumps([7, number, "GET /", [200, [], told]]) for number, told in enumerate(next(self._runs))]


def test_forms_that_agree_are_not_told_of():
    assert compare_forms.differences([Scripted("ab"), Scripted("ab")], 7) == []


def test_a_difference_is_told_of_with_its_request():
    (told,) = compare_forms.differences([Scripted("ab"), Scripted("ac")], 7)
    assert told == "--seed 7, request 1: GET /\n  [200, [], 'b']\n  [200, [], 'c']"


def test_an_answer_that_is_missing_is_a_difference():
    (told,) = compare_forms.differences([Scripted("ab"), Scripted("a")], 7)
    assert told.endswith("no answer")


def test_what_differs_from_run_to_run_is_no_difference():
    assert compare_forms.differences([Scripted("ab", "ac"), Scripted("ac", "ac", "ab")], 7) == []


def test_what_differs_from_run_to_run_hides_no_difference_beside_it():
    (told,) = compare_forms.differences([Scripted("ab", "ac"), Scripted("xc", "xb")], 7)
    assert "request 0" in told


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b'{"resourceVersion":"9"}', b'{"resourceVersion":"12"}'),
        (rb'"{\"resourceVersion\":\"9\"}"', rb'"{\"resourceVersion\":\"12\"}"'),
        (b"resourceVersion: '9'\n", b"resourceVersion: '12'\n"),
        (b"\x0a\x09\x12\x03128\x1a\x00", b"\x0a\x09\x12\x03133\x1a\x00"),
        (b'"clusterIPs":["10.0.0.9"]', b'"clusterIPs":["10.0.0.124"]'),
        (b'"nodePort":30001}', b'"nodePort":32767}'),
        (b"type 'selfType123.a'", b"type 'selfType9.a'"),
        (b'"name":"a-bcdfg"', b'"name":"a-zzzzz"'),
        (b'"2026-11-22T21:08:00Z"', b'"2026-11-22T21:08:01Z"'),
    ],
)  # fmt: skip
def test_chance_is_taken_out(first: bytes, second: bytes):
    assert leveling.level(first) == leveling.level(second)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (b'{"resourceVersion":"9"}', b'{"resourceVersion":""}'),
        (b'{"resourceVersion":"9"}', b'{"resourceVersion":9}'),
        (b'"port":30001', b'"port":30002'),
        (b'"clusterIP":"10.0.0.9"', b'"clusterIP":"None"'),
        (b'"generation":1', b'"generation":2'),
    ],
)
def test_the_rest_stays(first: bytes, second: bytes):
    assert leveling.level(first) != leveling.level(second)
