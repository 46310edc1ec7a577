"""What aliases stand for is bounded in nodes and in bytes."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.codec import yaml, yamlbuild


def refer(text: str, times: int) -> bytes:
    return b"a: &a " + text.encode() + b"\nb: [" + b",".join([b"*a"] * times) + b"]\n"


def test_a_text_that_is_referred_to_often_is_refused() -> None:
    with pytest.raises(yaml.DecodeError, match="document contains excessive aliasing"):
        yaml.decode(refer('"' + "x" * 100_000 + '"', 32))
    assert len(yaml.decode(refer('"' + "x" * 100_000 + '"', 31)).value["b"]) == 31


def test_texts_inside_of_what_is_referred_to_count() -> None:
    with pytest.raises(yaml.DecodeError, match="document contains excessive aliasing"):
        yaml.decode(refer('{k: "' + "x" * 50_000 + '", l: ["' + "x" * 50_000 + '"]}', 32))


def test_references_to_references_count_as_what_they_stand_for() -> None:
    levels = [b'a0: &a0 "' + b"x" * 10_000 + b'"']
    levels += [b"a%d: &a%d [%s]" % (n, n, b",".join([b"*a%d" % (n - 1)] * 8)) for n in range(1, 5)]
    with pytest.raises(yaml.DecodeError, match="document contains excessive aliasing"):
        yaml.decode(b"\n".join(levels))


@pytest.mark.parametrize(("head", "kept"), [("<<:\n", 2000), ("items:\n", 0)])
def test_the_members_of_a_list_of_maps_are_kept_where_they_are_merged(head: str, kept: int) -> None:
    """To free those of a long list took 30 ms at once."""
    builder = yamlbuild.Builder((head + "".join(f"- {{k{number}: v}}\n" for number in range(2000))).encode())
    most = 0
    while not builder.read_events(1):
        most = max([most, *(len(frame.merged) for frame in builder._frames)])
    assert most == kept
    assert len(builder.result().value) == (2000 if kept else 1)
