"""/quarterdeck/v1/faults: the rules of a running server.

    GET /quarterdeck/v1/faults            all, with how often each has fired
    POST /quarterdeck/v1/faults           one more, or several ({"rules": […]}); JSON or YAML
    DELETE /quarterdeck/v1/faults         none any more; answers those that there were
    GET, PUT, DELETE /quarterdeck/v1/faults/NAME

Whoever the authorizer lets reach the path may do it all: administrators, and whom a role with these nonResourceURLs
names.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.codec import json
from quarterdeck.endpoints import respond
from quarterdeck.faults import parsing
from quarterdeck.faults.reading import BadRule
from quarterdeck.faults.rule import Rule
from quarterdeck.faults.ruleset import RuleSet
from quarterdeck.transport.messages import Request, Response

PATH: Final = "/quarterdeck/v1/faults"


class FaultsPath:
    def __init__(self, rules: RuleSet) -> None:
        self._rules = rules

    def __call__(self, request: Request) -> Response | None:
        path = request.path
        if path == PATH:
            return self._answer_for_all(request)
        if path.startswith(PATH + "/"):
            return self._answer_for_one(request, path[len(PATH) + 1 :])
        return None

    def _answer_for_all(self, request: Request) -> Response:
        if request.method == "GET":
            return _show(200, self._rules.all())
        if request.method == "POST":
            return _show(201, self._put(request, None))
        if request.method == "DELETE":
            removed = self._rules.all()
            self._rules.clear()
            return _show(200, removed)
        raise _not_allowed()

    def _answer_for_one(self, request: Request, name: str) -> Response:
        if request.method == "PUT":
            return _show(200, self._put(request, name))
        if request.method not in ("GET", "DELETE"):
            raise _not_allowed()
        rule = self._rules.find(name) if request.method == "GET" else self._rules.remove(name)
        if rule is None:
            raise errors.NotFound.of("", "faults", name)
        return _show(200, [rule])

    def _put(self, request: Request, name: str | None) -> list[Rule]:
        """`name`: of the one rule that is put."""
        try:
            sent = parsing.decode(request.body)
            rules = parsing.parse_rules(sent, self._rules.name if name is None else lambda: name)
            if name is not None and [each.name for each in rules] != [name]:
                raise BadRule("rule.name: must be that of the address")
            self._rules.put(rules)
        except BadRule as error:
            raise errors.BadRequest(str(error)) from error
        return rules


def _show(status: int, rules: Iterable[Rule]) -> Response:
    return respond.json_response(status, json.encode({"rules": [each.describe() for each in rules]}))


def _not_allowed() -> errors.APIStatus:
    return errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
