"""The flags that tell whose tokens are believed: kube-apiserver's.

Source: pkg/kubeapiserver/options/authentication.go, whose errors these are.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from quarterdeck.apimachinery import gofmt
from quarterdeck.authentication.oidc.configuration import ClaimOrExpression, ClaimRule, Issuer, JWTAuthenticator
from quarterdeck.cmd.argument_types import parse_bool, parse_duration
from quarterdeck.cmd.values import Listing, parse_list
from quarterdeck.server.config import Authentication, ConfigError, TokenWebhook

_ALGORITHMS: Final = ["ES256", "ES384", "ES512", "PS256", "PS384", "PS512", "RS256", "RS384", "RS512"]
_OIDC: Final = tuple(
    f"oidc_{name}"
    for name in (
        *("issuer_url", "client_id", "ca_file", "signing_algs", "required_claim"),
        *("username_claim", "username_prefix", "groups_claim", "groups_prefix"),
    )
)


def add(parser: argparse._ActionsContainer) -> None:
    flag = parser.add_argument
    flag("--anonymous-auth", nargs="?", const=True, type=parse_bool, metavar="BOOL", help="(default true)")
    flag(
        "--authentication-config",
        type=Path,
        metavar="FILE",
        help="an AuthenticationConfiguration: issuers whose tokens are believed, and where requests may come without "
        "credentials; read again when it changes",
    )
    flag("--oidc-issuer-url", metavar="URL", help="an issuer whose tokens are believed; https")
    flag("--oidc-client-id", metavar="NAME", help="whom its tokens must be meant for")
    flag("--oidc-ca-file", type=Path, metavar="FILE", help="PEM: whom to believe to be it (default: the system's)")
    flag("--oidc-username-claim", metavar="CLAIM", help="what is the user's name (default sub)")
    flag(
        "--oidc-username-prefix",
        metavar="TEXT",
        help="before names; - for none (default: the issuer's URL and #, none before addresses of mail)",
    )
    flag("--oidc-groups-claim", metavar="CLAIM", help="what are the user's groups")
    flag("--oidc-groups-prefix", metavar="TEXT", help="before groups")
    flag("--oidc-signing-algs", action=Listing, type=parse_list, metavar="NAME,…", help="(default RS256)")
    flag(
        "--oidc-required-claim",
        action="append",
        metavar="CLAIM=VALUE",
        help="what a token has to say; may be given again",
    )
    webhook = "--authentication-token-webhook"
    flag(f"{webhook}-config-file", type=Path, metavar="FILE", help="kubeconfig: a webhook that knows whose tokens are")
    flag(
        f"{webhook}-version",
        default="v1beta1",
        metavar="VERSION",
        help="of the reviews that it is sent (default v1beta1)",
    )
    flag(
        f"{webhook}-cache-ttl",
        type=parse_duration,
        default=120.0,
        metavar="DURATION",
        help="how long its answers are remembered (default 2m)",
    )


def resolve(arguments: argparse.Namespace) -> Authentication:
    """Raises ConfigError."""
    has_oidc = any(getattr(arguments, name) is not None for name in _OIDC)
    file: Path | None = arguments.authentication_config
    if file is not None and has_oidc:
        raise ConfigError("authentication-config file and oidc-* flags are mutually exclusive")
    if has_oidc and not (arguments.oidc_issuer_url and arguments.oidc_client_id):
        raise ConfigError("oidc-issuer-url and oidc-client-id must be specified together when any oidc-* flags are set")
    algorithms = tuple(arguments.oidc_signing_algs or ("RS256",))
    for name in algorithms:
        if name not in _ALGORITHMS:
            raise ConfigError(f"oidc: unsupported signing alg: {gofmt.quote(name)}")
    return Authentication(
        file,
        (_build_authenticator(arguments),) if has_oidc else (),
        algorithms,
        is_anonymous_given=arguments.anonymous_auth is not None,
        webhook=_build_webhook(arguments),
    )


def _build_webhook(arguments: argparse.Namespace) -> TokenWebhook | None:
    file: Path | None = arguments.authentication_token_webhook_config_file
    version: str = arguments.authentication_token_webhook_version
    if file is None:
        return None
    if version not in ("v1", "v1beta1"):
        text = f"unsupported authentication webhook version {gofmt.quote(version)}"
        raise ConfigError(f'{text}, supported versions are "v1", "v1beta1"')
    return TokenWebhook(file, version, arguments.authentication_token_webhook_cache_ttl)


def _build_authenticator(arguments: argparse.Namespace) -> JWTAuthenticator:
    url: str = arguments.oidc_issuer_url
    claim = arguments.oidc_username_claim or "sub"
    prefix = arguments.oidc_username_prefix or ""
    if not prefix and claim != "email":
        prefix = f"{url}#"
    authority = ""
    if arguments.oidc_ca_file is not None:
        try:
            authority = arguments.oidc_ca_file.read_text(encoding="utf-8", errors="replace")
        except OSError as error:
            raise ConfigError(f"cannot read --oidc-ca-file {arguments.oidc_ca_file}: {error.strerror}") from error
    groups = ClaimOrExpression()
    if arguments.oidc_groups_claim:
        groups = ClaimOrExpression(arguments.oidc_groups_claim, prefix=arguments.oidc_groups_prefix or "")
    return JWTAuthenticator(
        Issuer(url, certificate_authority=authority, audiences=(arguments.oidc_client_id,)),
        tuple(_parse_rules(arguments.oidc_required_claim or ())),
        ClaimOrExpression(claim, prefix="" if prefix == "-" else prefix),
        groups,
    )


def _parse_rules(texts: Sequence[str]) -> list[ClaimRule]:
    """The last of several for one claim counts."""
    values: dict[str, str] = {}
    for text in texts:
        claim, equals, value = text.partition("=")
        if not equals:
            raise ConfigError(f"--oidc-required-claim: malformed pair, expect string=string: {text}")
        values[claim.strip()] = value.strip()
    return [ClaimRule(claim, value) for claim, value in values.items()]
