"""The file of an audit policy: read, checked, and compiled.

What the file holds beside what a Policy has is warned of and does not count, as upstream takes it.
Source: apiserver/pkg/audit/policy/reader.go, pkg/apis/audit/{v1/types,validation/validation}.go.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from quarterdeck.apimachinery import field, gofmt, meta, names
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import yaml as yaml_codec
from quarterdeck.audit import levels
from quarterdeck.audit.policy import Decision, GroupResources, Policy, Rule
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import ANY, BOOL, STRING, Field, ListOf, MapOf, Scalar, Struct

_LOG: Final = logging.getLogger(__name__)

_GROUP: Final = "audit.k8s.io"
_VERSION: Final = "v1"
_KIND: Final = "Policy"
_SCHEME: Final = "k8s.io/apiserver/pkg/audit/scheme.go:30"

_TYPE_META: Final = (
    'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }'
)
_TEXTS: Final = Field(ListOf(STRING))
_STAGES: Final = Field(ListOf(Scalar("v1.Stage", "string")))
_RESOURCES: Final = Struct("GroupResources", {"group": Field(STRING), "resources": _TEXTS, "resourceNames": _TEXTS})
_RULE: Final = Struct(
    "PolicyRule",
    {
        "level": Field(Scalar("v1.Level", "string"), always=True),
        "users": _TEXTS,
        "userGroups": _TEXTS,
        "verbs": _TEXTS,
        "resources": Field(ListOf(_RESOURCES)),
        "namespaces": _TEXTS,
        "nonResourceURLs": _TEXTS,
        "omitStages": _STAGES,
        "omitManagedFields": Field(BOOL, pointer=True),
    },
)
_POLICY: Final = Struct(
    _KIND,
    {
        "kind": Field(STRING),
        "apiVersion": Field(STRING),
        "metadata": Field(MapOf(ANY)),
        "rules": Field(ListOf(_RULE)),
        "omitStages": _STAGES,
        "omitManagedFields": Field(BOOL),
    },
)

Object = Mapping[str, Any]


class PolicyError(ValueError):
    """The file holds no policy that can be followed; the text says why, in upstream's words."""


def load(path: Path) -> Policy:
    """Raises PolicyError."""
    try:
        data = path.read_bytes()
    except OSError as error:
        reason = (error.strerror or str(error)).lower()
        raise PolicyError(f'failed to read file path "{path}": open {path}: {reason}') from error
    try:
        return parse(data)
    except PolicyError as error:
        raise PolicyError(f"{error}: from file {path}") from error


def parse(data: bytes) -> Policy:
    """Of YAML or JSON. Raises PolicyError."""
    policy = _decode(data)
    if problems := _validate(policy):
        raise PolicyError(field.aggregate_message(problems))
    if not policy.get("rules"):
        raise PolicyError("loaded illegal policy with 0 rules")
    return compile_policy(policy)


def compile_policy(policy: Object) -> Policy:
    """Of a valid one."""
    omitted = frozenset(policy.get("omitStages") or ())
    omits_managed_fields = bool(policy.get("omitManagedFields"))
    rules = (_compile_rule(rule, omitted, omits_managed_fields) for rule in policy.get("rules") or ())
    return Policy(rules, Decision(levels.NONE, omitted, omits_managed_fields))


def _compile_rule(rule: Object, omitted: frozenset[str], omits_managed_fields: bool) -> Rule:
    own = rule.get("omitManagedFields")
    decision = Decision(
        levels.LEVELS.index(rule["level"]),
        omitted | frozenset(rule.get("omitStages") or ()),
        omits_managed_fields if own is None else own,
    )
    return Rule(
        decision,
        users=frozenset(rule.get("users") or ()),
        groups=frozenset(rule.get("userGroups") or ()),
        verbs=frozenset(rule.get("verbs") or ()),
        resources=tuple(
            GroupResources(
                each.get("group") or "",
                tuple(each.get("resources") or ()),
                frozenset(each.get("resourceNames") or ()),
            )
            for each in rule.get("resources") or ()
        ),
        namespaces=frozenset(rule.get("namespaces") or ()),
        paths=tuple(rule.get("nonResourceURLs") or ()),
    )


def _decode(data: bytes) -> Object:
    try:
        found = yaml_codec.decode(data)
    except yaml_codec.DecodeError as error:
        text = f"couldn't get version/kind; json parse error: {error.message}"
        raise PolicyError(f"failed decoding: {text}") from error
    value = found.value
    if value is not None and not isinstance(value, dict):
        text = f"json: cannot unmarshal {gofmt.json_type(value)} into Go value of type {_TYPE_META}"
        raise PolicyError(f"failed decoding: couldn't get version/kind; json parse error: {text}")
    _check_kind(value or {})
    decoder = Decoder(report_unknown=True)
    try:
        policy = decoder.decode_struct(value, _POLICY)
    except DecodeError as error:
        raise PolicyError(f"failed decoding: {error}") from error
    findings = [*found.duplicates, *(f'unknown field "{path}"' for path in decoder.unknown)]
    if findings:
        text = f"strict decoding error: {', '.join(findings)}"
        _LOG.warning("Audit policy contains errors, falling back to lenient decoding: %s", text)
    return policy


def _check_kind(value: Object) -> None:
    kind, api_version = value.get("kind") or "", value.get("apiVersion") or ""
    shown = json_codec.encode(value).decode()
    if not kind:
        raise PolicyError(f"failed decoding: Object 'Kind' is missing in '{shown}'")
    if not api_version:
        raise PolicyError(f"failed decoding: Object 'apiVersion' is missing in '{shown}'")
    if (kind, api_version) != (_KIND, meta.join_api_version(_GROUP, _VERSION)):
        registered = f"no kind {gofmt.quote(str(kind))} is registered for version {gofmt.quote(str(api_version))}"
        raise PolicyError(f'failed decoding: {registered} in scheme "{_SCHEME}"')


def _validate(policy: Object) -> list[field.FieldError]:
    problems = _validate_stages(policy.get("omitStages") or (), "omitStages")
    for position, rule in enumerate(policy.get("rules") or ()):
        problems += _validate_rule(rule, field.index("rules", position))
    return problems


def _validate_rule(rule: Object, path: str) -> list[field.FieldError]:
    problems: list[field.FieldError] = []
    level = rule["level"]
    if not level:
        problems.append(field.required(f"{path}.level"))
    elif level not in levels.LEVELS:
        problems.append(field.not_supported(f"{path}.level", level, list(levels.LEVELS)))
    paths = rule.get("nonResourceURLs") or []
    problems += _validate_paths(paths, f"{path}.nonResourceURLs")
    problems += _validate_resources(rule.get("resources") or (), f"{path}.resources")
    problems += _validate_stages(rule.get("omitStages") or (), f"{path}.omitStages")
    if paths and (rule.get("resources") or rule.get("namespaces")):
        detail = "rules cannot apply to both regular resources and non-resource URLs"
        problems.append(field.invalid(f"{path}.nonResourceURLs", paths, detail))
    return problems


def _validate_paths(paths: Sequence[str], path: str) -> list[field.FieldError]:
    problems: list[field.FieldError] = []
    for position, given in enumerate(paths):
        where = field.index(path, position)
        if given == "*":
            continue
        if not given.startswith("/"):
            detail = "non-resource URL rules must begin with a '/' character"
            problems.append(field.invalid(where, given, detail))
        if "*" in given[:-1]:
            detail = "non-resource URL wildcards '*' must be the final character of the rule"
            problems.append(field.invalid(where, given, detail))
    return problems


def _validate_resources(resources: Sequence[Object], path: str) -> list[field.FieldError]:
    """Upstream does not tell which of them it is."""
    problems: list[field.FieldError] = []
    for each in resources:
        group = each.get("group") or ""
        if group not in ("", "*") and (texts := names.name_is_dns1123_subdomain(group)):
            problems.append(field.invalid(f"{path}.group", group, ",".join(texts)))
        if each.get("resourceNames") and not each.get("resources"):
            detail = "using resourceNames requires at least one resource"
            problems.append(field.invalid(f"{path}.resourceNames", each["resourceNames"], detail))
    return problems


def _validate_stages(stages: Sequence[str], path: str) -> list[field.FieldError]:
    detail = f"allowed stages are {','.join(levels.STAGES)}"
    return [
        field.invalid(field.index(path, position), stage, detail)
        for position, stage in enumerate(stages)
        if stage not in levels.STAGES
    ]
