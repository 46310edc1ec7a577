"""A call of a webhook that is repeated, a little later each time, where the same question may get another answer.

Source: apiserver/pkg/util/webhook/webhook.go (WithExponentialBackoff, DefaultRetryBackoffWithInitialDelay).
"""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from typing import Final, TypeVar

from quarterdeck.webhook.client import WebhookFailed

T = TypeVar("T")
STEPS: Final = 5
DELAY_S: Final = 0.5
_FACTOR: Final = 1.5
_JITTER: Final = 0.2


async def call(ask: Callable[[], Awaitable[T]], delay_s: float = DELAY_S) -> T:
    """At most five calls. Raises WebhookFailed: the last one."""
    for step in range(1, STEPS + 1):
        try:
            return await ask()
        except WebhookFailed as failure:
            if not failure.may_be_repeated or step == STEPS:
                raise
        await asyncio.sleep(delay_s * (1 + _JITTER * random.random()))
        delay_s *= _FACTOR
    raise AssertionError("the last step returns or raises")
