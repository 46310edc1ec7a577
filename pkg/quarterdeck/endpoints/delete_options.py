"""The DeleteOptions of a DELETE: from its body where it has one, whatever the query says, else from the query.

A body may claim any version of DeleteOptions, or none. What it does not claim to be decides the text of the refusal.
Differs from upstream: the option ignoreStoreReadErrorWithClusterBreakingPotential matters to an object whose record is
damaged, and to no other; there its feature is off and it never matters.

Source: apiserver/pkg/endpoints/handlers/delete.go, apimachinery/pkg/apis/meta/internalversion/register.go,
meta/v1/{types,conversion}.go, meta/v1/validation/validation.go.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.apimachinery import errors, field, gofmt, meta
from quarterdeck.apimachinery.codec import body as codec
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import protobuf as protobuf_codec
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.apimachinery.codec import yamlorder
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.endpoints import body, numbers
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.options import (
    META_GROUP,
    parse_bool,
    parse_optional_bool,
    parse_optional_int,
    validate_dry_run,
)
from quarterdeck.endpoints.query import Query, first
from quarterdeck.schema import gorepeats
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import BOOL, INT64, STRING, Field, ListOf, Scalar, Struct

_API_VERSION: Final = "meta.k8s.io/v1"
_AUDITED_VERSION: Final = "meta.k8s.io/__internal"  # what upstream shows, whatever was sent
_KIND: Final = "DeleteOptions"
_SCHEME: Final = "k8s.io/apimachinery/pkg/apis/meta/internalversion/scheme/register.go:27"
_IGNORES_READ_ERRORS: Final = "ignoreStoreReadErrorWithClusterBreakingPotential"
_POLICIES: Final = ("Foreground", "Background", "Orphan")

_PRECONDITIONS: Final = Struct(
    "Preconditions",
    {
        "uid": Field(Scalar("types.UID", "string"), pointer=True),
        "resourceVersion": Field(STRING, pointer=True),
    },
)
_OPTIONS: Final = Struct(
    _KIND,
    {
        "gracePeriodSeconds": Field(INT64, pointer=True),
        "preconditions": Field(_PRECONDITIONS, pointer=True),
        "orphanDependents": Field(BOOL, pointer=True),
        "propagationPolicy": Field(Scalar("v1.DeletionPropagation", "string"), pointer=True),
        "dryRun": Field(ListOf(STRING)),
        _IGNORES_READ_ERRORS: Field(BOOL, pointer=True),
    },
)
# What else the scheme of the options knows: kinds of any version, and those of meta.k8s.io.
_KINDS_OF_ANY_VERSION: Final = frozenset(
    (_KIND, "CreateOptions", "UpdateOptions", "Status", "APIVersions", "APIGroupList", "APIGroup", "APIResourceList")
)
_TABLE_KINDS: Final = frozenset(("Table", "TableOptions", "PartialObjectMetadata", "PartialObjectMetadataList"))
_META_KINDS: Final = {
    "v1": frozenset(("ListOptions", "GetOptions", "PatchOptions", "WatchEvent")) | _TABLE_KINDS,
    "v1beta1": _TABLE_KINDS,
}


@dataclass(frozen=True, slots=True)
class DeleteOptions:
    """What the client did not say is None; an empty `propagation_policy` was said, and is refused. `has_preconditions`:
    a body does, which may say nothing."""

    dry_run: tuple[str, ...] = ()
    propagation_policy: str | None = None
    orphan_dependents: bool | None = None
    grace_period_s: int | None = None
    precondition_uid: str | None = None
    precondition_resource_version: str | None = None
    ignores_read_errors: bool = False
    has_preconditions: bool = False

    def describe(self, _operation: str) -> dict[str, Any]:
        """As admission shows them."""
        preconditions = {
            name: value
            for name, value in (
                ("uid", self.precondition_uid),
                ("resourceVersion", self.precondition_resource_version),
            )
            if value is not None
        }
        described: dict[str, Any] = {"kind": _KIND, "apiVersion": _API_VERSION}
        for name, value in (
            ("gracePeriodSeconds", self.grace_period_s),
            ("preconditions", preconditions if preconditions or self.has_preconditions else None),
            ("orphanDependents", self.orphan_dependents),
            ("propagationPolicy", self.propagation_policy),
            ("dryRun", list(self.dry_run) or None),
            (_IGNORES_READ_ERRORS, self.ignores_read_errors or None),
        ):
            if value is not None:
                described[name] = value
        return described


_NONE: Final = DeleteOptions()


def read(request: RequestContext, query: Query) -> DeleteOptions:
    """Raises BadRequest, UnsupportedMediaType, Invalid."""
    if not request.body and not query:
        return _NONE
    options = _from_body(request) if request.body else _from_query(query)
    check(options)
    return options


def check(options: DeleteOptions) -> None:
    """Raises Invalid."""
    if problems := _validate(options):
        raise errors.Invalid.of(META_GROUP, _KIND, "", problems)


def _validate(options: DeleteOptions) -> list[field.FieldError]:
    problems: list[field.FieldError] = []
    policy = options.propagation_policy
    if policy is not None:
        if options.orphan_dependents is not None:
            detail = "orphanDependents and deletionPropagation cannot be both set"
            problems.append(field.invalid("propagationPolicy", field.named(policy), detail))
        if policy not in _POLICIES:
            problems.append(field.not_among("propagationPolicy", policy, [*_POLICIES, "nil"]))
    return problems + validate_dry_run(list(options.dry_run))


def _from_query(query: Query) -> DeleteOptions:
    policies = query.get("propagationPolicy")
    return DeleteOptions(
        dry_run=tuple(query.get("dryRun", ())),
        propagation_policy=policies[0] if policies else None,
        orphan_dependents=parse_optional_bool(query, "orphanDependents"),
        grace_period_s=parse_optional_int(query, "gracePeriodSeconds"),
        precondition_uid=first(query, "uid") or None,
        precondition_resource_version=first(query, "resourceVersion") or None,
        ignores_read_errors=parse_bool(query, _IGNORES_READ_ERRORS),
    )


def _from_body(request: RequestContext) -> DeleteOptions:
    value, members = _decode(request)
    _check_kind(value, members)
    try:
        decoded = Decoder(report_unknown=False).decode_struct(value, _OPTIONS)
    except DecodeError as error:
        is_yaml = codec.media_type_of(request.headers.get("content-type", "")) == codec.YAML
        told = numbers.as_json if is_yaml else numbers.as_sent
        raise told(BadRequest(str(error)), request.body) from error
    if request.audit is not None:
        request.audit.log_options({"kind": _KIND, "apiVersion": _AUDITED_VERSION, **decoded})
    has_preconditions = decoded.get("preconditions") is not None
    preconditions = decoded["preconditions"] if has_preconditions else {}
    return DeleteOptions(
        dry_run=tuple(decoded.get("dryRun") or ()),
        propagation_policy=decoded.get("propagationPolicy"),
        orphan_dependents=decoded.get("orphanDependents"),
        grace_period_s=decoded.get("gracePeriodSeconds"),
        precondition_uid=preconditions.get("uid"),
        precondition_resource_version=preconditions.get("resourceVersion"),
        ignores_read_errors=bool(decoded.get(_IGNORES_READ_ERRORS)),
        has_preconditions=has_preconditions,
    )


def _decode(request: RequestContext) -> tuple[Any, codec.Members | None]:
    """With the members of the text where it says more than once what it is."""
    media_type = codec.media_type_of(request.headers.get("content-type", ""))
    try:
        if media_type == codec.PROTOBUF:
            return protobuf_codec.decode(request.body, _API_VERSION, _KIND, _check_protobuf_kind), None
        if media_type == codec.YAML:
            value = body.read_yaml(request).value
            yamlorder.sort_members(value)
            return value, None
        decoded = json_codec.decode(request.body, keeps_huge=True)
        if not decoded.duplicates:
            return decoded.value, None
        value = gorepeats.read(request.body, _OPTIONS) or decoded.value
        return value, codec.repeated_members(request.body, decoded.duplicates)
    except json_codec.DecodeError as error:
        text = f"couldn't get version/kind; json parse error: {error.message}" if error.is_syntax else error.message
        raise BadRequest(text) from error
    except (yaml_codec.DecodeError, protobuf_codec.DecodeError) as error:
        raise BadRequest(error.message) from error


def _check_protobuf_kind(api_version: str, kind: str) -> None:
    _check_kind({"apiVersion": api_version, "kind": kind})


def _check_kind(value: Any, members: codec.Members | None = None) -> None:
    """Raises BadRequest where a body claims to be something else."""
    group, version, kind = codec.interpret(value, members)
    if not version and group in ("", META_GROUP):
        group, version = META_GROUP, "v1"
    kind = kind or _KIND
    if not version:
        raise BadRequest(f"Object 'apiVersion' is missing in '{gofmt.format_json(value)}'")
    if kind == _KIND:
        return
    if kind in _KINDS_OF_ANY_VERSION or (group == META_GROUP and kind in _META_KINDS.get(version, ())):
        raise BadRequest(f"converting (v1.{kind}) to (v1.{_KIND}): unknown conversion")
    shown = gofmt.quote(meta.join_api_version(group, version))
    text = f"no kind {gofmt.quote(kind)} is registered for version {shown} in scheme {gofmt.quote(_SCHEME)}"
    raise BadRequest(text)
