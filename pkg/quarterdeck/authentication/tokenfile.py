"""Static tokens from a CSV file: token, user, uid and, in quotes, groups.

Upstream: apiserver/pkg/authentication/token/tokenfile.
The file is read again when it changes (server/reload.py). A token that it does not hold any more, or that it gives
to somebody else, is not believed at the next request.
"""

from __future__ import annotations

import csv
import hashlib
import logging
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final, TextIO

from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.interface import Identity

_LOG: Final = logging.getLogger(__name__)
_COLUMNS_MIN: Final = 3


class TokenFile:
    """Tokens are kept as digests: looking one up takes as long for a near miss as for a far one, and a dump of the
    memory does not show them."""

    def __init__(self, tokens: Mapping[str, User]) -> None:
        self._users: dict[bytes, User] = {}
        self.replace(tokens)

    def replace(self, tokens: Mapping[str, User]) -> None:
        """Only these count from now on. A user who is the same as before stays the same object: each request of a
        known connection asks for that."""
        before = self._users
        self._users = {}
        for token, user in tokens.items():
            digest = _digest(token)
            known = before.get(digest)
            self._users[digest] = known if known is not None and known == user else user

    def authenticate_token(self, token: str) -> Identity | None:
        digest = _digest(token)
        user = self._users.get(digest)
        return None if user is None else Identity(user, is_current=lambda: self._users.get(digest) is user)


def read(path: Path) -> dict[str, User]:
    """The users by their tokens. OSError when the file cannot be read, ValueError when it is malformed."""
    tokens: dict[str, User] = {}
    with path.open(newline="", encoding="utf-8") as file:
        for record in _parse(file):
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
    return tokens


def _parse(file: TextIO) -> Iterator[list[str]]:
    """The lines' columns. ValueError for what is no CSV."""
    try:
        yield from csv.reader(file)
    except csv.Error as error:
        raise ValueError(str(error)) from error


def _digest(token: str) -> bytes:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()
