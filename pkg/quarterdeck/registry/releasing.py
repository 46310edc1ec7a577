"""What a write has reserved is free before its outcome is told.

A module of its own, which stays interpreted: mypyc loses an exception where a `finally` waits (docs/adr/0005).
"""

from __future__ import annotations

from collections.abc import Awaitable

from quarterdeck.registry.writes import WriteContext, WriteResult


async def released(write: Awaitable[WriteResult], context: WriteContext) -> WriteResult:
    """What the write comes to."""
    try:
        return await write
    finally:
        if context.reserved is not None and (releasing := context.release()) is not None:
            await releasing
