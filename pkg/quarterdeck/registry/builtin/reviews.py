"""Resources that are not stored: reviews, token requests, bindings, which are only created, and statuses of components.

Source: pkg/registry/{authentication,authorization}; pkg/registry/core/serviceaccount/storage/token.go,
pkg/registry/core/{componentstatus/rest,rest/storage_core}.go.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cache
from typing import Final, NamedTuple

from quarterdeck.apis.resource import APIResource
from quarterdeck.fieldmanager import builtin as builtin_fields
from quarterdeck.fieldmanager.manager import FieldManager
from quarterdeck.registry.builtin import review_types
from quarterdeck.registry.builtin.codec import BuiltinCodec
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.scope import Scope, TableConvertor
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.unstored import NoStore
from quarterdeck.schema import gotypes
from quarterdeck.schema.gotype import Struct
from quarterdeck.storage.cacher import StoredForm

AUTHENTICATION: Final = "authentication.k8s.io"
AUTHORIZATION: Final = "authorization.k8s.io"
_VERBS: Final = ("create",)
_TOKEN_SECONDS: Final = 3600


class Definition(NamedTuple):
    resource: APIResource
    struct: Struct
    subresource: str = ""
    default: Callable[[Object], None] | None = None


def _review(group: str, kind: str, struct: Struct, *, namespaced: bool = False) -> Definition:
    singular = kind.lower()
    resource = APIResource(group, "v1", f"{singular}s", singular, kind, f"{kind}List", namespaced, _VERBS)
    return Definition(resource, struct)


def default_token_request(obj: Object) -> None:
    if obj["spec"].get("expirationSeconds") is None:
        obj["spec"]["expirationSeconds"] = _TOKEN_SECONDS


REVIEWS: Final = (
    _review(AUTHENTICATION, "SelfSubjectReview", review_types.SELF_SUBJECT_REVIEW),
    _review(AUTHENTICATION, "TokenReview", review_types.TOKEN_REVIEW),
    _review(AUTHORIZATION, "LocalSubjectAccessReview", review_types.LOCAL_SUBJECT_ACCESS_REVIEW, namespaced=True),
    _review(AUTHORIZATION, "SelfSubjectAccessReview", review_types.SELF_SUBJECT_ACCESS_REVIEW),
    _review(AUTHORIZATION, "SelfSubjectRulesReview", review_types.SELF_SUBJECT_RULES_REVIEW),
    _review(AUTHORIZATION, "SubjectAccessReview", review_types.SUBJECT_ACCESS_REVIEW),
)
TOKEN_REQUEST: Final = Definition(
    APIResource(AUTHENTICATION, "v1", "tokenrequests", "", "TokenRequest", "", namespaced=True, verbs=_VERBS),
    review_types.TOKEN_REQUEST,
    "token",
    default_token_request,
)


@cache
def eviction_scope(version: str) -> Scope:
    """Of what is posted to a pod's `eviction`, in v1 or v1beta1."""
    struct = gotypes.struct_of("policy/v1", "Eviction")
    options = struct.fields["deleteOptions"]
    assert isinstance(options.type, Struct)
    # They may say what they are, though they are part of something else.
    options = replace(options, type=gotypes.with_type_meta(options.type))
    struct = replace(struct, fields={**struct.fields, "deleteOptions": options})
    resource = APIResource("policy", version, "evictions", "", "Eviction", "", namespaced=True, verbs=_VERBS)
    return build_scope(Definition(resource, struct, "eviction"))


BINDINGS: Final = APIResource("", "v1", "bindings", "binding", "Binding", "", namespaced=True, verbs=_VERBS)
COMPONENT_STATUSES: Final = APIResource(
    *("", "v1", "componentstatuses", "componentstatus", "ComponentStatus", "ComponentStatusList"),
    namespaced=False,
    verbs=("get", "list"),
    short_names=("cs",),
)
# All that are found at addresses of their own.
UNSTORED: Final = (*(each.resource for each in REVIEWS), BINDINGS, COMPONENT_STATUSES)


@cache
def binding_scope(subresource: str = "binding") -> Scope:
    """Of what is posted to a pod's `binding`, or (without a subresource) to bindings."""
    return build_scope(Definition(BINDINGS, gotypes.struct_of("v1", "Binding"), subresource))


@cache
def component_status_scope() -> Scope:
    return build_scope(Definition(COMPONENT_STATUSES, gotypes.struct_of("v1", "ComponentStatus")))


def build_scope(definition: Definition) -> Scope:
    """For reading and answering; there is no store behind it."""
    resource, struct = definition.resource, definition.struct
    ownership = FieldManager(
        {resource.api_version: builtin_fields.from_go_type(struct)}.get,
        lambda obj, _api_version: obj,
        kind=resource.kind,
        is_builtin=True,
        reset_fields={},
    )
    return Scope(
        resource=resource,
        subresource=definition.subresource,
        store=NoStore(),
        codec=BuiltinCodec(resource.api_version, resource.kind, lambda: struct, definition.default),
        strategy=BuiltinStrategy(namespaced=resource.namespaced),
        object_form=StoredForm(resource.api_version, resource.kind),
        ownership=ownership,
        table=_no_table,
        is_custom=False,
    )


def _no_table() -> TableConvertor:
    raise AssertionError("a review is no table")
