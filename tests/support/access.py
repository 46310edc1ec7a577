"""Who may do what, found in two ways: by asking for a review, and by sending the request.

Requests change nothing: writes are dry runs, and most of them name objects that are not there.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from quarterdeck.transport.messages import Response
from support.in_process import JSON, InProcess
from support.waiting import PATIENCE_S

Object = dict[str, Any]
REVIEWS = "/apis/authorization.k8s.io/v1"
VERBS = ("get", "list", "watch", "create", "update", "patch", "delete", "deletecollection")
_METHODS = {"create": "POST", "update": "PUT", "patch": "PATCH", "delete": "DELETE", "deletecollection": "DELETE"}
_MERGE = "application/merge-patch+json"


@dataclass(frozen=True)
class Resource:
    """`subresource` is "" for the resource itself."""

    group: str
    version: str
    name: str
    is_namespaced: bool
    verbs: tuple[str, ...]
    kind: str = ""
    subresource: str = ""

    def path(self, namespace: str, name: str) -> str:
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        parts = [f"namespaces/{namespace}"] if self.is_namespaced and namespace else []
        return "/".join((root, *parts, *filter(None, (self.name, name, self.subresource))))


@dataclass(frozen=True)
class Action:
    verb: str
    resource: Resource
    namespace: str
    name: str

    def attributes(self) -> Object:
        found = {
            "verb": self.verb,
            "group": self.resource.group,
            "version": self.resource.version,
            "resource": self.resource.name,
            "subresource": self.resource.subresource,
            "namespace": self.namespace if self.resource.is_namespaced else "",
            "name": self.name,
        }
        return {key: value for key, value in found.items() if value}


def headers_of(user: str) -> dict[str, str]:
    return {"authorization": f"Bearer {user}-token"}


def tokens_of(users: Mapping[str, Iterable[str]]) -> str:
    """Lines of a token file: each user's token is `NAME-token`."""
    return "".join(f'{user}-token,{user},uid-{user},"{",".join(groups)}"\n' for user, groups in users.items())


async def discover(server: InProcess) -> list[Resource]:
    """All resources that the server has, reviews left out: they ask the authorizer themselves."""
    found: list[Resource] = []
    groups = await _get(server, "/apis")
    versions = [("", "v1")] + [
        (group["name"], version["version"]) for group in groups["groups"] for version in group["versions"]
    ]
    for group, version in versions:
        if group in ("authorization.k8s.io", "authentication.k8s.io"):
            continue
        listed = await _get(server, f"/apis/{group}/{version}" if group else "/api/v1")
        for each in listed["resources"]:
            name, _, subresource = each["name"].partition("/")
            found.append(
                Resource(group, version, name, each["namespaced"], tuple(each["verbs"]), each["kind"], subresource)
            )
    return found


async def _get(server: InProcess, path: str) -> Object:
    found: Object = json.loads(body_of(await server.call("GET", path)))
    return found


def body_of(answer: Response) -> bytes:
    """Of a whole answer, however it is kept."""
    body = answer.body
    return body if isinstance(body, bytes) else b"".join(body)


async def may_by_review(server: InProcess, user: str, attributes: Object) -> bool:
    """What a SelfSubjectAccessReview answers."""
    body = {
        "apiVersion": "authorization.k8s.io/v1",
        "kind": "SelfSubjectAccessReview",
        "spec": {"resourceAttributes": attributes},
    }
    answer = await server.call("POST", f"{REVIEWS}/selfsubjectaccessreviews", body, **headers_of(user))
    assert answer.status == 201, answer.body
    return bool(json.loads(body_of(answer))["status"]["allowed"])


async def may_by_request(server: InProcess, user: str, action: Action) -> bool:
    """Whether the request itself passes authorization, whatever comes of it then."""
    verb, resource = action.verb, action.resource
    path = resource.path(action.namespace, action.name)
    query, body, content_type = "", None, JSON
    if verb == "watch":
        query = "?watch=1&timeoutSeconds=1"
    elif verb in _METHODS:
        query = "?dryRun=All"
        if verb in ("create", "update"):
            body = {"kind": "Unknown"}  # which no resource takes
        elif verb == "patch":
            body, content_type = {"metadata": {"resourceVersion": "1"}}, _MERGE
        elif verb == "deletecollection":
            query += "&fieldSelector=metadata.name%3D%3Dabsent"
    method = _METHODS.get(verb, "GET")
    request = server.request(method, f"{path}{query}", body, content_type, **headers_of(user))
    answer = server.server.application(request)
    if not isinstance(answer, Response):
        answer = await asyncio.wait_for(answer, PATIENCE_S)
    if answer.status != 403:
        return True
    return not _is_of_authorization(answer, user, verb)


def _is_of_authorization(answer: Response, user: str, verb: str) -> bool:
    """A refusal by the authorizer, not by a plugin."""
    return f'User \\"{user}\\" cannot {verb} '.encode() in body_of(answer)


async def find_differing(server: InProcess, users: Iterable[str]) -> list[tuple[str, Action]]:
    """Where a review and a request differ: every verb of every resource, in one namespace."""
    differing = []
    for resource in await discover(server):
        for verb in resource.verbs:
            if verb not in VERBS or (resource.subresource and verb not in ("get", "update", "patch")):
                continue
            name = "a" if verb in ("get", "update", "patch", "delete") else ""
            action = Action(verb, resource, "default" if resource.is_namespaced else "", name)
            for user in users:
                told = await may_by_review(server, user, action.attributes())
                if await may_by_request(server, user, action) is not told:
                    differing.append((user, action))
    return differing


def allows(rules: Iterable[Object], asked: Object) -> bool:
    """Whether rules that a SelfSubjectRulesReview told allow something, as `kubectl auth can-i --list` reads them."""
    resource = asked["resource"] + (f"/{asked['subresource']}" if asked.get("subresource") else "")
    any_of = f"*/{asked['subresource']}" if asked.get("subresource") else ""

    def holds(rule: Object) -> bool:
        return (
            bool({"*", asked["verb"]} & {*rule["verbs"]})
            and bool({"*", asked.get("group", "")} & {*rule.get("apiGroups", ())})
            and bool({"*", resource, any_of} & {*rule.get("resources", ())})
            and (not rule.get("resourceNames") or asked.get("name", "") in rule["resourceNames"])
        )

    return any(map(holds, rules))
