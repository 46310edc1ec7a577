"""Questions that only another server can answer, asked by plain code that cannot wait.

Code that decides (an authorizer, an expression) is a plain function. Where it needs an answer that has to be fetched it
raises `Unanswered`; `settle` fetches the answer and calls the function again, which finds it by `answer_to`, until it
comes through. So it has to be a function that can be called again; what needs no answer costs nothing. An answer lives
as long as the `settle` that fetched it: whether anybody else may have it is a matter of whoever gave it.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, Final, TypeVar

from quarterdeck.apimachinery import errors

T = TypeVar("T")

# Each answer costs one more call of the function.
QUESTIONS_MAX: Final = 1000


class Unanswered(Exception):
    """`key` is the same for the same question; `ask` fetches the answer, which is never None."""

    def __init__(self, key: object, ask: Callable[[], Awaitable[object]]) -> None:
        super().__init__("a question has to be answered by another server")
        self.key = key
        self.ask = ask


class Answers:
    """What was fetched for one function."""

    __slots__ = ("_known",)

    def __init__(self) -> None:
        self._known: dict[object, object] = {}

    async def fetch(self, question: Unanswered) -> None:
        """Raises InternalError where there are too many, and what `ask` raises."""
        if len(self._known) >= QUESTIONS_MAX:
            text = f"another server would have to answer more than {QUESTIONS_MAX} questions"
            raise errors.InternalError.of(text) from question
        self._known[question.key] = await question.ask()

    def find(self, key: object) -> object | None:
        return self._known.get(key)


_answers: Final[ContextVar[Answers | None]] = ContextVar("answers", default=None)


def answer_to(key: object) -> Any:
    """None where it has not been fetched."""
    answers = _answers.get()
    return None if answers is None else answers.find(key)


@contextmanager
def remembering() -> Iterator[Answers]:
    """What is fetched within is found within, in threads too that are begun there."""
    answers = Answers()
    token = _answers.set(answers)
    try:
        yield answers
    finally:
        _answers.reset(token)


async def settle(step: Callable[[], T]) -> T:
    """What the function returns; raises what it raises."""
    with remembering() as answers:
        while True:
            try:
                return step()
            except Unanswered as question:
                missing = question
            await answers.fetch(missing)


async def settle_later(step: Callable[[], Awaitable[None] | None]) -> None:
    """Likewise, and what the function hands back to be awaited."""
    waiting = await settle(step)
    if waiting is not None:
        await waiting
