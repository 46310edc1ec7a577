"""What the API is asked for is noted (coverage/usage.py), and told under /quarterdeck/v1/coverage.

    GET /quarterdeck/v1/coverage          who has asked what
    GET /quarterdeck/v1/coverage/roles    the smallest roles that would have allowed it
    DELETE /quarterdeck/v1/coverage       nothing has been asked any more

The filter stands behind all others, and notes what was allowed, as whom the request acted. Who makes an object by an
update or an apply has to be allowed to create it as well: the application around sees from the answer that one was.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable
from typing import Any, Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json, yaml
from quarterdeck.coverage import roles
from quarterdeck.coverage.usage import Asked, Caller, Usage
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.authorization import attributes_of
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.messages import Application, Request, Response

PATH: Final = "/quarterdeck/v1/coverage"
_OWN_PATHS: Final = "/quarterdeck/"
_CREATED: Final = 201

_Noted = tuple[Caller, Asked, str]


class Coverage:
    """The filter, what `wrap` puts around the application, and `path`."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage
        self._writes: dict[Request, _Noted | None] = {}  # updates and patches under way
        self.path = CoveragePath(usage)

    def __call__(self, request: RequestContext, info: RequestInfo) -> None:
        """The filter."""
        if info.path.startswith(_OWN_PATHS):
            return
        caller = Caller(request.user.name, request.headers.get("user-agent", ""))
        asked, name = _read(info, request.query)
        self._usage.note(caller, asked, name)
        if request.http in self._writes:
            self._writes[request.http] = (caller, asked._replace(verb="create"), name)

    def wrap(self, application: Application) -> Application:
        return functools.partial(self._look, application)

    def _look(self, application: Application, http: Request) -> Response | Awaitable[Response]:
        if http.method not in ("PUT", "PATCH"):
            return application(http)
        self._writes[http] = None
        answer = application(http)
        if not isinstance(answer, Response):
            return self._finish(http, answer)
        self._close(http, answer.status)
        return answer

    async def _finish(self, http: Request, waiting: Awaitable[Response]) -> Response:
        status = 0
        try:
            answer = await waiting
            status = answer.status
        finally:
            self._close(http, status)
        return answer

    def _close(self, http: Request, status: int) -> None:
        noted = self._writes.pop(http, None)
        if noted is not None and status == _CREATED and not noted[1].path:
            self._usage.note(*noted)


def _read(info: RequestInfo, query: str) -> tuple[Asked, str]:
    attributes = attributes_of(info, query)
    if not attributes.is_resource:
        return Asked(info.verb, path=info.path), ""
    resource, subresource = attributes.resource, attributes.subresource
    named = f"{resource}/{subresource}" if subresource else resource
    return Asked(info.verb, attributes.group, named, attributes.namespace), attributes.name


class CoveragePath:
    """Of `users` and `userAgents` (patterns of the shell). Roles are named `name`, bound to `subject`, and without
    names or namespaces by names=any, namespaces=any; format=yaml is for people."""

    def __init__(self, usage: Usage) -> None:
        self._usage = usage

    def __call__(self, request: Request) -> Response | None:
        path = request.path
        if path not in (PATH, f"{PATH}/roles"):
            return None
        options = parse_query(request.query)
        users, agents = first(options, "users") or "*", first(options, "userAgents") or "*"
        if request.method == "GET":
            if path == PATH:
                return _answer([self._usage.report(users, agents)], options)
            found = [each for _, entries in self._usage.select(users, agents) for each in entries.items()]
            return _answer(roles.build(found, _choose(options)), options, is_list=True)
        if request.method == "DELETE" and path == PATH:
            told = self._usage.report(users, agents)
            self._usage.clear()
            return _answer([told], options)
        raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})


def _choose(options: dict[str, list[str]]) -> roles.Choice:
    return roles.Choice(
        first(options, "name") or "coverage",
        first(options, "subject"),
        has_names=first(options, "names") != "any",
        has_namespaces=first(options, "namespaces") != "any",
    )


def _answer(values: list[dict[str, Any]], options: dict[str, list[str]], *, is_list: bool = False) -> Response:
    if first(options, "format") == "yaml":
        text = b"---\n".join(yaml.encode(value) for value in values)
        return Response(200, [("Content-Type", "application/yaml")], text)
    value = {"apiVersion": "v1", "kind": "List", "items": values} if is_list else values[0]
    return respond.json_response(200, json.encode(value))
