"""Annotations that other servers' verdicts add to the audit of a request."""

from __future__ import annotations

import logging
from typing import Final

from quarterdeck.admission.attributes import Attributes

_LOG: Final = logging.getLogger(__name__)


def note(attributes: Attributes, key: str, value: str) -> None:
    """One that cannot be is left out, and the log tells of it."""
    try:
        attributes.annotate(key, value)
    except ValueError as error:
        _LOG.warning("failed to set admission audit annotation %s: %s", key, error)
