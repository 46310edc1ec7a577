"""Names and values of queries, against what urllib makes of one pair."""

import random
import re
from urllib.parse import unquote_plus

import pytest

from quarterdeck._kernels import query

PIECES = ["a", "+", "%", "%4", "%41", "%c3%a9", "%C3", "%ff", "%2B", "%zz", "%00", "\u00e9", "=", "%25", "%e2%82"]


def read_pair(pair: str, errors: str) -> dict[str, list[str]]:
    if not pair or re.search("%(?![0-9A-Fa-f]{2})", pair):
        return {}
    name, _, value = pair.partition("=")
    return {unquote_plus(name, errors=errors): [unquote_plus(value, errors=errors)]}


@pytest.mark.parametrize(("keeps_bytes", "errors"), [(False, "replace"), (True, "surrogateescape")])
def test_a_pair_is_unquoted_as_python_does_it(keeps_bytes: bool, errors: str) -> None:
    generator = random.Random(1)
    for _ in range(5000):
        pair = "".join(generator.choices(PIECES, k=generator.randrange(8)))
        assert query.parse_query(pair, keeps_bytes=keeps_bytes) == read_pair(pair, errors), pair
