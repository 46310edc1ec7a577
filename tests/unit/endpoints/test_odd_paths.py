"""Paths with slashes and escapes where nobody expects them: what is authorized is what is served."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.user import ANONYMOUS
from quarterdeck.endpoints.filters.authorization import attributes_of, forbidden
from quarterdeck.endpoints.request_info import build_request_info


@pytest.mark.parametrize(
    ("path", "decoded"),
    [("/readyz%2Fping", "/readyz/ping"), ("/%61pis", "/apis"), ("/a%ff", "/a\ufffd"), ("/a%252Fb", "/a%2Fb")],
)
def test_a_path_is_authorized_as_it_is_served(path: str, decoded: str) -> None:
    info = build_request_info("GET", path, "")
    assert (info.path, attributes_of(info, "").path) == (decoded, decoded)


def test_two_slashes_or_none_at_the_beginning_name_a_resource_that_nobody_serves() -> None:
    for path in ("//api/v1/namespaces/a/pods/b", "/%2Fapi/v1/namespaces/a/pods/b"):
        address = build_request_info("DELETE", path, "").address
        assert address.is_nowhere
        assert (address.namespace, address.resource, address.name) == ("a", "pods", "b")
    for path in ("//version", "", "*"):
        assert build_request_info("GET", path, "").address.is_nowhere
    assert not build_request_info("GET", "/api/v1//namespaces", "").address.is_nowhere


def test_a_refusal_of_no_resource_in_a_group_names_the_group() -> None:
    asked = attributes_of(build_request_info("GET", "/apis/apps/v1//deployments", ""), "")
    assert forbidden(ANONYMOUS, asked, "").message.startswith('.apps "deployments" is forbidden: User ')
