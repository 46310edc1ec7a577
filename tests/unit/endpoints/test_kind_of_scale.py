"""What a Scale of a custom resource says that it is."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.endpoints.handlers import scale_kind
from quarterdeck.schema.goscalar import DecodeError

V1 = "autoscaling/v1"


@pytest.mark.parametrize(
    ("told", "is_named"),
    [
        ({"apiVersion": V1, "kind": "Scale"}, True),
        ({"apiVersion": V1}, True),
        ({"apiVersion": V1, "kind": ""}, True),
        ({"apiVersion": V1, "kind": None}, True),
        ({"kind": "Scale"}, False),
        ({"apiVersion": "", "kind": "Scale"}, False),
        ({}, False),
        (None, False),
    ],
)
def test_its_version_alone_decides_whether_somebody_comes_to_own_its_fields(told: Any, is_named: bool) -> None:
    assert scale_kind.check(told) == (is_named, False)


@pytest.mark.parametrize(
    "told", [{"apiVersion": V1, "kind": "Foo"}, {"apiVersion": "v1"}, {"apiVersion": "apps/v1beta1"}]
)
def test_what_is_no_scale_is_refused(told: Any) -> None:
    with pytest.raises(DecodeError):
        scale_kind.check(told)
