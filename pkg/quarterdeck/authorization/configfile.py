"""The file of --authorization-config: an AuthorizationConfiguration, decoded strictly, with its defaults, validated.

    configuration = load(data)
    configuration.authorizers, configuration.conditions["webhook.example.com"]

Source: apiserver/pkg/apis/apiserver/{load,v1}, validation/validation.go (ValidateAuthorizationConfiguration),
pkg/kubeapiserver/authorizer/config.go (LoadAndValidateData). Its errors are upstream's.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import duration, errors, field, gofmt
from quarterdeck.authorization.configchecks import DURATIONS, IN_CLUSTER, ConfigValidator
from quarterdeck.authorization.configuration import (
    WEBHOOK,
    AuthorizerConfiguration,
    Webhook,
    name_of,
)
from quarterdeck.authorization.webhook.conditions import Condition
from quarterdeck.schema import configfile
from quarterdeck.schema.configfile import BadFile
from quarterdeck.schema.gotype import ANY, BOOL, STRING, Field, ListOf, Struct

Object = dict[str, Any]

GROUP: Final = "apiserver.config.k8s.io"
KIND: Final = "AuthorizationConfiguration"
_VERSIONS: Final = ("v1", "v1beta1", "v1alpha1")
_SCHEME: Final = "k8s.io/apiserver/pkg/apis/apiserver/load/load.go:32"
_DEFAULTS_NS: Final = {"authorizedTTL": 300_000_000_000, "unauthorizedTTL": 30_000_000_000}


def _struct(version: str) -> Struct:
    connection = Struct("WebhookConnectionInfo", {"type": Field(STRING), "kubeConfigFile": Field(STRING)}, version)
    webhook = Struct(
        "WebhookConfiguration",
        {
            **{name: Field(ANY) for name in DURATIONS},
            "cacheAuthorizedRequests": Field(BOOL, pointer=True),
            "cacheUnauthorizedRequests": Field(BOOL, pointer=True),
            "subjectAccessReviewVersion": Field(STRING),
            "matchConditionSubjectAccessReviewVersion": Field(STRING),
            "failurePolicy": Field(STRING),
            "connectionInfo": Field(connection),
            "matchConditions": Field(ListOf(Struct("WebhookMatchCondition", {"expression": Field(STRING)}, version))),
        },
        version,
    )
    authorizer = Struct(
        "AuthorizerConfiguration",
        {"type": Field(STRING), "name": Field(STRING), "webhook": Field(webhook, pointer=True)},
        version,
    )
    fields = {"kind": Field(STRING), "apiVersion": Field(STRING), "authorizers": Field(ListOf(authorizer))}
    return Struct(KIND, fields, version)


class Configuration(NamedTuple):
    """`conditions`: the compiled ones, by the name of their webhook."""

    authorizers: tuple[AuthorizerConfiguration, ...]
    conditions: Mapping[str, Sequence[Condition]]


def load(data: bytes, required: Iterable[str] = ()) -> Configuration:
    """`required`: types that must not go. Raises BadFile."""
    given = _decode(data)
    checking = ConfigValidator()
    problems = checking.check(given)
    if problems:
        raise BadFile(field.aggregate_message(problems))
    _check_names(given, required)
    return Configuration(tuple(map(_read_authorizer, given)), checking.conditions)


def _decode(data: bytes) -> list[Object]:
    kinds = {(GROUP, version, KIND): _struct(version) for version in _VERSIONS}
    try:
        decoded = configfile.decode(data, kinds, _SCHEME)
        given: list[Object] = decoded.get("authorizers") or []
        for authorizer in given:
            _read_durations(authorizer.get("webhook"))
    except BadFile as error:
        raise BadFile(f"failed to load {KIND} from file: {error}") from error
    return given


def _read_durations(webhook: Object | None) -> None:
    """In nanoseconds from here on."""
    if webhook is None:
        return
    for name in DURATIONS:
        text = webhook.get(name)
        if text is not None and not isinstance(text, str):
            raise BadFile(f"json: cannot unmarshal {gofmt.json_type(text)} into Go value of type string")
        try:
            webhook[name] = duration.parse_ns(text) if text is not None else 0
        except ValueError as error:
            raise BadFile(str(error)) from error
    for name, default in _DEFAULTS_NS.items():
        webhook[name] = webhook[name] or default


def _check_names(given: Sequence[Object], required: Iterable[str]) -> None:
    """What kube-apiserver asks for beside what every server does."""
    texts = []
    seen = {each["type"] for each in given if each["type"] != WEBHOOK}
    for each in given:
        if each["type"] != WEBHOOK and each["name"] != name_of(each["type"]):
            texts.append(
                f"expected name {name_of(each['type'])} for authorizer {each['type']} instead of {each['name']}"
            )
        if each["type"] == WEBHOOK and each["webhook"]["connectionInfo"]["type"] == IN_CLUSTER:
            texts.append(f"authorizer {each['name']}: {IN_CLUSTER} would ask this server itself")
    if missing := sorted({*required} - seen):
        texts.append(f"missing required types: [{' '.join(missing)}]")
    if texts:
        raise BadFile(errors.aggregate(texts))


def _read_authorizer(given: Object) -> AuthorizerConfiguration:
    webhook = given.get("webhook")
    return AuthorizerConfiguration(given["type"], given["name"], None if webhook is None else _read_webhook(webhook))


def _read_webhook(given: Object) -> Webhook:
    def ttl_s(word: str) -> float:
        is_cached = given.get(f"cache{word.capitalize()}Requests", True)
        return given[f"{word}TTL"] / 1e9 if is_cached else 0.0

    return Webhook(
        Path(given["connectionInfo"]["kubeConfigFile"]),
        given["subjectAccessReviewVersion"],
        given["timeout"] / 1e9,
        ttl_s("authorized"),
        ttl_s("unauthorized"),
        given["failurePolicy"] == "Deny",
        tuple(each["expression"] for each in given.get("matchConditions") or ()),
    )
