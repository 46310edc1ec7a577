"""What is wrong with an object becomes the answer. Source: apimachinery/pkg/api/errors/errors.go (NewInvalid)."""

from __future__ import annotations

import asyncio
from typing import Final

from quarterdeck.apimachinery import errors, meta, offload
from quarterdeck.registry.strategy import Object, Problems

# More of them, or longer values, are worded beside the event loop.
_MANY: Final = 500
_LONG_CHARS: Final = 64 * 1024


async def refuse(obj: Object, problems: Problems, group: str | None, kind: str) -> None:
    """Raises Invalid where there are problems. Upstream names the kind that the object itself claims; `group` and
    `kind` where they are given, or it claims none."""
    # Rules that take long run in a thread, so that they hold up nobody but their own request.
    found = problems if isinstance(problems, list) else await asyncio.to_thread(problems)
    if found:
        if group is None:
            group, _ = meta.split_api_version(obj.get("apiVersion") or "")
        kind, name = obj.get("kind") or kind, obj["metadata"].get("name", "")
        if len(found) > _MANY or any(
            isinstance(each.bad_value, str) and len(each.bad_value) > _LONG_CHARS for each in found
        ):
            raise await offload.run(errors.Invalid.of, group, kind, name, found)
        raise errors.Invalid.of(group, kind, name, found)
