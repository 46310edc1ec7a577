"""Tokens that secrets of type kubernetes.io/service-account-token hold: they do not end, but with their secret.

A secret, its token and its account are looked up at every request: what is deleted or changed is refused at once. The
day of the last use is kept in a label of the secret.

Source: pkg/serviceaccount/legacy.go, pkg/controller/serviceaccount/tokens_controller.go (for LegacyClaims).
"""

from __future__ import annotations

import base64
import hmac
import time
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import Any, Final, NamedTuple

from quarterdeck.authentication.serviceaccounts.bindings import BoundObject, Find, TokenError
from quarterdeck.authentication.serviceaccounts.keys import Keys

ISSUER: Final = "kubernetes/serviceaccount"
LAST_USED: Final = "kubernetes.io/legacy-token-last-used"
INVALID_SINCE: Final = "kubernetes.io/legacy-token-invalid-since"
TOKEN: Final = "token"  # the key of a secret's data
_PREFIX: Final = "kubernetes.io/serviceaccount/"
_USER_PREFIX: Final = "system:serviceaccount:"
_AUTO_GENERATED: Final = (
    "Use tokens from the TokenRequest API or manually created secret-based tokens instead of auto-generated"
    " secret-based tokens."
)

# (namespace, name, uid of the secret, the day): notes the use; it must not wait.
NoteUse = Callable[[str, str, str, str], None]


class Judged(NamedTuple):
    """The account's namespace, name and uid. `check` looks again whether the token is good, and raises TokenError;
    `warning` is a text to warn of its use with, or ""."""

    namespace: str
    account: str
    uid: str
    check: Callable[[], str]
    warning: str


class _Claims(NamedTuple):
    namespace: str
    secret: str
    account: str
    uid: str


def issue(keys: Keys, namespace: str, secret: str, account: str, uid: str) -> str:
    """A token for the account, whose uid this is. Loads the keys, which may take a while the first time."""
    return keys.load().sign(
        {
            "iss": ISSUER,
            f"{_PREFIX}namespace": namespace,
            f"{_PREFIX}secret.name": secret,
            f"{_PREFIX}service-account.name": account,
            f"{_PREFIX}service-account.uid": uid,
            "sub": f"{_USER_PREFIX}{namespace}:{account}",
        }
    )


class LegacyTokens:
    """`find` has to give whole objects."""

    def __init__(self, find: Find, note_use: NoteUse) -> None:
        self._find = find
        self._note_use = note_use

    def judge(self, text: str, claims: Mapping[str, Any]) -> Judged:
        """Raises TokenError."""
        read = _read(claims)
        check = partial(self._check, text, read)
        return Judged(read.namespace, read.account, read.uid, check, check())

    def _check(self, text: str, claims: _Claims) -> str:
        """Gives the warning."""
        secret = self._find("secrets", claims.namespace, claims.secret)
        if secret is None or secret.deleted_at_s is not None:
            raise TokenError("Token has been invalidated")
        if not hmac.compare_digest(_token_of(secret), text.encode()):
            raise TokenError("Token does not match server's copy")
        account = self._find("serviceaccounts", claims.namespace, claims.account)
        if account is None:
            raise TokenError(f'serviceaccounts "{claims.account}" not found')
        if account.deleted_at_s is not None:
            raise TokenError(f"ServiceAccount {claims.namespace}/{claims.account} has been deleted")
        if account.uid != claims.uid:
            raise TokenError(f"ServiceAccount UID ({account.uid}) does not match claim ({claims.uid})")
        labels = secret.obj["metadata"].get("labels") or {}
        self._track(claims, secret.uid, labels.get(LAST_USED, ""))
        if labels.get(INVALID_SINCE):
            raise TokenError(
                f"the token in secret {claims.namespace}/{claims.secret} for service account"
                f" {claims.namespace}/{claims.account} has been marked invalid. Use tokens from the TokenRequest API or"
                f" manually created secret-based tokens, or remove the '{INVALID_SINCE}' label from the secret to"
                " temporarily allow use of this token"
            )
        is_referenced = any(each.get("name") == claims.secret for each in account.obj.get("secrets") or ())
        return _AUTO_GENERATED if is_referenced else ""

    def _track(self, claims: _Claims, uid: str, last_used: str) -> None:
        now = datetime.fromtimestamp(time.time(), UTC)
        today, tomorrow = (f"{day:%Y-%m-%d}" for day in (now, now + timedelta(days=1)))
        if last_used not in (today, tomorrow):
            self._note_use(claims.namespace, claims.secret, uid, today)


def _read(claims: Mapping[str, Any]) -> _Claims:
    subject = _text(claims.get("sub"))
    if not subject:
        raise TokenError("sub claim is missing")
    found = []
    for name, title in (
        ("namespace", "namespace"),
        ("secret.name", "secretName"),
        ("service-account.name", "serviceAccountName"),
        ("service-account.uid", "serviceAccountUID"),
    ):
        value = _text(claims.get(f"{_PREFIX}{name}"))
        if not value:
            raise TokenError(f"{title} claim is missing")
        found.append(value)
    read = _Claims(*found)
    if subject != f"{_USER_PREFIX}{read.namespace}:{read.account}":
        raise TokenError("sub claim is invalid")
    return read


def _token_of(secret: BoundObject) -> bytes:
    return base64.b64decode((secret.obj.get("data") or {}).get(TOKEN) or "")


def _text(value: object) -> str:
    return value if isinstance(value, str) else ""
