"""Warnings as headers: quoted, once each, and cut where they hold too much."""

import unicodedata

from quarterdeck.endpoints import respond


def texts(warnings):
    return [value.removeprefix('299 - "').removesuffix('"') for _, value in respond.format_warnings(warnings)]


def test_a_text_is_quoted_and_told_once():
    assert respond.format_warnings(['a "b" \\', 'a "b" \\', "", "é"]) == [
        ("Warning", '299 - "a \\"b\\" \\\\"'),
        ("Warning", '299 - "é"'),
    ]


def test_what_is_no_header_is_left_out():
    assert texts(["a\tb", "c", "\x7f", "\ud800"]) == ["c"]


def test_4096_characters_fit():
    assert texts(["a" * 4000, "b" * 96]) == ["a" * 4000, "b" * 96]


def test_beyond_that_each_text_is_cut():
    assert texts(["a" * 4000, "b" * 97, "c" * 300]) == ["a" * 256, "b" * 97, "c" * 256]


def test_and_then_as_many_as_fit_are_told():
    found = texts([f"{number:03} {'x' * 300}" for number in range(40)])
    assert len(found) == 16
    assert {len(text) for text in found} == {256}
    assert len(texts([f"{number:04}" for number in range(2000)])) == 1025


def test_texts_that_cannot_be_told_any_more_are_not_looked_at(monkeypatch):
    looks = 0
    category = unicodedata.category

    def count(char):
        nonlocal looks
        looks += 1
        return category(char)

    monkeypatch.setattr(unicodedata, "category", count)
    assert len(texts([f"unknown field number {number:06}" for number in range(100_000)])) < 200
    assert looks < 20_000
