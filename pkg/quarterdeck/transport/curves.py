"""The curves that are offered for the exchange of keys: Go's numbers for them, and OpenSSL's names.

Source: component-base/cli/flag/curves_flag.go; Go's crypto/tls (CurveID).
"""

from __future__ import annotations

import re
import ssl
from collections.abc import Sequence
from typing import Final

from quarterdeck._kernels import openssl
from quarterdeck.apimachinery import gofmt

# Go's CurveIDs, and OpenSSL's names of them; it has the last three from 3.5 on.
_CURVES: Final = {
    23: "prime256v1",
    24: "secp384r1",
    25: "secp521r1",
    29: "X25519",
    4587: "SecP256r1MLKEM768",
    4588: "X25519MLKEM768",
    4589: "SecP384r1MLKEM1024",
}
_NUMBER: Final = re.compile(r"[+-]?[0-9]{1,9}")
_CURVE_MAX: Final = 0xFFFF
LIBRARY: Final[str | None] = getattr(ssl._ssl, "__file__", None)  # type: ignore[attr-defined]
OPTIONS: Final = 0xFFFFFFFFFFFFFFFF  # those of a context, without a sign


def parse(texts: Sequence[str]) -> tuple[str, ...]:
    """From the values of --tls-curve-preferences: OpenSSL's names. Raises ValueError with upstream's texts."""
    given: dict[int, str] = {}
    for text in texts:
        if not _NUMBER.fullmatch(text):
            raise ValueError(f"strconv.ParseInt: parsing {gofmt.quote(text)}: invalid syntax")
        number = int(text)
        if not 0 < number <= _CURVE_MAX:
            raise ValueError(f"curve preference {number} is out of range (must be 1-{_CURVE_MAX})")
        if number in given:
            raise ValueError(f"duplicate curve preference {number}")
        if number not in _CURVES:
            raise ValueError(f"curve preference {number} is not supported by the current Go version")
        given[number] = _CURVES[number]
    return tuple(given.values())


def choose(context: ssl.SSLContext, names: Sequence[str]) -> None:
    """Offer these alone, by OpenSSL's names; none: OpenSSL's own choice. Raises ValueError."""
    if not names or openssl.set_groups(context, LIBRARY, context.options & OPTIONS, ":".join(names)):
        return
    if len(names) > 1:
        raise ValueError(f"{ssl.OPENSSL_VERSION} cannot offer the curves {', '.join(names)} together")
    context.set_ecdh_curve(names[0])  # Python can do as much where OpenSSL cannot be reached
