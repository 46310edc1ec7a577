"""The flags that tell who may do what: kube-apiserver's.

Source: pkg/kubeapiserver/options/authorization.go, whose errors these are. Differs from upstream: RBAC is the default,
not AlwaysAllow.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.authorization.configuration import (
    ABAC,
    DEFAULT,
    MODES,
    WEBHOOK,
    AuthorizerConfiguration,
    Webhook,
    name_of,
)
from quarterdeck.cmd.values import Listing, parse_duration_s, parse_list
from quarterdeck.server.config import ConfigError

_VERSIONS: Final = ("v1", "v1beta1")
_DEFAULT_WEBHOOK_NAME: Final = "default"


def add(parser: argparse._ActionsContainer) -> None:
    flag = parser.add_argument
    flag(
        "--authorization-mode",
        action=Listing,
        type=parse_list,
        metavar="MODE,…",
        help=f"who is asked what users may do, in order: {', '.join(MODES)} (default RBAC)",
    )
    flag(
        "--authorization-policy-file",
        default="",
        metavar="FILE",
        help="the policies of --authorization-mode=ABAC, one a line in JSON",
    )
    flag(
        "--authorization-config",
        type=Path,
        metavar="FILE",
        help="an AuthorizationConfiguration, instead of the other --authorization flags; read again when it changes",
    )
    flag(
        "--authorization-webhook-config-file",
        type=Path,
        metavar="FILE",
        help="kubeconfig: where the webhook of --authorization-mode=Webhook is",
    )
    flag("--authorization-webhook-version", metavar="VERSION", help="of the reviews that it is sent (default v1beta1)")
    for what, default in (("authorized", "5m"), ("unauthorized", "30s")):
        flag(
            f"--authorization-webhook-cache-{what}-ttl",
            metavar="DURATION",
            help=f"how long what it {what.removesuffix('d')}s is remembered (default {default})",
        )


def resolve(arguments: argparse.Namespace) -> dict[str, Any]:
    """What a Config says of the authorizers, or of the file that names them. Raises ConfigError."""
    file: Path | None = arguments.authorization_config
    policies = {"authorization_policy_file": arguments.authorization_policy_file}
    if file is None:
        return policies | {"authorizers": _of_flags(arguments)}
    given = ("mode", "webhook_config_file", "webhook_version", *(_ttl(what) for what in ("authorized", "unauthorized")))
    if any(getattr(arguments, f"authorization_{name}") is not None for name in given):
        raise ConfigError(
            "--authorization-config can not be specified when --authorization-mode or --authorization-webhook-* flags "
            "are defined"
        )
    return policies | {"authorizers": (), "authorization_config": file}


def _ttl(what: str) -> str:
    return f"webhook_cache_{what}_ttl"


def _of_flags(arguments: argparse.Namespace) -> tuple[AuthorizerConfiguration, ...]:
    modes: tuple[str, ...] | None = arguments.authorization_mode
    kubeconfig: Path | None = arguments.authorization_webhook_config_file
    problems = _check(modes, kubeconfig, arguments.authorization_policy_file)
    version = arguments.authorization_webhook_version or "v1beta1"
    if version not in _VERSIONS:
        told = f"unsupported webhook authorizer version {gofmt.quote(version)}, supported versions are "
        problems.append(told + ", ".join(map(gofmt.quote, _VERSIONS)))
    if problems:
        raise ConfigError("; ".join(problems))
    if modes is None:
        return DEFAULT
    return tuple(
        _webhook(arguments, kubeconfig, version)
        if mode == WEBHOOK and kubeconfig is not None
        else AuthorizerConfiguration(mode, name_of(mode))
        for mode in modes
    )


def _webhook(arguments: argparse.Namespace, kubeconfig: Path, version: str) -> AuthorizerConfiguration:
    given = Webhook(
        kubeconfig,
        version,
        authorized_ttl_s=_duration(arguments, "authorized", 300.0),
        unauthorized_ttl_s=_duration(arguments, "unauthorized", 30.0),
    )
    return AuthorizerConfiguration(WEBHOOK, _DEFAULT_WEBHOOK_NAME, given)


def _duration(arguments: argparse.Namespace, what: str, default_s: float) -> float:
    text: str | None = getattr(arguments, f"authorization_{_ttl(what)}")
    if text is None:
        return default_s
    try:
        return parse_duration_s(text)
    except ValueError as error:
        raise ConfigError(f"--authorization-webhook-cache-{what}-ttl: {error}") from error


def _check(modes: tuple[str, ...] | None, kubeconfig: Path | None, policy_file: str) -> list[str]:
    problems: list[str] = []
    if modes is not None and not modes:
        problems.append("at least one authorization-mode must be passed")
    known = modes or ()
    for mode in known:
        if mode not in MODES:
            problems.append(f"authorization-mode {gofmt.quote(mode)} is not a valid mode")
        if mode == ABAC and not policy_file:
            problems.append("authorization-mode ABAC's authorization policy file not passed")
        if mode == WEBHOOK and kubeconfig is None:
            problems.append("authorization-mode Webhook's authorization config file not passed")
    if policy_file and ABAC not in known:
        problems.append("cannot specify --authorization-policy-file without mode ABAC")
    if kubeconfig is not None and WEBHOOK not in known:
        problems.append("cannot specify --authorization-webhook-config-file without mode Webhook")
    if len({*known}) != len(known):
        problems.append(f"authorization-mode {gofmt.quote_all(known)} has mode specified more than once")
    return problems
