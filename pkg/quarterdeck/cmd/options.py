"""The command line: flags with kube-apiserver's names and meanings, and what they come to (server/config.py)."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

from quarterdeck.cmd import storage, webhook_flags
from quarterdeck.cmd.bench import command as bench
from quarterdeck.cmd.upstream_flags import RefusedFlag, take_out
from quarterdeck.cmd.values import parse_duration_s, parse_list, parse_watch_cache_sizes
from quarterdeck.controllers import names as controllers
from quarterdeck.server.config import DEFAULT_ISSUER, Config, ConfigError, FrontProxy, ServiceAccounts
from quarterdeck.server.version import DEFAULT_VERSION, Version, parse_version
from quarterdeck.transport import tls_settings


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="quarterdeck",
        description="A Kubernetes API server for custom resources.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    serve = commands.add_parser(
        "serve",
        help="run the server",
        description="Run the server until SIGTERM or SIGINT.",
        epilog="Exit codes: 0 stopped by a signal, 1 cannot start or failed, 2 wrong usage, 3 a port cannot be had, "
        "4 the data directory or its store cannot be used, 5 the store failed while the server ran.",
        allow_abbrev=False,
    )
    _add_serve_flags(serve)
    bench.add_parser(commands)
    storage.add_parser(commands)
    commands.add_parser("version", help="print the versions", allow_abbrev=False)
    return parser


def _add_serve_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add("--data-dir", type=Path, required=True, metavar="DIR", help="where everything is kept; made if missing")
    add("--bind-address", default="127.0.0.1", metavar="IP", help="address of the secure port (default %(default)s)")
    add("--secure-port", type=int, default=6443, metavar="N", help="HTTPS; 0 picks one (default %(default)s)")
    add(
        "--insecure-port",
        type=_parse_insecure_port,
        metavar="N|auto",
        help="plain HTTP on 127.0.0.1 with the administrator's rights, for load tests; auto picks a free one"
        " (default 0: off)",
    )
    add("--token-auth-file", type=Path, metavar="FILE", help='CSV: token,user,uid[,"group1,group2"]')
    add("--client-ca-file", type=Path, metavar="FILE", help="PEM: authorities of client certificates")
    add("--anonymous-auth", type=_parse_bool, default=True, metavar="BOOL", help="(default true)")
    add("--tls-cert-file", type=Path, metavar="FILE", help="PEM: the certificate to serve with, and its chain")
    add("--tls-private-key-file", type=Path, metavar="FILE", help="PEM: its key")
    add(
        "--tls-min-version",
        default="",
        metavar="VERSION",
        help="VersionTLS12 or VersionTLS13; older ones are never offered (default VersionTLS12)",
    )
    add(
        "--tls-cipher-suites",
        type=parse_list,
        default=(),
        metavar="NAME,…",
        help="by Go's names, those before TLS 1.3 (default: OpenSSL's)",
    )
    add("--cert-dir", type=Path, metavar="DIR", help="where apiserver.crt and apiserver.key are, or are made")
    add("--write-kubeconfig", type=Path, metavar="FILE", help="the administrator's kubeconfig, beside that in DIR")
    add(
        "--emulated-version",
        type=_parse_version,
        default=DEFAULT_VERSION,
        metavar="VERSION",
        help=f"what /version says (default {DEFAULT_VERSION.git_version})",
    )
    _add_front_proxy_flags(parser)
    _add_service_account_flags(parser)
    _add_watch_flags(parser)
    webhook_flags.add(parser)
    add(
        "--controllers",
        action="append",
        default=[],
        metavar="NAME,…",
        help="controllers to run, as kube-controller-manager names them: '*' all, 'foo' that one, '-foo' not that one;"
        f" here are {controllers.GARBAGE_COLLECTOR} and {controllers.NAMESPACE}, its other names mean nothing"
        " (default '*')",
    )


def _add_front_proxy_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--requestheader-client-ca-file",
        type=Path,
        metavar="FILE",
        help="PEM: authorities of proxies whose X-Remote headers are believed",
    )
    lists = (
        ("allowed-names", "", "common names of those proxies; none: any"),
        ("username-headers", "x-remote-user", "who a request is from"),
        ("uid-headers", "", "that user's uid; usually x-remote-uid"),
        ("group-headers", "x-remote-group", "that user's groups"),
        ("extra-headers-prefix", "x-remote-extra-", "more of that user"),
    )
    for name, default, what in lists:
        shown = f" (default {default})" if default else ""
        add(f"--requestheader-{name}", type=parse_list, default=default, metavar="NAME,…", help=what + shown)


def _build_front_proxy(arguments: argparse.Namespace) -> FrontProxy | None:
    if arguments.requestheader_client_ca_file is None:
        return None
    return FrontProxy(
        arguments.requestheader_client_ca_file,
        arguments.requestheader_username_headers,
        arguments.requestheader_uid_headers,
        arguments.requestheader_group_headers,
        arguments.requestheader_extra_headers_prefix,
        arguments.requestheader_allowed_names,
    )


def _add_service_account_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--service-account-issuer",
        action="append",
        default=[],
        metavar="URL",
        help="of service accounts' tokens; given again, tokens of those issuers are believed too "
        f"(default {DEFAULT_ISSUER})",
    )
    add(
        "--service-account-signing-key-file",
        type=Path,
        metavar="FILE",
        help="PEM: the RSA or ECDSA key that tokens are signed with (default: one of the server's own)",
    )
    add(
        "--service-account-key-file",
        type=Path,
        action="append",
        default=[],
        metavar="FILE",
        help="PEM: more keys that tokens are believed by; may be given again",
    )
    add(
        "--service-account-max-token-expiration",
        type=_parse_duration,
        default=0.0,
        metavar="DURATION",
        help="longest life of a token; what asks for more gets this",
    )
    add("--service-account-jwks-uri", default="", metavar="URL", help="overrides that of the OpenID document")
    add(
        "--api-audiences",
        action="append",
        default=[],
        metavar="NAME,…",
        help="whom tokens must be meant for (default: the first issuer)",
    )


def _add_watch_flags(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument
    add(
        "--default-watch-cache-size",
        type=int,
        default=100,
        metavar="N",
        help="least number of recent changes of a resource that watches resume from; the window grows with the rate of"
        " changes; 0: none are kept, watches resume from the store (default %(default)s)",
    )
    add(
        "--watch-cache-sizes",
        action="append",
        default=[],
        metavar="RESOURCE[.GROUP]#SIZE,…",
        help="the same for single resources",
    )
    add(
        "--request-timeout",
        type=_parse_duration,
        default=60.0,
        metavar="DURATION",
        help="how long a request may take; then it is ended with 504, and what it asked for may or may not be done"
        " (default 1m)",
    )
    add(
        "--min-request-timeout",
        type=int,
        default=1800,
        metavar="SECONDS",
        help="a watch whose client names no timeout is ended after once to twice as long (default %(default)s)",
    )
    add(
        "--watch-cache-consistency-check-period",
        type=_parse_duration,
        default=300.0,
        metavar="DURATION",
        help="how often the watch cache is compared with the store; 0: never (default 5m)",
    )


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The arguments, and the names of the flags of kube-apiserver that were ignored. Exits as argparse does; raises
    ConfigError for one that must not be ignored."""
    ignored: list[str] = []
    if argv and argv[0] == "serve":
        try:
            rest, ignored = take_out(argv[1:])
        except RefusedFlag as error:
            raise ConfigError(str(error)) from error
        argv = ["serve", *rest]
    return build_parser().parse_args(argv), ignored


def build_config(arguments: argparse.Namespace) -> Config:
    """Raises ConfigError."""
    try:
        sizes = parse_watch_cache_sizes(arguments.watch_cache_sizes)
    except ValueError as error:
        raise ConfigError(f"--watch-cache-sizes: {error}") from error
    try:
        wanted = controllers.resolve([name for text in arguments.controllers for name in text.split(",")] or ["*"])
        tls = tls_settings.parse(arguments.tls_min_version, arguments.tls_cipher_suites)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    config = Config(
        data_dir=arguments.data_dir.absolute(),
        bind_address=arguments.bind_address,
        secure_port=arguments.secure_port,
        insecure_port=arguments.insecure_port,
        token_auth_file=arguments.token_auth_file,
        client_ca_file=arguments.client_ca_file,
        tls_cert_file=arguments.tls_cert_file,
        tls_private_key_file=arguments.tls_private_key_file,
        tls=tls,
        cert_dir=arguments.cert_dir,
        write_kubeconfig=arguments.write_kubeconfig,
        is_anonymous_allowed=arguments.anonymous_auth,
        version=arguments.emulated_version,
        default_watch_cache_size=arguments.default_watch_cache_size,
        watch_cache_sizes=sizes,
        min_request_timeout_s=arguments.min_request_timeout,
        request_timeout_s=arguments.request_timeout,
        consistency_check_period_s=arguments.watch_cache_consistency_check_period,
        front_proxy=_build_front_proxy(arguments),
        service_accounts=ServiceAccounts(
            tuple(arguments.service_account_issuer),
            tuple(arguments.service_account_key_file),
            arguments.service_account_signing_key_file,
            tuple(name for text in arguments.api_audiences for name in parse_list(text)),
            arguments.service_account_jwks_uri,
            int(arguments.service_account_max_token_expiration),
        ),
        controllers=wanted,
        webhook_services=tuple(arguments.webhook_service_address),
    )
    config.check()
    return config


def _parse_bool(text: str) -> bool:
    """As strconv.ParseBool, which kube-apiserver's flags are read with."""
    if text in ("1", "t", "T", "true", "TRUE", "True"):
        return True
    if text in ("0", "f", "F", "false", "FALSE", "False"):
        return False
    raise argparse.ArgumentTypeError(f"{text!r} is neither true nor false")


def _parse_insecure_port(text: str) -> int | None:
    """As Config has it. 0 is off, as it was for kube-apiserver while it had this flag; envtest passes it."""
    if text == "auto":
        return 0
    try:
        return int(text) or None
    except ValueError as error:
        raise argparse.ArgumentTypeError(f"{text!r} is neither a number nor auto") from error


def _parse_duration(text: str) -> float:
    try:
        return parse_duration_s(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _parse_version(text: str) -> Version:
    try:
        return parse_version(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
