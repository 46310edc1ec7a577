"""Authorization checks from expressions: `authorizer.group('apps').resource('deployments').check('create').allowed()`.

The authorizer is injected: a callable that is given a Check and answers with a Decision. Nothing here knows RBAC.
Source: apiserver's pkg/cel/library/authz.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import ClassVar, Protocol

from quarterdeck._kernels import celvalue
from quarterdeck.apimachinery import gotext, names
from quarterdeck.cel import cost_calls, cost_math
from quarterdeck.cel.values import CelErr


@dataclass(frozen=True, slots=True)
class Check:
    """What is asked: a path, or a resource. `service_account` (namespace, name) replaces the requesting user."""

    verb: str
    path: str = ""
    group: str = ""
    resource: str = ""
    subresource: str = ""
    namespace: str = ""
    name: str = ""
    field_selector: str = ""
    label_selector: str = ""
    service_account: tuple[str, str] | None = None


class Answer(Protocol):
    """What an authorizer answers: allowed, the reason, and the text of an error if there was one."""

    @property
    def allowed(self) -> bool: ...
    @property
    def reason(self) -> str: ...
    @property
    def error(self) -> str | None: ...


Authorize = Callable[[Check], Answer]


@dataclass(frozen=True, slots=True)
class Authorizer:
    """The value of `authorizer`. `request_resource` is the check that `authorizer.requestResource` begins with."""

    authorize: Authorize = field(compare=False)
    service_account: tuple[str, str] | None = None

    cel_type: ClassVar[str] = "kubernetes.authorization.Authorizer"
    cel_unit_equality: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class PathCheck:
    authorize: Authorize = field(compare=False)
    check: Check

    cel_type: ClassVar[str] = "kubernetes.authorization.PathCheck"
    cel_unit_equality: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class GroupCheck:
    authorize: Authorize = field(compare=False)
    check: Check

    cel_type: ClassVar[str] = "kubernetes.authorization.GroupCheck"
    cel_unit_equality: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class ResourceCheck:
    authorize: Authorize = field(compare=False)
    check: Check

    cel_type: ClassVar[str] = "kubernetes.authorization.ResourceCheck"
    cel_unit_equality: ClassVar[bool] = True


@dataclass(frozen=True, slots=True)
class Decision:
    allowed: bool
    reason: str
    error: str | None

    cel_type: ClassVar[str] = "kubernetes.authorization.Decision"
    cel_unit_equality: ClassVar[bool] = True


def path(a: Authorizer, text: str) -> object:
    if not gotext.strip(text):
        return CelErr("path must not be empty")
    return PathCheck(a.authorize, Check("", path=text, service_account=a.service_account))


def group(a: Authorizer, name: str) -> object:
    return GroupCheck(a.authorize, Check("", group=name, service_account=a.service_account))


def service_account(a: Authorizer, namespace: str, name: str) -> object:
    if names.name_is_dns1123_subdomain(name):
        return CelErr("Invalid service account name")
    if names.name_is_dns1123_label(namespace):
        return CelErr("Invalid service account namespace")
    return Authorizer(a.authorize, (namespace, name))


def resource(g: GroupCheck, name: str) -> object:
    if not gotext.strip(name):
        return CelErr("resource must not be empty")
    return ResourceCheck(g.authorize, replace(g.check, resource=name))


def _refine(name: str) -> Callable[[ResourceCheck, str], object]:
    def refined(r: ResourceCheck, value: str) -> object:
        return ResourceCheck(r.authorize, replace(r.check, **{name: value}))  # type: ignore[arg-type]

    return refined


subresource = _refine("subresource")
namespace = _refine("namespace")
name = _refine("name")
field_selector = _refine("field_selector")
label_selector = _refine("label_selector")


def check(c: PathCheck | ResourceCheck, verb: str) -> object:
    answer = c.authorize(replace(c.check, verb=verb))
    return Decision(answer.allowed, answer.reason, answer.error)


def errored(d: Decision) -> object:
    return d.error is not None


def error(d: Decision) -> object:
    return d.error or ""


def allowed(d: Decision) -> object:
    return d.allowed


def reason(d: Decision) -> object:
    return d.reason


def check_cost(args: tuple[object, ...], result: object) -> int:
    return cost_math.CHECK_COST


def selector_cost(args: tuple[object, object], result: object) -> int:
    return cost_calls.selector_cost(celvalue.actual_size(args[1]))
