"""Where etcd is and how it is talked to. Source: apiserver/pkg/server/options/etcd.go, pkg/storage/storagebackend."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = "/registry/"
HEALTH_TIMEOUT_S: Final = 2.0


class Override(NamedTuple):
    """A resource (`*`: all of a group) that is kept in another etcd; `servers` are URLs."""

    group: str
    resource: str
    servers: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Settings:
    """`servers` are URLs. `prefix` ends with a slash. `compaction_interval_s` 0: somebody else compacts.
    `event_ttl_s` 0: events are kept for ever."""

    servers: tuple[str, ...]
    prefix: str = ROOT
    authority_file: Path | None = None
    cert_file: Path | None = None
    key_file: Path | None = None
    is_protobuf: bool = True
    compaction_interval_s: float = 300.0
    health_timeout_s: float = HEALTH_TIMEOUT_S
    event_ttl_s: float = 3600.0
    overrides: tuple[Override, ...] = ()
