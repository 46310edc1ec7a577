"""Plain code that another server has to answer something for."""

from __future__ import annotations

import asyncio

import pytest

from quarterdeck.apimachinery import errors, questions
from quarterdeck.apimachinery.questions import QUESTIONS_MAX, Unanswered


class Server:
    """Answers a number with its double; `asked` are the numbers."""

    def __init__(self) -> None:
        self.asked: list[int] = []

    def double(self, number: int) -> int:
        """As plain code asks it."""
        known: int | None = questions.answer_to((self, number))
        if known is not None:
            return known

        async def ask() -> int:
            self.asked.append(number)
            await asyncio.sleep(0)
            return 2 * number

        raise Unanswered((self, number), ask)


def test_what_needs_several_answers_gets_each_once() -> None:
    server = Server()
    found = asyncio.run(questions.settle(lambda: [server.double(number) for number in (1, 2, 1, 3)]))
    assert found == [2, 4, 2, 6]
    assert server.asked == [1, 2, 3]


def test_an_answer_is_nobody_elses() -> None:
    server = Server()

    async def run() -> None:
        both = [questions.settle(lambda: server.double(1)), questions.settle(lambda: server.double(1))]
        assert await asyncio.gather(*both) == [2, 2]
        with pytest.raises(Unanswered):
            server.double(1)

    asyncio.run(run())
    assert server.asked == [1, 1]


def test_nobody_asks_without_end() -> None:
    server = Server()
    with pytest.raises(errors.InternalError, match="another server would have to answer more than 1000 questions"):
        asyncio.run(questions.settle(lambda: [server.double(number) for number in range(QUESTIONS_MAX + 1)]))
    assert len(server.asked) == QUESTIONS_MAX


def test_a_refusal_goes_through() -> None:
    async def refuse() -> int:
        raise errors.Forbidden("no")

    def step() -> None:
        raise Unanswered("key", refuse)

    with pytest.raises(errors.Forbidden):
        asyncio.run(questions.settle(step))
