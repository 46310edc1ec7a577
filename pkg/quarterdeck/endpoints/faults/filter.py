"""The filter behind all others: finds the rule of a request, and does what comes before the handler.

What comes after it is left for the application around (application.py), which made a place for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any, Final
from urllib.parse import parse_qsl, urlencode

from quarterdeck.apimachinery.codec import json, protobuf, yaml
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.faults import refusals
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.faults import actions
from quarterdeck.faults.actions import Moment
from quarterdeck.faults.rule import Call, Rule
from quarterdeck.faults.ruleset import RuleSet
from quarterdeck.transport.messages import Request, Response

OWN_PATHS: Final = "/quarterdeck/"  # nothing is done to them, or nobody could take a rule back
_READ_AT: Final = ("resourceVersion", "resourceVersionMatch")

Chosen = tuple[Rule, RequestContext]


class Places:
    """Requests under way, for each what is to be done to its answer."""

    def __init__(self) -> None:
        self._chosen: dict[Request, Chosen | None] = {}

    def open(self, http: Request) -> None:
        self._chosen[http] = None

    def put(self, http: Request, chosen: Chosen) -> bool:
        """False: nobody looks at that answer."""
        if http not in self._chosen:
            return False
        self._chosen[http] = chosen
        return True

    def close(self, http: Request) -> Chosen | None:
        return self._chosen.pop(http, None)


class FaultFilter:
    """`revision` tells the newest of the cache."""

    def __init__(self, rules: RuleSet, places: Places, revision: Callable[[], int]) -> None:
        self._rules = rules
        self._places = places
        self._revision = revision

    def __call__(self, request: RequestContext, info: RequestInfo) -> Response | Awaitable[Response | None] | None:
        if self._rules.is_empty or info.path.startswith(OWN_PATHS):
            return None
        call = _call_of(request, info)
        rule = self._rules.choose(call)
        if rule is None:
            return None
        action = rule.action
        if isinstance(action, actions.Stale):
            self._make_stale(request, info, rule, action)
            return None
        if isinstance(action, actions.Watch) or getattr(action, "moment", Moment.BEFORE) != Moment.BEFORE:
            if not self._places.put(request.http, (rule, request)):
                rule.give_back()
            return None
        rule.fired += 1
        if isinstance(action, actions.ClockStep):
            self._rules.step_clock(action.seconds)
            return None
        if isinstance(action, actions.Conflict):
            raise refusals.conflict(request, call.name)
        if isinstance(action, actions.TooManyRequests):
            return refusals.too_many(action.retry_after_s)
        if isinstance(action, actions.Error):
            raise refusals.error_of(rule, action)
        return asyncio.sleep(action.seconds) if isinstance(action, actions.Delay) else vanish()

    def _make_stale(self, request: RequestContext, info: RequestInfo, rule: Rule, action: actions.Stale) -> None:
        """The handler is asked for an older revision, which it would show anybody."""
        query = [pair for pair in parse_qsl(request.query, keep_blank_values=True) if pair[0] not in _READ_AT]
        if info.verb not in ("get", "list") or info.address.subresource or any(name == "continue" for name, _ in query):
            rule.give_back()
            return
        newest = self._revision()
        revision = newest - action.revisions_behind if action.revisions_behind else action.revision or rule.put_at
        rule.fired += 1
        at = (("resourceVersion", str(max(min(revision, newest), 1))), ("resourceVersionMatch", "Exact"))
        request.query = urlencode([*query, *at])


async def vanish() -> Response | None:
    """The transport takes it for a client that has left, and cuts the connection."""
    raise asyncio.CancelledError


def _call_of(request: RequestContext, info: RequestInfo) -> Call:
    agent = request.headers.get("user-agent", "")
    address = info.address
    if not address.is_resource:
        return Call(info.verb, request.user.name, agent, path=info.path)
    resource = f"{address.resource}/{address.subresource}" if address.subresource else address.resource
    name = address.name or (_name_in(request) if info.verb == "create" else "")
    return Call(info.verb, request.user.name, agent, address.group, resource, address.namespace, name)


def _name_in(request: RequestContext) -> str:
    """That of the object that is to be created."""
    try:
        value = _decode(request.body, request.headers.get("content-type", ""))
    except (json.DecodeError, yaml.DecodeError, ValueError):
        return ""
    metadata = value.get("metadata") if isinstance(value, dict) else None
    name = metadata.get("name") if isinstance(metadata, dict) else None
    return name if isinstance(name, str) else ""


def _decode(body: bytes, content_type: str) -> Any:
    if "protobuf" in content_type:
        return protobuf.decode(body)
    return yaml.decode(body).value if "yaml" in content_type else json.decode(body).value
