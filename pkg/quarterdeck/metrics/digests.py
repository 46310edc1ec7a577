"""What stands in labels for what they are not to tell, or for what is too long for them."""

from __future__ import annotations

import hashlib


def digest(data: bytes) -> str:
    """The SHA-256 as `sha256:…`; "" of nothing."""
    return f"sha256:{hashlib.sha256(data).hexdigest()}" if data else ""
