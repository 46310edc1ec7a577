"""Items within brackets are bounded by the product of both: libyaml looks at every open bracket at each token."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.codec import yaml, yamlbuild

BOUND = 10_000


def nest(depth: int, items: int) -> bytes:
    return b"[" * depth + b"x," * items + b"]" * depth


@pytest.fixture(autouse=True)
def bound(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(yamlbuild, "NESTED_MAX", BOUND)


@pytest.mark.parametrize(("depth", "items"), [(1, BOUND - 10), (10, BOUND // 10 - 20), (130, 0)])
def test_what_is_within_the_bound_is_read(depth: int, items: int) -> None:
    value = yaml.decode(nest(depth, items)).value
    for _ in range(depth - 1):
        (value,) = value
    assert value == ["x"] * items


@pytest.mark.parametrize(("depth", "items"), [(1, BOUND + 10), (10, BOUND // 10 + 20), (142, 0)])
def test_what_is_beyond_it_is_refused(depth: int, items: int) -> None:
    with pytest.raises(yaml.DecodeError, match="too many items are nested too deeply"):
        yaml.decode(nest(depth, items))


def test_brackets_as_deep_as_allowed_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.undo()
    yaml.decode(b"{a: " * (yamlbuild.DEPTH_MAX - 1) + b"}" * (yamlbuild.DEPTH_MAX - 1))
