"""What the audit flags are read as."""

from __future__ import annotations

import argparse
from pathlib import Path

import pytest

from quarterdeck.audit.settings import (
    AuditSettings,
    BatchSettings,
    Delivery,
    LogSettings,
    TruncateSettings,
    WebhookSettings,
)
from quarterdeck.cmd import audit_flags


def resolve(*flags: str) -> AuditSettings | None:
    parser = argparse.ArgumentParser(allow_abbrev=False)
    audit_flags.add(parser)
    return audit_flags.resolve(parser.parse_args(flags))


def test_nothing_is_audited_unless_asked_for() -> None:
    assert resolve() is None
    assert resolve("--audit-log-maxage=3", "--audit-log-mode", "nonsense") is None


def test_defaults_are_upstreams() -> None:
    found = resolve("--audit-policy-file=p", "--audit-log-path", "-", "--audit-webhook-config-file=w")
    assert found == AuditSettings(Path("p"), LogSettings("-"), WebhookSettings(Path("w")))
    assert found.log == LogSettings("-", 366, 100, 100, "json", False, Delivery("blocking", BatchSettings(10000, 1)))
    assert found.webhook is not None
    assert found.webhook.delivery == Delivery("batch", BatchSettings(10000, 400, 30.0, True, 10.0, 15))
    assert found.webhook.initial_backoff_s == 10.0


def test_every_flag_counts() -> None:
    found = resolve(
        "--audit-log-path=/a",
        *("--audit-log-maxage=1", "--audit-log-maxbackup=2", "--audit-log-maxsize=3", "--audit-log-compress"),
        *("--audit-log-format=legacy", "--audit-log-mode=batch", "--audit-log-version=audit.k8s.io/v1"),
        *("--audit-log-batch-buffer-size=4", "--audit-log-batch-max-size=5", "--audit-log-batch-max-wait=6s"),
        *("--audit-log-batch-throttle-enable=true", "--audit-log-batch-throttle-qps=7.5"),
        *("--audit-log-batch-throttle-burst=8", "--audit-log-truncate-enabled"),
        *("--audit-log-truncate-max-event-size=9", "--audit-log-truncate-max-batch-size=10"),
        *("--audit-webhook-config-file=/w", "--audit-webhook-initial-backoff=5s"),
        *("--audit-webhook-mode=blocking-strict", "--audit-webhook-batch-throttle-enable=false"),
    )
    batching = BatchSettings(4, 5, 6.0, True, 7.5, 8)
    assert found is not None
    assert found.log == LogSettings(
        "/a", 1, 2, 3, "legacy", True, Delivery("batch", batching, TruncateSettings(True, 10, 9))
    )
    assert found.webhook is not None
    assert found.webhook.initial_backoff_s == 5.0
    assert found.webhook.delivery.mode == "blocking-strict"
    assert not found.webhook.delivery.batching.is_throttled


@pytest.mark.parametrize(
    ("flags", "wanted"),
    [
        (
            ["--audit-log-mode=fast"],
            'invalid audit log mode fast, allowed modes are "batch,blocking,blocking-strict"',
        ),
        (["--audit-log-format=xml"], 'invalid audit log format xml, allowed formats are "legacy,json"'),
        (["--audit-log-maxage=-1"], "--audit-log-maxage -1 can't be a negative number"),
        (
            ["--audit-log-mode=batch", "--audit-log-batch-buffer-size=0"],
            "invalid audit batch log buffer size 0, must be a positive number",
        ),
        (
            ["--audit-log-mode=batch", "--audit-log-batch-throttle-enable", "--audit-log-batch-throttle-qps=-1"],
            "invalid audit batch log throttle QPS -1, must be a positive number",
        ),
        (
            ["--audit-log-truncate-max-event-size=0"],
            "invalid audit truncate log max event size 0, must be a positive number",
        ),
        (
            ["--audit-log-truncate-max-batch-size=7"],
            "invalid audit truncate log max batch size 7, must be greater than max event size (102400)",
        ),
        (
            ["--audit-log-version=audit.k8s.io/v1beta1"],
            'invalid group version, allowed versions are ["audit.k8s.io/v1"]',
        ),
        (
            ["--audit-log-maxage=-1", "--audit-log-maxsize=-2"],
            "[--audit-log-maxage -1 can't be a negative number, --audit-log-maxsize -2 can't be a negative number]",
        ),
    ],
)
def test_what_cannot_be_is_refused(flags: list[str], wanted: str) -> None:
    with pytest.raises(ValueError) as refused:
        resolve("--audit-log-path=/a", *flags)
    assert str(refused.value) == wanted
