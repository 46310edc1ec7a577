"""What the audit flags say, checked, in upstream's words.

Source: apiserver/pkg/server/options/audit.go.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

BATCH: Final = "batch"
BLOCKING: Final = "blocking"
BLOCKING_STRICT: Final = "blocking-strict"
MODES: Final = (BATCH, BLOCKING, BLOCKING_STRICT)
JSON: Final = "json"
LEGACY: Final = "legacy"
FORMATS: Final = (LEGACY, JSON)
VERSION: Final = "audit.k8s.io/v1"
_MIB: Final = 1024 * 1024


@dataclass(frozen=True, slots=True)
class BatchSettings:
    """How events are collected in batch mode. `buffer_size` and `size_max` count events, the throttle batches."""

    buffer_size: int = 10_000
    size_max: int = 1
    wait_max_s: float = 0.0
    is_throttled: bool = False
    throttle_qps: float = 0.0
    throttle_burst: int = 0


WEBHOOK_BATCHING: Final = BatchSettings(
    size_max=400, wait_max_s=30.0, is_throttled=True, throttle_qps=10.0, throttle_burst=15
)


@dataclass(frozen=True, slots=True)
class TruncateSettings:
    """What is larger loses its objects, then itself; a batch is split."""

    is_enabled: bool = False
    batch_bytes_max: int = 10 * _MIB
    event_bytes_max: int = 100 * 1024


@dataclass(frozen=True, slots=True)
class Delivery:
    """How events come to a backend."""

    mode: str = BLOCKING
    batching: BatchSettings = BatchSettings()
    truncating: TruncateSettings = TruncateSettings()
    version: str = VERSION

    def problems(self, plugin: str) -> Iterator[str]:
        yield from self._batch_problems(plugin)
        truncating = self.truncating
        if truncating.event_bytes_max <= 0:
            size = truncating.event_bytes_max
            yield f"invalid audit truncate {plugin} max event size {size}, must be a positive number"
        elif truncating.batch_bytes_max < truncating.event_bytes_max:
            yield (
                f"invalid audit truncate {plugin} max batch size {truncating.batch_bytes_max}, must be greater than "
                f"max event size ({truncating.event_bytes_max})"
            )
        if self.version != VERSION:
            yield f'invalid group version, allowed versions are ["{VERSION}"]'

    def _batch_problems(self, plugin: str) -> Iterator[str]:
        batching = self.batching
        if self.mode not in MODES:
            yield f'invalid audit {plugin} mode {self.mode}, allowed modes are "{",".join(MODES)}"'
            return
        if self.mode != BATCH:
            return
        numbers: list[tuple[str, float]] = [
            ("buffer size", batching.buffer_size),
            ("max batch size", batching.size_max),
        ]
        if batching.is_throttled:
            numbers += [("throttle QPS", batching.throttle_qps), ("throttle burst", batching.throttle_burst)]
        for name, number in numbers:
            if number <= 0:
                yield f"invalid audit batch {plugin} {name} {number:g}, must be a positive number"
                return


@dataclass(frozen=True, slots=True)
class LogSettings:
    """`path` "-" is standard output. 0 is no bound for each of the three; without one of size nothing is rotated."""

    path: str
    age_max_days: int = 366
    backups_max: int = 100
    size_max_mib: int = 100
    format: str = JSON
    is_compressed: bool = False
    delivery: Delivery = Delivery()

    def problems(self) -> Iterator[str]:
        yield from self.delivery.problems("log")
        if self.format not in FORMATS:
            yield f'invalid audit log format {self.format}, allowed formats are "{",".join(FORMATS)}"'
        for name, number in (
            ("maxage", self.age_max_days),
            ("maxbackup", self.backups_max),
            ("maxsize", self.size_max_mib),
        ):
            if number < 0:
                yield f"--audit-log-{name} {number} can't be a negative number"


@dataclass(frozen=True, slots=True)
class WebhookSettings:
    config_file: Path
    initial_backoff_s: float = 10.0
    delivery: Delivery = field(default_factory=lambda: Delivery(BATCH, WEBHOOK_BATCHING))

    def problems(self) -> Iterator[str]:
        yield from self.delivery.problems("webhook")


@dataclass(frozen=True, slots=True)
class AuditSettings:
    """Without a policy nothing is recorded, without a backend neither."""

    policy_file: Path | None = None
    log: LogSettings | None = None
    webhook: WebhookSettings | None = None

    def check(self) -> None:
        """Raises ValueError."""
        problems: list[str] = []
        for backend in (self.log, self.webhook):
            problems += backend.problems() if backend is not None else ()
        if problems:
            raise ValueError(problems[0] if len(problems) == 1 else f"[{', '.join(problems)}]")
