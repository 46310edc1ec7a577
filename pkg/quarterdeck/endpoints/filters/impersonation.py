"""Lets who may do so act as somebody else (`kubectl --as`), and refuses everybody else.

There are several ways to be allowed to (KEP-5284). Each narrow one asks whether the user may do this very request as
somebody of that sort (`impersonate-on:MODE:VERB`), and may be each part of that somebody (`impersonate:MODE`); the old
one asks for the parts alone (`impersonate`). What is answered is the refusal of the first way that applies, or of the
one that the user went last.

Source: apiserver/pkg/endpoints/filters/impersonation/{constrained_impersonation,mode,cache}.go.
Differs from upstream: it remembers for ten seconds what a narrow way allowed; here the authorizer is asked, which takes
microseconds.
"""

from __future__ import annotations

from collections.abc import Awaitable
from functools import partial
from typing import Final

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery import errors, gofmt, questions
from quarterdeck.apimachinery.questions import Unanswered
from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, ALL_UNAUTHENTICATED, ANONYMOUS_NAME, User
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.filters.authorization import attributes_of
from quarterdeck.endpoints.filters.impersonation_metrics import ImpersonationMetrics
from quarterdeck.endpoints.filters.impersonation_modes import (
    MODES,
    NODES,
    Check,
    Mode,
    account_of,
    find_refusal,
    node_of,
)
from quarterdeck.endpoints.request_info import RequestInfo
from quarterdeck.transport.fields import first_of, members_of, values_of

_PREFIX: Final = "impersonate-"
_USER: Final = "impersonate-user"
_GROUP: Final = "impersonate-group"
_UID: Final = "impersonate-uid"
_EXTRA: Final = "impersonate-extra-"
_ACCOUNTS: Final = "system:serviceaccounts"
_USERS_REMEMBERED_MAX: Final = 10_000


class ImpersonationFilter:
    """`refusals` counts what was answered 403."""

    def __init__(self, authorizer: Authorizer, metrics: ImpersonationMetrics) -> None:
        self.refusals = 0
        self._authorizer = authorizer
        self._metrics = metrics
        self._last_modes: dict[str, Mode] = {}  # by user: the way that was allowed last

    def __call__(self, request: RequestContext, info: RequestInfo) -> Awaitable[None] | None:
        given = [name for name in request.headers if name.startswith(_PREFIX)]
        if not given:
            return None
        try:
            self._impersonate(request, info, given)
        except Unanswered:
            return questions.settle(partial(self._impersonate, request, info, given))
        return None

    def _impersonate(self, request: RequestContext, info: RequestInfo, given: list[str]) -> None:
        headers = request.headers
        wanted = _read_user(headers)
        if wanted is None:
            return
        request.user = self._find_allowed(request.user, wanted, attributes_of(info, request.query))
        for name in given:
            del headers[name]

    def last_constraint(self, user: User) -> str:
        """The verb of the narrow way by which this user was allowed to act as somebody last; "" for the old one."""
        mode = self._last_modes.get(user.name)
        return mode.verb if mode is not None and mode.name else ""

    def _find_allowed(self, user: User, wanted: User, asked: Attributes) -> User:
        """The wanted user with the groups that it has by its name. Raises Forbidden."""
        refusal: errors.Forbidden | None = None
        begin_s = now_s()
        for mode in self._order_modes(user):
            if not mode.applies(wanted, user):
                continue
            found = find_refusal(Check(mode, self._authorizer, self._metrics, user), wanted, asked)
            if found is None:
                self._remember(user, mode)
                self._metrics.note_allowed(mode.name, begin_s)
                return _complete(wanted, mode)
            refusal = refusal or found
        self.refusals += 1
        self._metrics.note_denied(begin_s)
        assert refusal is not None  # the last way always applies
        raise refusal

    def _order_modes(self, user: User) -> list[Mode]:
        last = self._last_modes.get(user.name)
        if last is None:
            return list(MODES)
        return [last, *(mode for mode in MODES if mode is not last)]

    def _remember(self, user: User, mode: Mode) -> None:
        if len(self._last_modes) >= _USERS_REMEMBERED_MAX:
            self._last_modes.clear()
        self._last_modes[user.name] = mode


def _complete(wanted: User, mode: Mode) -> User:
    groups = list(wanted.groups)
    if not groups and (account := account_of(wanted.name)) is not None:
        groups = [_ACCOUNTS, f"{_ACCOUNTS}:{account[0]}"]
    elif mode.name and node_of(wanted.name):
        groups = [NODES]
    group = ALL_UNAUTHENTICATED if wanted.name == ANONYMOUS_NAME else ALL_AUTHENTICATED
    if group not in groups and ALL_UNAUTHENTICATED not in groups:
        groups.append(group)
    return User(wanted.name, wanted.uid, tuple(groups), wanted.extra)


def _read_user(headers: dict[str, str]) -> User | None:
    """None where nobody is named, and nothing of anybody."""
    groups = tuple(values_of(headers, _GROUP))
    extra = members_of(headers, _EXTRA)
    name, uid = first_of(headers, _USER), first_of(headers, _UID)
    if not name and not (uid or extra or _GROUP in headers):
        return None
    if not name:
        refusal = errors.BadRequest(f"requested {_show(uid, groups, extra)} without impersonating a user name")
        refusal.nosniff = True
        raise refusal
    return User(name, uid, groups, extra)


def _show(uid: str, groups: tuple[str, ...], extra: dict[str, tuple[str, ...]]) -> str:
    """As Go prints its own type."""

    def texts(values: tuple[str, ...]) -> str:
        return "{" + ", ".join(map(gofmt.quote, values)) + "}"

    shown_groups = f"[]string{texts(groups)}" if groups else "[]string(nil)"
    members = ", ".join(f"{gofmt.quote(key)}:[]string{texts(extra[key])}" for key in sorted(extra))
    shown_extra = f"map[string][]string{{{members}}}" if extra else "map[string][]string(nil)"
    return f'&user.DefaultInfo{{Name:"", UID:{gofmt.quote(uid)}, Groups:{shown_groups}, Extra:{shown_extra}}}'
