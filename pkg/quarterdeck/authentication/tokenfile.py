"""Static tokens from a CSV file: token, user, uid and, in quotes, groups.

Upstream: apiserver/pkg/authentication/token/tokenfile. The file is read once, at the start.
"""

from __future__ import annotations

import csv
import hashlib
import logging
from pathlib import Path
from typing import Final

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import Identity

_LOG: Final = logging.getLogger(__name__)
_COLUMNS_MIN: Final = 3


class TokenFile:
    """Tokens are kept as digests: looking one up takes as long for a near miss as for a far one, and a dump of the
    memory does not show them."""

    def __init__(self, tokens: dict[str, User]) -> None:
        self._identities = {_digest(token): Identity(user) for token, user in tokens.items()}

    @classmethod
    def load(cls, path: Path) -> TokenFile:
        """OSError when the file cannot be read, ValueError when it is malformed."""
        tokens: dict[str, User] = {}
        with path.open(newline="", encoding="utf-8") as file:
            for record in csv.reader(file):
                if not record:
                    continue
                if len(record) < _COLUMNS_MIN:
                    raise ValueError(
                        f"token file '{path}' must have at least 3 columns (token, user name, user uid), "
                        f"found {len(record)}"
                    )
                token, name, uid = record[:_COLUMNS_MIN]
                if not token:
                    _LOG.warning("empty token has been found in token file '%s'", path)
                    continue
                if token in tokens:
                    _LOG.warning("duplicate token has been found in token file '%s'", path)
                groups = tuple(record[3].split(",")) if len(record) > _COLUMNS_MIN and record[3] else ()
                tokens[token] = User(name, uid, groups)
        return cls(tokens)

    def authenticate_token(self, token: str) -> Identity | None:
        return self._identities.get(_digest(token))


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
