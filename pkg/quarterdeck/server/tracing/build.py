"""Whether and where spans are sent, of the file that tells it. Loaded where it is asked for (ADR 112)."""

from __future__ import annotations

import socket
from pathlib import Path
from typing import TYPE_CHECKING

from quarterdeck.controllers.identitylease import build_name
from quarterdeck.schema.configfile import BadFile
from quarterdeck.server.config import ConfigError
from quarterdeck.server.tracing.configuration import load

if TYPE_CHECKING:
    from quarterdeck.server.tracing.provider import Provider


def open_provider(file: Path) -> Provider:
    """Raises ConfigError."""
    try:
        settings = load(file)
    except BadFile as error:
        raise ConfigError(str(error)) from error
    try:
        from quarterdeck.server.tracing.provider import Provider
    except ImportError as error:
        raise ConfigError("--tracing-config-file needs OpenTelemetry: install quarterdeck[tracing]") from error
    return Provider(settings, build_name(socket.gethostname()))
