"""A request's objects in the versions that policies name.

Judging is plain code that runs from its start again: what has to be awaited first (a conversion, a decision of an
authorizer elsewhere) is asked for by an exception, and what takes long is done once more in a thread.
Source: apiserver/pkg/admission/conversion.go.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, TypeVar

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.policy.evaluation import Meter, TooLong
from quarterdeck.admission.webhooks import versioned
from quarterdeck.apimachinery import errors, questions
from quarterdeck.apimachinery.questions import Unanswered
from quarterdeck.apis.resource import GroupVersionKind

Object = dict[str, Any]
T = TypeVar("T")


class NotConverted(Exception):
    """The objects are not at hand in this version."""

    def __init__(self, kind: GroupVersionKind) -> None:
        super().__init__(kind)
        self.kind = kind


class Unconvertible(Exception):
    """The objects cannot be had in a version; the text says why."""


class Versions:
    def __init__(self, attributes: Attributes) -> None:
        self._attributes = attributes
        self._known = {attributes.kind: (attributes.obj, attributes.old)}
        self._failures: dict[GroupVersionKind, str] = {}

    def objects(self, kind: GroupVersionKind) -> tuple[Object | None, Object | None]:
        """Raises NotConverted, Unconvertible."""
        found = self._known.get(kind)
        if found is not None:
            return found
        if kind in self._failures:
            raise Unconvertible(self._failures[kind])
        raise NotConverted(kind)

    async def convert(self, kind: GroupVersionKind) -> None:
        try:
            made = await versioned.see(self._attributes, kind)
        except errors.APIStatus as error:  # the policies that ask for this version are told, each on its own
            self._failures[kind] = error.message
        else:
            self._known[kind] = (made.obj, made.old)


Judge = Callable[[Versions, Meter], T]


def judge_now(judge: Judge[T], versions: Versions) -> T | None:
    """None where it cannot be done at once."""
    try:
        return judge(versions, Meter(is_inline=True))
    except (NotConverted, TooLong, Unanswered):
        return None


async def judge_later(judge: Judge[T], versions: Versions) -> T:
    with questions.remembering() as answers:
        while True:
            try:
                return await asyncio.to_thread(judge, versions, Meter(is_inline=False))
            except (NotConverted, Unanswered) as error:
                missing = error
            if isinstance(missing, NotConverted):
                await versions.convert(missing.kind)
            else:
                await answers.fetch(missing)


async def finish_later(judge: Judge[T], versions: Versions, finish: Callable[[T], Awaitable[None] | None]) -> None:
    waiting = finish(await judge_later(judge, versions))
    if waiting is not None:
        await waiting
