"""A call that failed is made again, a little later each time."""

from __future__ import annotations

import asyncio
from itertools import pairwise

import pytest

from quarterdeck.webhook import repeating
from quarterdeck.webhook.client import WebhookFailed


@pytest.mark.parametrize(
    ("failures", "may_be_repeated", "calls"), [(0, True, 1), (2, True, 3), (1, False, 1), (9, True, 5)]
)
async def test_a_call_is_repeated_at_most_four_times(failures: int, may_be_repeated: bool, calls: int) -> None:
    loop = asyncio.get_running_loop()
    times: list[float] = []

    async def ask() -> str:
        times.append(loop.time())
        if len(times) <= failures:
            raise WebhookFailed(f"{len(times)}", may_be_repeated=may_be_repeated)
        return "answered"

    try:
        assert await repeating.call(ask) == "answered"
    except WebhookFailed as failure:
        assert failure.text == str(calls)
    assert len(times) == calls
    delays = [later - earlier for earlier, later in pairwise(times)]
    for step, delay in enumerate(delays):
        least = 0.5 * 1.5**step
        assert least <= delay <= least * 1.2 + 0.01
