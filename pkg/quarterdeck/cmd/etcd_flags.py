"""Flags of a server over etcd. They count once `--storage-backend=etcd3` asks for it: command lines that name an etcd
which is not to be used (envtest's) go on starting a server with a file of its own.

Source: apiserver/pkg/server/options/etcd.go.
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain, zip_longest
from pathlib import Path
from typing import Final
from urllib.parse import urlsplit

from quarterdeck.cmd.argument_types import parse_duration
from quarterdeck.cmd.values import Listing, parse_list
from quarterdeck.storage.etcd3.settings import HEALTH_TIMEOUT_S, Override, Settings

PROTOBUF: Final = "application/vnd.kubernetes.protobuf"
_JSON: Final = "application/json"
_HONOURED: Final = """
    storage-backend etcd-servers etcd-servers-overrides etcd-prefix etcd-cafile etcd-certfile etcd-keyfile
    etcd-compaction-interval etcd-healthcheck-timeout storage-media-type event-ttl
"""
HONOURED: Final = frozenset(_HONOURED.split())


def are_wanted(arguments: Sequence[str]) -> bool:
    """Whether a command line asks for etcd."""
    flag = "--storage-backend"
    given = [argument.replace("_", "-") for argument in arguments]
    pairs = zip_longest(given, given[1:], fillvalue="")
    return any(each == f"{flag}=etcd3" or (each, after) == (flag, "etcd3") for each, after in pairs)


def add(parser: argparse._ActionsContainer) -> None:
    add = parser.add_argument
    add("--storage-backend", choices=("etcd3",), help="keep everything in etcd instead of a file in DIR")
    members = "the members of the etcd cluster"
    add("--etcd-servers", action=Listing, type=parse_list, default=(), metavar="URL,…", help=members)
    what = "built-in resources that are kept in another etcd, which may have several members"
    add(
        "--etcd-servers-overrides",
        action="append",
        type=parse_list,
        default=[],
        metavar="GROUP/RESOURCE#URL;URL…,…",
        help=what,
    )
    add_access(parser)
    times = (
        ("compaction-interval", 300.0, "how often older states are forgotten; 0: never (default 5m)"),
        ("healthcheck-timeout", HEALTH_TIMEOUT_S, "of the read that health checks go by (default, and 0: 2s)"),
    )
    for name, default, what in times:
        add(f"--etcd-{name}", type=parse_duration, default=default, metavar="DURATION", help=what)
    what = "how long events are kept; 0: for ever (default 1h)"
    add("--event-ttl", type=parse_duration, default=3600.0, metavar="DURATION", help=what)


def add_access(parser: argparse._ActionsContainer) -> None:
    """How any etcd is reached, and how values are kept there."""
    add = parser.add_argument
    add("--etcd-prefix", default="/registry", metavar="PATH", help="what all keys begin with (default %(default)s)")
    for name, what in (
        ("cafile", "authorities of its certificates"),
        ("certfile", "this server's"),
        ("keyfile", "its key"),
    ):
        add(f"--etcd-{name}", type=Path, metavar="FILE", help=f"PEM: {what}")
    add(
        "--storage-media-type",
        choices=(PROTOBUF, _JSON),
        default=PROTOBUF,
        help="how built-in kinds are stored (default %(default)s)",
    )


def resolve(arguments: argparse.Namespace) -> Settings | None:
    """Raises ValueError."""
    if getattr(arguments, "storage_backend", None) != "etcd3":
        return None
    if not arguments.etcd_servers:
        raise ValueError("--etcd-servers must be specified")
    overrides = tuple(_parse_override(each) for each in chain(*arguments.etcd_servers_overrides))
    settings = resolve_access(arguments, arguments.etcd_servers)
    times = (arguments.etcd_compaction_interval, arguments.etcd_healthcheck_timeout)
    return replace(
        settings,
        compaction_interval_s=times[0],
        health_timeout_s=times[1] or HEALTH_TIMEOUT_S,
        event_ttl_s=arguments.event_ttl,
        overrides=overrides,
    )


def _parse_override(text: str) -> Override:
    """Raises ValueError."""
    resource, *more = text.split("#")
    names = resource.split("/")
    servers = more[0].split(";") if len(more) == 1 else [""]
    if len(names) != 2 or "" in servers:
        raise ValueError(
            "--etcd-servers-overrides invalid, must be of format: group/resource#servers, where servers are URLs, "
            "semicolon separated"
        )
    return Override(names[0], names[1], _check_servers(servers, "--etcd-servers-overrides"))


def _check_servers(given: Sequence[str], flag: str) -> tuple[str, ...]:
    """Raises ValueError."""
    servers = tuple(server if "://" in server else f"http://{server}" for server in given)
    for server in servers:
        parts = urlsplit(server)
        if parts.scheme not in ("http", "https", "unix") or not (parts.netloc or parts.path):
            raise ValueError(f"{flag}: {server!r} is not the URL of an etcd")
    return servers


def resolve_access(arguments: argparse.Namespace, given: Sequence[str]) -> Settings:
    """Of an etcd that nobody compacts. Raises ValueError."""
    servers = _check_servers(given, "--etcd-servers")
    if (arguments.etcd_certfile is None) != (arguments.etcd_keyfile is None):
        raise ValueError("--etcd-certfile and --etcd-keyfile belong together: one is missing")
    prefix = f"/{arguments.etcd_prefix.strip('/')}/"
    if prefix == "//":
        raise ValueError("--etcd-prefix is empty")
    return Settings(
        servers,
        prefix,
        arguments.etcd_cafile,
        arguments.etcd_certfile,
        arguments.etcd_keyfile,
        arguments.storage_media_type == PROTOBUF,
        compaction_interval_s=0,
    )
