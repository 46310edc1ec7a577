"""The flags of auditing: what is recorded, and where it goes. Source: apiserver/pkg/server/options/audit.go."""

from __future__ import annotations

import argparse
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from quarterdeck.cmd.argument_types import parse_bool, parse_duration

if TYPE_CHECKING:
    from quarterdeck.audit.settings import AuditSettings, Delivery

_PLUGINS: Final = ("log", "webhook")


_BATCHING: Final[tuple[tuple[str, str, Callable[[str], object], str], ...]] = (
    ("buffer-size", "buffer_size", int, "events that may wait, batch mode; more are dropped (default 10000)"),
    ("max-size", "size_max", int, "events in a batch, batch mode (default {size})"),
    ("max-wait", "wait_max_s", parse_duration, "how long a batch may wait until it is full, batch mode"),
    ("throttle-enable", "is_throttled", parse_bool, "whether batches are throttled (default {throttled})"),
    ("throttle-qps", "throttle_qps", float, "batches a second, batch mode"),
    ("throttle-burst", "throttle_burst", int, "batches at once, batch mode"),
)
_TRUNCATING: Final[tuple[tuple[str, str, Callable[[str], object], str], ...]] = (
    ("enabled", "is_enabled", parse_bool, "whether events that are too large lose their objects (default false)"),
    ("max-event-size", "event_bytes_max", int, "bytes of an event (default 102400)"),
    ("max-batch-size", "batch_bytes_max", int, "bytes of a batch; a larger one is split (default 10485760)"),
)
_LOG: Final[tuple[tuple[str, str, Callable[[str], object], str], ...]] = (
    ("maxage", "age_max_days", int, "days that files put aside are kept; 0: for ever (default 366)"),
    ("maxbackup", "backups_max", int, "files put aside that are kept; 0: all (default 100)"),
    ("maxsize", "size_max_mib", int, "MiB after which the file is put aside; 0: never (default 100)"),
    ("format", "format", str, "json or legacy, a line of text (default json)"),
    ("compress", "is_compressed", parse_bool, "whether files put aside are compressed (default false)"),
)


def add(parser: argparse._ActionsContainer) -> None:
    add_one = parser.add_argument
    add_one("--audit-policy-file", type=Path, metavar="FILE", help="what is audited (audit.k8s.io/v1 Policy)")
    add_one("--audit-log-path", default="", metavar="FILE|-", help="where events are written; -: standard output")
    for name, _, kind, text in _LOG:
        _add(parser, f"--audit-log-{name}", kind, text)
    add_one("--audit-webhook-config-file", type=Path, metavar="FILE", help="kubeconfig: whom events are sent to")
    for name in ("audit-webhook-initial-backoff", "audit-webhook-batch-initial-backoff"):
        what = "before a failed call is made again (default 10s)"
        _add(parser, f"--{name}", parse_duration, what if "batch" not in name else "the same, deprecated")
    for plugin in _PLUGINS:
        is_log = plugin == "log"
        shown = {"size": 1 if is_log else 400, "throttled": str(not is_log).lower()}
        mode = "blocking" if is_log else "batch"
        _add(parser, f"--audit-{plugin}-mode", str, f"batch, blocking or blocking-strict (default {mode})")
        _add(parser, f"--audit-{plugin}-version", str, "audit.k8s.io/v1")
        for name, _, kind, text in _BATCHING:
            _add(parser, f"--audit-{plugin}-batch-{name}", kind, text.format(**shown))
        for name, _, kind, text in _TRUNCATING:
            _add(parser, f"--audit-{plugin}-truncate-{name}", kind, text)


def _add(parser: argparse._ActionsContainer, flag: str, kind: Callable[[str], object], text: str) -> None:
    if kind is parse_bool:
        parser.add_argument(flag, type=kind, nargs="?", const=True, metavar="BOOL", help=text)
    else:
        metavar = {int: "N", float: "N", str: "NAME"}.get(kind, "DURATION")  # type: ignore[call-overload]
        parser.add_argument(flag, type=kind, metavar=metavar, help=text)


def resolve(arguments: argparse.Namespace) -> AuditSettings | None:
    """None: nothing is audited. Raises ValueError."""
    given = vars(arguments)
    if "audit_log_path" not in given:
        return None
    path, config_file = given["audit_log_path"], given["audit_webhook_config_file"]
    if not path and config_file is None and given["audit_policy_file"] is None:
        return None
    from quarterdeck.audit.settings import AuditSettings, LogSettings, WebhookSettings

    log = webhook = None
    if path:
        log = LogSettings(path, **_pick(given, "audit_log", _LOG))
        log = replace(log, delivery=_deliver(log.delivery, given, "log"))
    if config_file is not None:
        webhook = WebhookSettings(config_file)
        webhook = replace(webhook, delivery=_deliver(webhook.delivery, given, "webhook"))
        for name in ("audit_webhook_batch_initial_backoff", "audit_webhook_initial_backoff"):
            if given[name] is not None:
                webhook = replace(webhook, initial_backoff_s=given[name])
    settings = AuditSettings(given["audit_policy_file"], log, webhook)
    settings.check()
    return settings


def _deliver(default: Delivery, given: dict[str, Any], plugin: str) -> Delivery:
    named = {name: value for name in ("mode", "version") if (value := given[f"audit_{plugin}_{name}"]) is not None}
    return replace(
        default,
        batching=replace(default.batching, **_pick(given, f"audit_{plugin}_batch", _BATCHING)),
        truncating=replace(default.truncating, **_pick(given, f"audit_{plugin}_truncate", _TRUNCATING)),
        **named,
    )


def _pick(
    given: dict[str, Any], prefix: str, flags: tuple[tuple[str, str, Callable[[str], object], str], ...]
) -> dict[str, Any]:
    """What was given, by the names of the settings."""
    values = {member: given[f"{prefix}_{name.replace('-', '_')}"] for name, member, _, _ in flags}
    return {member: value for member, value in values.items() if value is not None}
