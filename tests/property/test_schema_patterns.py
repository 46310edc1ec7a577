"""Automata match what RE2 matches: for random patterns and texts, and for the patterns of real CRDs."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from quarterdeck.apimachinery import automata, patterns
from support import data

ATOMS = (
    *("a", "b", "c", ".", "\\.", "-", "[a-c]", "[^a]", "[a-]", "[\\w.-]", "\\d", "\\D", "\\w", "\\W", "\\s", "(?:ab)"),
    *("(a|b)", "(a|)", "^", "$", "(^a|b$)", "(?i:Ab)", "é", "[é-ü]", "[[:alpha:]]", "[^[:space:]]", "\\x41", "\\/"),
    *("_", "@", "0", "a*", "(b*)*", "{"),
)
SUFFIXES = ("", "", "", "*", "+", "?", "{2}", "{1,}", "{0,3}", "*?", "+?", "**", "{2}{2}", "{1001}")
TEXT = "abcABk019._-/@ \n\té[]"
relaxed = settings(max_examples=2500, deadline=None, suppress_health_check=list(HealthCheck))


def random_pattern(rng: random.Random) -> str:
    parts = [rng.choice(ATOMS) + rng.choice(SUFFIXES) for _ in range(rng.randint(0, 5))]
    pattern = "".join(parts)
    if rng.random() < 0.2:
        pattern += "|" + rng.choice(ATOMS)
    if rng.random() < 0.1:
        pattern = "(?i)" + pattern
    return "^" + pattern + "$" if rng.random() < 0.4 else pattern


def random_text(rng: random.Random) -> str:
    return "".join(rng.choice(TEXT) for _ in range(rng.randint(0, 8)))


def check(pattern: str, texts: list[str]) -> None:
    table = automata.build(pattern)
    if table is None:
        return
    compiled = patterns.compile_pattern(pattern)  # what is built is a pattern
    matcher = patterns.kernel.Matcher(pattern, patterns._match_of, patterns.table_of, patterns.anywhere(), 1)
    matcher.search("")
    for text in texts:
        assert matcher.search(text) == patterns.search(compiled, text), (pattern, text)


@relaxed
@given(st.integers(0, 2**48))
def test_random_patterns(seed: int) -> None:
    rng = random.Random(seed)
    check(random_pattern(rng), [random_text(rng) for _ in range(20)])


def patterns_of(value: Any) -> set[str]:
    found, stack = set(), [value]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if isinstance(item.get("pattern"), str):
                found.add(item["pattern"])
            stack.extend(item.values())
        elif isinstance(item, list):
            stack.extend(item)
    return found


def test_patterns_of_real_definitions() -> None:
    corpus = data.find("corpus")
    if corpus is None:
        pytest.skip("the corpus is not here")
    found: set[str] = set()
    for path in sorted(corpus.glob("*/crds.json.gz")):
        with gzip.open(path) as file:
            found |= patterns_of(json.load(file))
    rng = random.Random(1)
    words = ["example.com", "1.2.3.4", "10Gi", "5m30s", "a-b", "A_B", "http://x/y", "*.a.b", "100%", "1h", "Always"]
    for pattern in sorted(found):
        check(
            pattern,
            [random_text(rng) for _ in range(50)] + [rng.choice(words) + random_text(rng)[:2] for _ in range(50)],
        )
    built = sum(automata.build(pattern) is not None for pattern in found)
    assert built > 0.95 * len(found)


@pytest.mark.parametrize("pattern", ["(?<!a)b", "\\bword\\b", "\\pL+", "a{2}{3}", "a**", "[z-a]", "(", "(a{50}){50}"])
def test_what_is_not_understood_is_left_to_re2(pattern: str) -> None:
    assert automata.build(pattern) is None
