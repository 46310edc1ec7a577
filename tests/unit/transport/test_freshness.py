"""Whether a client has a document already, by its tag or by its time."""

from __future__ import annotations

from typing import cast

import pytest

from quarterdeck.transport import freshness
from quarterdeck.transport.messages import Request

CHANGED_S = 1_000_000_000.7  # Sun, 09 Sep 2001 01:46:40 GMT


class FakeRequest:
    def __init__(self, method: str, **headers: str) -> None:
        self.method = method
        self.headers = {name.replace("_", "-"): value for name, value in headers.items()}


def judge(etag: str = '"a"', method: str = "GET", **headers: str) -> int:
    return freshness.judge(cast(Request, FakeRequest(method, **headers)), etag, CHANGED_S)


def is_fresh(etag: str = '"a"', method: str = "GET", **headers: str) -> bool:
    return judge(etag, method, **headers) == 304


@pytest.mark.parametrize(
    ("since", "fresh"),
    [
        (freshness.http_time(CHANGED_S), True),
        ("Sun, 09 Sep 2001 01:46:39 GMT", False),
        ("Sunday, 09-Sep-01 01:46:40 GMT", True),
        ("Sun Sep  9 01:46:40 2001", True),
        ("Thu, 01 Jan 2099 00:00:00 GMT", True),
        ("Thu, 01 Jan 2099 00:00:00 CET", False),
        ("", False),
        ("yesterday", False),
    ],
)
def test_a_document_that_has_not_changed_since_is_fresh(since: str, fresh: bool) -> None:
    assert is_fresh(if_modified_since=since) is fresh
    assert is_fresh(if_modified_since=since, method="HEAD") is fresh
    assert not is_fresh(if_modified_since=since, method="POST")


def test_a_tag_counts_before_the_time() -> None:
    later = "Thu, 01 Jan 2099 00:00:00 GMT"
    assert not is_fresh(if_none_match='"b"', if_modified_since=later)
    assert is_fresh(if_none_match='"a"', if_modified_since="yesterday")
    assert is_fresh(etag="", if_none_match="*")
    assert not is_fresh(etag="", if_none_match='"a"')
    assert is_fresh(if_none_match="", if_modified_since=later)


@pytest.mark.parametrize("method", ["GET", "HEAD", "POST"])
def test_a_document_that_has_to_be_another_is_not_given(method: str) -> None:
    before, later = "Sun, 09 Sep 2001 01:46:39 GMT", freshness.http_time(CHANGED_S)
    assert judge(method=method, if_match='"b"') == judge(method=method, if_match='W/"a", "b"') == 412
    assert judge(method=method, if_match='W/"b", "a"') == judge(method=method, if_match="*") == 0
    assert judge(method=method, if_unmodified_since=before) == 412
    assert judge(method=method, if_unmodified_since=later) == judge(method=method, if_unmodified_since="x") == 0
    assert judge(method=method, if_match='"a"', if_unmodified_since=before) == 0
    assert judge("", method, if_match='"a"') == 412


def test_who_writes_a_document_that_it_has_is_refused() -> None:
    assert judge(method="POST", if_none_match='"a"') == judge(method="PUT", if_none_match="*") == 412
