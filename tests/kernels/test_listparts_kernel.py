"""The parts of a list, joined as Python joins them."""

import pytest

from quarterdeck._kernels import listparts


@pytest.mark.parametrize("cut", [0, 3])
@pytest.mark.parametrize(("begin", "end"), [(0, 3), (0, 9), (1, 2), (2, 2), (3, 9)])
def test_parts_are_joined_as_python_joins_them(cut: int, begin: int, end: int) -> None:
    parts = [b"{ab", b'{ab"c":1}', b"{abcd"]
    shown = [b"{" + part[cut:] if cut else part for part in parts[begin:end]]
    assert listparts.join_parts(parts, begin, end, cut, b"[", b"]") == b"[" + b",".join(shown) + b"]"


def test_a_part_that_is_too_short_is_not_joined() -> None:
    with pytest.raises(ValueError, match="shorter"):
        listparts.join_parts([b"{abc", b"{"], 0, 2, 3, b"", b"")
