"""UUIDs: as Python's uuid writes them, and each another one."""

from __future__ import annotations

import uuid

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck._kernels import uids
from quarterdeck.apimachinery import meta


@given(st.binary(min_size=16, max_size=16))
def test_a_uid_is_a_random_uuid(random: bytes) -> None:
    assert uids.format_uid(random) == str(uuid.UUID(bytes=random, version=4))


@pytest.mark.parametrize("count", [0, 15, 17])
def test_a_uid_takes_sixteen_bytes(count: int) -> None:
    with pytest.raises(ValueError, match="16 bytes"):
        uids.format_uid(bytes(count))


def test_uids_differ() -> None:
    assert len({meta.new_uid() for _ in range(1000)}) == 1000


def test_ids_of_requests_are_uuids_and_differ() -> None:
    found = [uids.new_request_id() for _ in range(1000)]  # more than are fetched at once
    assert len(set(found)) == 1000
    assert all(uuid.UUID(each).version == 4 and str(uuid.UUID(each)) == each for each in found)
