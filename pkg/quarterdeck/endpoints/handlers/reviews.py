"""POST of a review: a question about users, tokens and rights, which is answered and not stored.

Source: pkg/registry/authentication/{selfsubjectreview,tokenreview}/storage.go, pkg/registry/authorization/*/rest.go,
pkg/apis/authorization/validation/validation.go.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Mapping
from functools import partial
from typing import Any, Final, Protocol

from quarterdeck.admission.chain import Chain
from quarterdeck.apimachinery import clock, errors, field, meta, questions
from quarterdeck.apimachinery.questions import Unanswered
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.endpoints import body
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import common, review_selectors
from quarterdeck.endpoints.handlers.create import drop_system_members, read_create_options, record_ownership
from quarterdeck.endpoints.negotiation import Output
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.write_admission import WriteAdmission
from quarterdeck.schema import goorder, gotypes
from quarterdeck.transport.messages import Response

_AUTHORIZATION: Final = "authorization.k8s.io"
_ANY_VERSION: Final = "*"

Answer = Callable[[User, Object], Object]
Address = tuple[str, str, str]  # (group, version, resource)


class TokenJudge(Protocol):
    def judge(self, token: str, audiences: list[str]) -> tuple[User | None, list[str], str]:
        """The user and the audiences that the token is good for; or None, and what is wrong with it."""


class Reviews:
    """`scopes` by address; `answers` by kind. A plain handler: None where the address is no review's."""

    def __init__(self, scopes: Iterable[Scope], answers: Mapping[str, Answer], admission: Chain) -> None:
        self._scopes: dict[Address, Scope] = {}
        for scope in scopes:
            resource = scope.resource
            self._scopes[resource.group, resource.version, resource.name] = scope
        self._answers = answers
        self._admission = admission

    def __call__(self, request: RequestContext) -> Response | Awaitable[Response] | None:
        info = request.info
        address = info.address
        scope = self._scopes.get((address.group, address.version, address.resource))
        if scope is None:
            return None
        is_elsewhere = bool(address.namespace) != scope.resource.namespaced
        if address.name or address.subresource or address.path_verb or is_elsewhere:
            raise errors.NotFound.generic()
        if info.verb != "create":
            raise errors.MethodNotAllowed("the server does not allow this method on the requested resource", {})
        request.scope = scope
        return self._create(request, info, scope)

    def _create(self, request: RequestContext, info: RequestInfo, scope: Scope) -> Response | Awaitable[Response]:
        output = common.negotiate_output(request, scope)
        options = read_create_options(request)
        obj = body.decode_object(request, scope, options.field_validation)
        metadata = meta.ensure_metadata(obj)
        common.set_namespace(metadata, scope, info.address.namespace)
        drop_system_members(metadata)
        record_ownership(request, scope, None, obj, options)
        admission = WriteAdmission(self._admission, scope, request.origin(options, dry_run=options.dry_run))
        waiting = admission.mutate(obj, None)
        if waiting is not None:
            return self._answer_later(waiting, request, scope, output, admission, obj)
        try:
            answered = self._answer(request, scope, obj)
        except Unanswered:
            return self._answer_later(None, request, scope, output, admission, obj)
        waiting = admission.validate(obj, None)
        if waiting is not None:
            return _respond_later(waiting, scope, output, answered)
        return _respond(scope, output, answered)

    def _answer(self, request: RequestContext, scope: Scope, obj: Object) -> Object:
        return self._answers[scope.resource.kind](request.user, obj)

    async def _answer_later(
        self,
        waiting: Awaitable[None] | None,
        request: RequestContext,
        scope: Scope,
        output: Output,
        admission: WriteAdmission,
        obj: Object,
    ) -> Response:
        if waiting is not None:
            await waiting
        answered = await questions.settle(partial(self._answer, request, scope, obj))
        again = admission.validate(obj, None)
        if again is not None:
            await again
        return _respond(scope, output, answered)


async def _respond_later(waiting: Awaitable[None], scope: Scope, output: Output, answered: Object) -> Response:
    await waiting
    return _respond(scope, output, answered)


def _respond(scope: Scope, output: Output, answered: Object) -> Response:
    return common.respond_unstored(scope, output, 201, answered)


def build_answers(authorizer: Authorizer, tokens: TokenJudge) -> dict[str, Answer]:
    access = AccessReviews(authorizer)
    return {
        "SelfSubjectReview": answer_self_subject_review,
        "TokenReview": TokenReviews(tokens).answer,
        "SubjectAccessReview": access.answer_for_somebody,
        "LocalSubjectAccessReview": access.answer_in_namespace,
        "SelfSubjectAccessReview": access.answer_for_oneself,
        "SelfSubjectRulesReview": access.answer_rules,
    }


def answer_self_subject_review(user: User, obj: Object) -> Object:
    return {
        "apiVersion": obj["apiVersion"],
        "kind": obj["kind"],
        "metadata": {"creationTimestamp": clock.now()},
        "status": {"userInfo": user.to_user_info()},
    }


class TokenReviews:
    def __init__(self, tokens: TokenJudge) -> None:
        self._tokens = tokens

    def answer(self, _user: User, obj: Object) -> Object:
        spec = obj.get("spec") or {}
        if not spec.get("token"):
            raise errors.BadRequest("token is required for TokenReview in authentication")
        user, audiences, error = self._tokens.judge(spec["token"], spec.get("audiences") or [])
        # What the review says itself stands where the answer has nothing to say.
        status: dict[str, Any] = {"user": {}, **(obj.get("status") or {})}
        status.pop("authenticated", None)
        if user is not None:
            status = {"authenticated": True, **status, "user": user.to_user_info(), "audiences": audiences}
        elif error:
            status["error"] = error
        return {**obj, "status": status}


class AccessReviews:
    def __init__(self, authorizer: Authorizer) -> None:
        self._authorizer = authorizer

    def answer_for_somebody(self, _user: User, obj: Object) -> Object:
        spec = obj.get("spec") or {}
        problems = _validate_what(spec) + _validate_who(spec) + _validate_selectors(spec) + _validate_metadata(obj)
        return self._answer(obj, _user_of(spec), problems)

    def answer_for_oneself(self, user: User, obj: Object) -> Object:
        spec = obj.get("spec") or {}
        return self._answer(obj, user, _validate_what(spec) + _validate_selectors(spec) + _validate_metadata(obj))

    def answer_in_namespace(self, _user: User, obj: Object) -> Object:
        spec = obj.get("spec") or {}
        problems = _validate_what(spec) + _validate_who(spec) + _validate_selectors(spec)
        problems += _validate_metadata(obj, "namespace")
        resource = spec.get("resourceAttributes")
        if resource is not None and resource.get("namespace", "") != obj["metadata"].get("namespace", ""):
            where = resource.get("namespace", "")
            problems.append(field.invalid("spec.resourceAttributes.namespace", where, "must match metadata.namespace"))
        if spec.get("nonResourceAttributes") is not None:
            shown = _go_attributes(spec["nonResourceAttributes"])
            problems.append(field.invalid("spec.nonResourceAttributes", shown, "disallowed on this kind of request"))
        return self._answer(obj, _user_of(spec), problems)

    def answer_rules(self, user: User, obj: Object) -> Object:
        namespace = (obj.get("spec") or {}).get("namespace")
        if not namespace:
            raise errors.BadRequest("no namespace on request")
        rules = self._authorizer.rules_of(user, namespace)
        status = {"resourceRules": rules.resource, "nonResourceRules": rules.other, "incomplete": rules.is_incomplete}
        if rules.error:
            status["evaluationError"] = rules.error
        return {"apiVersion": obj["apiVersion"], "kind": obj["kind"], "metadata": {}, "spec": {}, "status": status}

    def _answer(self, obj: Object, user: User, problems: list[field.FieldError]) -> Object:
        if problems:
            raise errors.Invalid.of(_AUTHORIZATION, "", "", problems)
        asked = _attributes_of(obj["spec"])
        decision = self._authorizer.authorize(user, asked)
        status: dict[str, object] = {"allowed": decision.is_allowed}
        if decision.is_denied:
            status["denied"] = True
        if decision.reason:
            status["reason"] = decision.reason
        faults = [text for text in (decision.error, *review_selectors.explain_unread(asked.selectors)) if text]
        if faults:
            status["evaluationError"] = "; ".join(faults)
        return {**obj, "status": status}


def _attributes_of(spec: Mapping[str, Any]) -> Attributes:
    """Source: pkg/registry/authorization/util/helpers.go."""
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is None:
        return Attributes(other.get("verb", ""), path=other.get("path", ""), is_resource=False)  # type: ignore[union-attr]
    names = ("verb", "group", "version", "resource", "subresource", "namespace", "name")
    found = Attributes(*(resource.get(name, "") for name in names))
    return found._replace(version=found.version or _ANY_VERSION, selectors=review_selectors.read(resource))


def _user_of(spec: Mapping[str, Any]) -> User:
    extra = {name: tuple(values or ()) for name, values in (spec.get("extra") or {}).items()}
    return User(spec.get("user", ""), spec.get("uid", ""), tuple(spec.get("groups") or ()), extra)


def _validate_what(spec: Mapping[str, Any]) -> list[field.FieldError]:
    resource, other = spec.get("resourceAttributes"), spec.get("nonResourceAttributes")
    if resource is not None and other is not None:
        detail = "cannot be specified in combination with resourceAttributes"
        return [field.invalid("spec.nonResourceAttributes", _go_attributes(other), detail)]
    if resource is None and other is None:
        detail = "exactly one of nonResourceAttributes or resourceAttributes must be specified"
        return [field.invalid("spec.resourceAttributes", None, detail)]
    return []


def _validate_who(spec: Mapping[str, Any]) -> list[field.FieldError]:
    if spec.get("user") or spec.get("groups"):
        return []
    return [field.invalid("spec.user", "", "at least one of user or group must be specified")]


def _validate_selectors(spec: Mapping[str, Any]) -> list[field.FieldError]:
    return review_selectors.validate(spec.get("resourceAttributes"))


def _validate_metadata(obj: Object, *allowed: str) -> list[field.FieldError]:
    metadata = obj["metadata"]
    if all(name in ("managedFields", *allowed) for name in metadata):
        return []
    shown = field.GoText(checks.in_order(goorder.order_members(metadata, gotypes.object_meta())))
    detail = f"must be empty except for {allowed[0]}" if allowed else "must be empty"
    return [field.invalid("metadata", shown, detail)]


def _go_attributes(other: Mapping[str, Any]) -> dict[str, str]:
    """As Go prints the internal type."""
    return {"Path": other.get("path", ""), "Verb": other.get("verb", "")}
