"""The command line: flags with kube-apiserver's names and meanings, read into server/config.py's Config."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from quarterdeck.cmd import (
    account_flags,
    admission_flags,
    aggregator_flags,
    api_flags,
    audit_flags,
    authentication_flags,
    authorization_flags,
    browser_flags,
    cluster_flags,
    controller_flags,
    directories,
    election_flags,
    encryption_flags,
    etcd_flags,
    http2_flags,
    inflight_flags,
    kubelet_flags,
    metric_flags,
    serve_help,
    service_flags,
    snapshot,
    storage,
    testing_flags,
    tls_flags,
    tracing_flags,
    watch_flags,
)
from quarterdeck.cmd import webhook_flags as webhooks
from quarterdeck.cmd.argument_types import parse_insecure_port
from quarterdeck.cmd.assets import command as assets
from quarterdeck.cmd.bench import command as bench
from quarterdeck.cmd.shown_flags import describe_flags
from quarterdeck.cmd.upstream_flags import RefusedFlag, take_out
from quarterdeck.cmd.values import Listing, parse_list
from quarterdeck.server.config import Config, ConfigError, FrontProxy
from quarterdeck.server.version import DEFAULT_VERSION, Version, parse_version


def build_parser(*, has_audit: bool = True, has_etcd: bool = False, has_others: bool = True) -> argparse.ArgumentParser:
    """`has_audit`: with the audit's flags, of which there are so many that a start without them is 5 ms shorter.
    `has_others`: with the commands that a start of the server has no use for."""
    parser = argparse.ArgumentParser(
        prog="quarterdeck",
        description="A Kubernetes API server for custom resources.",
        allow_abbrev=False,
    )
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    serve = commands.add_parser(
        "serve",
        help="run the server",
        usage=serve_help.USAGE,
        description=serve_help.DESCRIPTION,
        epilog=serve_help.EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    _add_serve_flags(serve)
    if has_audit:
        audit_flags.add(serve.add_argument_group("audit"))
    if has_etcd:
        etcd_flags.add(serve.add_argument_group("etcd"))
        election_flags.add(serve.add_argument_group("several servers"))
    for each in (assets, bench, storage, snapshot):
        each.add_parser(commands)
    if has_others:
        from quarterdeck.cmd import completion, testing_commands
        from quarterdeck.cmd.local import command as local

        local.add_parsers(commands)
        testing_commands.add_parsers(commands)
        completion.add_parser(commands)
    commands.add_parser("version", help="print the versions", allow_abbrev=False)
    return parser


def _add_serve_flags(parser: argparse.ArgumentParser) -> None:
    _add_basic_flags(parser.add_argument_group("data and addresses"))
    _add_credentials(parser.add_argument_group("authentication"))
    for title, adding in _SECTIONS:
        section = parser.add_argument_group(title)
        for add in adding:
            add(section)


def _add_basic_flags(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add(
        "--data-dir",
        type=Path,
        metavar="DIR",
        help="where everything is kept; made if missing (default $XDG_DATA_HOME/quarterdeck/server, which is"
        " ~/.local/share/quarterdeck/server)",
    )
    add(
        "--ephemeral",
        action="store_true",
        help="keep objects in memory: they are gone when the server ends. With --data-dir its certificates and the"
        " kubeconfig stay there, otherwise they are removed at the end",
    )
    add("--exit-with-process", type=int, default=0, metavar="PID", help="end when this process has ended")
    add("--bind-address", default="127.0.0.1", metavar="IP", help="address of the secure port (default %(default)s)")
    add("--secure-port", type=int, default=6443, metavar="N", help="HTTPS; 0 picks one (default %(default)s)")
    add(
        "--insecure-port",
        type=parse_insecure_port,
        metavar="N|auto",
        help="plain HTTP on 127.0.0.1 with the administrator's rights, for load tests; auto picks a free one"
        " (default 0: off)",
    )
    add("--write-kubeconfig", type=Path, metavar="FILE", help="the administrator's kubeconfig, beside that in DIR")
    add(
        "--emulated-version",
        type=_parse_version,
        default=DEFAULT_VERSION,
        metavar="VERSION",
        help=f"what /version says (default {DEFAULT_VERSION.git_version})",
    )


def _add_credentials(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add("--token-auth-file", type=Path, metavar="FILE", help='CSV: token,user,uid[,"group1,group2"]')
    add("--client-ca-file", type=Path, metavar="FILE", help="PEM: authorities of client certificates")
    authentication_flags.add(parser)


def _add_front_proxy_flags(parser: argparse._ActionsContainer) -> None:
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
        names = parse_list(default)
        add(
            f"--requestheader-{name}",
            action=Listing,
            type=parse_list,
            default=names,
            metavar="NAME,…",
            help=what + shown,
        )


# Of `quarterdeck serve --help`, in this order.
_SECTIONS: Final = (
    ("front proxies", (_add_front_proxy_flags,)),
    ("service accounts", (account_flags.add,)),
    ("authorization", (authorization_flags.add,)),
    ("admission", (admission_flags.add, webhooks.add)),
    ("TLS and HTTP/2", (tls_flags.add, http2_flags.add)),
    ("browsers", (browser_flags.add,)),
    ("requests and watches", (inflight_flags.add, watch_flags.add)),
    ("APIs and controllers", (api_flags.add, controller_flags.add)),
    ("services", (service_flags.add,)),
    ("other servers: APIServices and kubelets", (aggregator_flags.add, kubelet_flags.add)),
    ("encryption at rest", (encryption_flags.add,)),
    ("logical clusters", (cluster_flags.add,)),
    ("tests of clients", (testing_flags.add,)),
    ("traces", (tracing_flags.add,)),
    ("metrics", (metric_flags.add,)),
)


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


def parse(argv: Sequence[str]) -> tuple[argparse.Namespace, list[str]]:
    """The arguments, and the names of the flags of kube-apiserver that were ignored. Exits as argparse does; raises
    ConfigError for one that must not be ignored."""
    ignored: list[str] = []
    has_etcd = etcd_flags.are_wanted(argv)
    if argv and argv[0] == "serve":
        try:
            rest, ignored = take_out(argv[1:], etcd_flags.HONOURED if has_etcd else frozenset())
        except RefusedFlag as error:
            raise ConfigError(str(error)) from error
        argv = ["serve", *rest]
    wants_help = not {"--help", "-h"}.isdisjoint(argv)
    has_audit = wants_help or any(argument.startswith("--audit") for argument in argv)
    has_others = not argv or argv[0] != "serve"
    parser = build_parser(has_audit=has_audit, has_etcd=has_etcd, has_others=has_others)
    return parser.parse_args(argv), ignored


def build_config(arguments: argparse.Namespace) -> Config:
    """Raises ConfigError."""
    try:
        wanted = controller_flags.resolve(arguments)
        admission, audit = admission_flags.resolve(arguments), audit_flags.resolve(arguments)
        encryption_flags.check(arguments)
        tls = tls_flags.resolve(arguments)
        enablement = api_flags.resolve(arguments)
        shared = election_flags.resolve(arguments) | metric_flags.resolve(arguments) | browser_flags.resolve(arguments)
        shared["logical_clusters"] = cluster_flags.resolve(arguments)
    except ValueError as error:
        raise ConfigError(str(error)) from error
    config = Config(
        flags=describe_flags(arguments),
        **directories.resolve(arguments),
        bind_address=arguments.bind_address,
        secure_port=arguments.secure_port,
        insecure_port=arguments.insecure_port,
        token_auth_file=arguments.token_auth_file,
        has_bootstrap_tokens=arguments.enable_bootstrap_token_auth,
        client_ca_file=arguments.client_ca_file,
        tls_cert_file=arguments.tls_cert_file,
        tls_private_key_file=arguments.tls_private_key_file,
        tls=tls,
        http2=http2_flags.resolve(arguments),
        cert_dir=arguments.cert_dir,
        encryption_provider_config=arguments.encryption_provider_config,
        is_encryption_reloaded=arguments.encryption_provider_config_automatic_reload,
        write_kubeconfig=arguments.write_kubeconfig,
        is_anonymous_allowed=arguments.anonymous_auth is not False,
        authentication=authentication_flags.resolve(arguments),
        **authorization_flags.resolve(arguments),
        allows_privileged=arguments.allow_privileged,
        enablement=enablement,
        version=arguments.emulated_version,
        **watch_flags.resolve(arguments),
        **(inflight_flags.resolve(arguments) | testing_flags.resolve(arguments) | tracing_flags.resolve(arguments)),
        front_proxy=_build_front_proxy(arguments),
        proxy_client=aggregator_flags.resolve(arguments),
        kubelets=kubelet_flags.resolve(arguments),
        rejects_forwarding_redirects=arguments.aggregator_reject_forwarding_redirect,
        service_accounts=account_flags.build(arguments),
        controllers=wanted,
        namespace_deletion_delay_s=arguments.namespace_deletion_delay,
        **admission,
        webhook_services=tuple(arguments.webhook_service_address),
        service_ranges=arguments.service_cluster_ip_range,
        node_ports=arguments.service_node_port_range,
        advertise_address=arguments.advertise_address,
        has_endpoints=arguments.endpoint_reconciler_type != "none",
        audit=audit,
        **shared,
    )
    config.check()
    return config


def _parse_version(text: str) -> Version:
    try:
        return parse_version(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from error
