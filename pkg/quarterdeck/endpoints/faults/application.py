"""The application around the application: does to an answer what a rule asks for.

What has been done stays done; an answer that is thrown away is told so (streams end, what is held is freed). A rule
that spoils what has been done passes over answers that say that it has not.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable

from quarterdeck.endpoints import respond, watch_events
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.faults import refusals, streams
from quarterdeck.endpoints.faults.filter import Chosen, Places, vanish
from quarterdeck.faults import actions
from quarterdeck.faults.actions import Moment
from quarterdeck.faults.ruleset import RuleSet
from quarterdeck.transport.messages import Application, Request, Response, Stream


class FaultyApplication:
    def __init__(self, inner: Application, rules: RuleSet, places: Places) -> None:
        self._inner = inner
        self._rules = rules
        self._places = places

    def __call__(self, http: Request) -> Response | Awaitable[Response]:
        if self._rules.is_empty:
            return self._inner(http)
        self._places.open(http)
        answer = self._inner(http)
        if not isinstance(answer, Response):
            return self._finish(http, answer)
        chosen = self._places.close(http)
        return answer if chosen is None else self._spoil(http, chosen, answer)

    async def _finish(self, http: Request, waiting: Awaitable[Response]) -> Response:
        try:
            answer = await waiting
        finally:
            chosen = self._places.close(http)
        if chosen is None:
            return answer
        spoilt = self._spoil(http, chosen, answer)
        return spoilt if isinstance(spoilt, Response) else await spoilt

    def _spoil(self, http: Request, chosen: Chosen, answer: Response) -> Response | Awaitable[Response]:
        rule, request = chosen
        action = rule.action
        is_for = watch_events.is_watch(answer) if isinstance(action, actions.Watch) else answer.status < 300
        if not is_for:
            rule.give_back()
            return answer
        if isinstance(action, actions.Watch):
            return streams.SpoilingStream(answer, rule, action)
        rule.fired += 1
        if isinstance(action, actions.Delay):
            return _delay(request, answer, action.seconds)
        if isinstance(action, actions.Drop) and action.moment == Moment.MIDWAY:
            return streams.break_off(answer, _throw_away(http, answer))
        _throw_away(http, answer)
        return refusals.answer(request, rule, action) if isinstance(action, actions.Error) else _never()


async def _never() -> Response:
    await vanish()
    raise AssertionError


async def _delay(request: RequestContext, answer: Response, seconds: float) -> Response:
    try:
        await asyncio.sleep(seconds)
    except asyncio.CancelledError:
        _throw_away(request.http, answer)
        if not request.http.is_late:
            raise
        return respond.complete(request, respond.late_response(request))
    return answer


def _throw_away(http: Request, answer: Response) -> bytes:
    """What of its body there was."""
    if isinstance(answer, Stream):
        answer.closed()
        return b""
    body = answer.body if isinstance(answer.body, bytes) else b"".join(answer.body)
    on_end, http.on_end = http.on_end, None
    if on_end is not None:
        on_end()
    return body
