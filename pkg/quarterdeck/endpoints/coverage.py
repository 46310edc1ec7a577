"""What the API is asked for is noted (coverage/data.py), and told under /quarterdeck/v1/coverage.

    GET /quarterdeck/v1/coverage          who has asked what, what of definitions, webhooks and policies was used
    GET /quarterdeck/v1/coverage/roles    the smallest roles that would have allowed it
    DELETE /quarterdeck/v1/coverage       nothing has been asked any more

The filter stands behind all others, and notes what was allowed, as whom the request acted. What comes of a write is
seen by what is around the application. Who makes an object by an update or an apply has to be allowed to create it as
well: the answer tells that one was.
"""

from __future__ import annotations

import functools
from collections.abc import Awaitable, Callable
from typing import Any, Final

from quarterdeck.apimachinery import errors, offload
from quarterdeck.apimachinery.codec import json, yaml
from quarterdeck.coverage import report, roles
from quarterdeck.coverage.data import CoverageData
from quarterdeck.coverage.report import Declared
from quarterdeck.coverage.usage import Caller, RequestKey
from quarterdeck.endpoints import respond
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.coveredwrites import CoveredWrites
from quarterdeck.endpoints.filters.authorization import attributes_of
from quarterdeck.endpoints.query import first, parse_query
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.messages import Application, Request, Response

PATH: Final = "/quarterdeck/v1/coverage"
_OWN_PATHS: Final = "/quarterdeck/"
_CREATED: Final = 201
_WRITES: Final = frozenset(("POST", "PUT", "PATCH"))
_FILTERS: Final = ("users", "userAgents")

_Noted = tuple[RequestContext, Caller, RequestKey, str]


class Coverage:
    """The filter, what `wrap` puts around the application, and `path`. `writes` knows the definitions."""

    def __init__(self, noted: CoverageData) -> None:
        self.noted = noted
        self.writes = CoveredWrites(noted.fields)
        self.path = CoveragePath(noted)
        self._open: dict[Request, _Noted | None] = {}  # writes under way

    def __call__(self, request: RequestContext, info: RequestInfo) -> None:
        """The filter."""
        if info.path.startswith(_OWN_PATHS):
            return
        caller = Caller(request.user.name, request.headers.get("user-agent", ""))
        asked, name = _read(info, request.query)
        self.noted.usage.note(caller, asked, name)
        if request.http in self._open and not asked.path:
            self._open[request.http] = (request, caller, asked, name)

    def wrap(self, application: Application) -> Application:
        return functools.partial(self._look, application)

    def _look(self, application: Application, http: Request) -> Response | Awaitable[Response]:
        if http.method not in _WRITES:
            return application(http)
        self._open[http] = None
        answer = application(http)
        if not isinstance(answer, Response):
            return self._finish(http, answer)
        waiting = self._close(http, answer.status)
        return answer if waiting is None else _answer_after(waiting, answer)

    async def _finish(self, http: Request, waiting: Awaitable[Response]) -> Response:
        try:
            answer = await waiting
        except BaseException:
            self._open.pop(http, None)
            raise
        noting = self._close(http, answer.status)
        if noting is not None:
            await noting
        return answer

    def _close(self, http: Request, status: int) -> Awaitable[None] | None:
        noted = self._open.pop(http, None)
        if noted is None or not 200 <= status < 300:
            return None
        request, caller, asked, name = noted
        if status == _CREATED and http.method != "POST":
            self.noted.usage.note(caller, asked._replace(verb="create"), name)
        return self.writes.note(request)


async def _answer_after(waiting: Awaitable[None], answer: Response) -> Response:
    await waiting
    return answer


def _read(info: RequestInfo, query: str) -> tuple[RequestKey, str]:
    attributes = attributes_of(info, query)
    if not attributes.is_resource:
        return RequestKey(info.verb, path=info.path), ""
    resource, subresource = attributes.resource, attributes.subresource
    named = f"{resource}/{subresource}" if subresource else resource
    return RequestKey(info.verb, attributes.group, named, attributes.namespace), attributes.name


async def _nothing() -> Declared:
    return Declared()


class CoveragePath:
    """Of `users` and `userAgents` (patterns of the shell). Roles are named `name`, bound to `subject`, and without
    names or namespaces by names=any, namespaces=any; format=yaml is for people. `declare` tells what there is to be
    used."""

    def __init__(self, noted: CoverageData) -> None:
        self._noted = noted
        self.declare: Callable[[], Awaitable[Declared]] = _nothing

    def __call__(self, request: Request) -> Response | Awaitable[Response] | None:
        path = request.path
        if path not in (PATH, f"{PATH}/roles"):
            return None
        options = parse_query(request.query)
        if request.method == "DELETE" and path == PATH:
            if any(name in options for name in _FILTERS):
                raise errors.BadRequest(
                    f"all that was noted is forgotten: {' and '.join(_FILTERS)} cannot choose of it"
                )
            return self._report(options, forgets=True)
        if request.method != "GET":
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        if path == PATH:
            return self._report(options, forgets=False)
        chosen = self._noted.usage.select(*_callers(options))
        found = [each for _, entries in chosen for each in entries.items()]
        return _answer(roles.build(found, _choose(options)), options, is_list=True)

    async def _report(self, options: dict[str, list[str]], *, forgets: bool) -> Response:
        declared, noted = await self.declare(), self._noted
        counted = declared.versions, noted.fields.all()
        # What is forgotten is what is told: nothing is noted in between.
        fields = report.describe_fields(*counted) if forgets else await offload.run(report.describe_fields, *counted)
        told = report.build(noted, declared, fields, *_callers(options))
        if forgets:
            noted.clear()
        return _answer([told], options)


def _callers(options: dict[str, list[str]]) -> tuple[str, str]:
    """Patterns of the users and user agents that are chosen."""
    return first(options, _FILTERS[0]) or "*", first(options, _FILTERS[1]) or "*"


def _choose(options: dict[str, list[str]]) -> roles.Choice:
    return roles.Choice(
        first(options, "name") or "coverage",
        first(options, "subject"),
        has_names=first(options, "names") != "any",
        has_namespaces=first(options, "namespaces") != "any",
    )


def _answer(values: list[dict[str, Any]], options: dict[str, list[str]], *, is_list: bool = False) -> Response:
    if first(options, "format") == "yaml":
        text = b"---\n".join(yaml.write(value) for value in values)
        return Response(200, [("Content-Type", "application/yaml")], text)
    value = {"apiVersion": "v1", "kind": "List", "items": values} if is_list else values[0]
    return respond.json_response(200, json.encode(value))
