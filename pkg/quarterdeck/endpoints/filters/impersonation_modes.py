"""The ways in which somebody may be allowed to act as somebody else, narrow ones first.

Source: apiserver/pkg/endpoints/filters/impersonation/mode.go.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, NamedTuple

from quarterdeck._kernels.metrics import now_s
from quarterdeck.apimachinery import domainpath, errors, field, gofmt, names
from quarterdeck.apimachinery.user import SYSTEM_MASTERS, User
from quarterdeck.authorization.authorizer import Attributes, Authorizer
from quarterdeck.endpoints.filters.authorization import forbidden
from quarterdeck.endpoints.filters.impersonation_metrics import ImpersonationMetrics

NODES: Final = "system:nodes"
_NODE_PREFIX: Final = "system:node:"
_ACCOUNT_PREFIX: Final = "system:serviceaccount:"
_KEYS_OF_ACCOUNT: Final = "authentication.kubernetes.io/associated-node-keys"
_NODE_OF_ACCOUNT: Final = "authentication.kubernetes.io/node-name"
_AUTHENTICATION: Final = "authentication.k8s.io"
# From so many on, one that allows all is asked for first.
_MANY: Final = 4


class Mode(NamedTuple):
    """`name` is empty for the old way. `applies` is told who is wanted, and who asks."""

    name: str
    applies: Callable[[User, User], bool]

    @property
    def verb(self) -> str:
        return f"impersonate:{self.name}" if self.name else "impersonate"


def node_of(name: str) -> str:
    """The node that a user is, or ""."""
    node = name.removeprefix(_NODE_PREFIX)
    return node if node != name and not names.name_is_dns1123_subdomain(node) else ""


def account_of(name: str) -> tuple[str, str] | None:
    """Namespace and name of the service account that a user is."""
    namespace, colon, account = name.removeprefix(_ACCOUNT_PREFIX).partition(":")
    if not (name.startswith(_ACCOUNT_PREFIX) and colon):
        return None
    if names.name_is_dns1123_label(namespace) or names.name_is_dns1123_subdomain(account):
        return None
    return namespace, account


def _is_bare(wanted: User) -> bool:
    return not (wanted.uid or wanted.groups or wanted.extra)


def _is_own_node(wanted: User, requestor: User) -> bool:
    """Whether a service account wants to be the node that its pod runs on."""
    node = node_of(wanted.name)
    is_account = account_of(requestor.name) is not None
    return bool(node) and _is_bare(wanted) and is_account and requestor.extra.get(_NODE_OF_ACCOUNT) == (node,)


def _is_node(wanted: User, _requestor: User) -> bool:
    return _is_bare(wanted) and bool(node_of(wanted.name))


def _is_account(wanted: User, _requestor: User) -> bool:
    return _is_bare(wanted) and account_of(wanted.name) is not None


def _is_other(wanted: User, _requestor: User) -> bool:
    return not node_of(wanted.name) and account_of(wanted.name) is None


def _always(_wanted: User, _requestor: User) -> bool:
    return True


_OWN_NODE: Final = "associated-node"
MODES: Final = (
    Mode(_OWN_NODE, _is_own_node),
    Mode("arbitrary-node", _is_node),
    Mode("serviceaccount", _is_account),
    Mode("user-info", _is_other),
    Mode("", _always),
)


def find_refusal(check: Check, wanted: User, request: Attributes) -> errors.Forbidden | None:
    """Why the user may not act as the wanted one in this way; None: it may. The way applies."""
    try:
        if check.mode.name:
            check.ask(request._replace(verb=f"impersonate-on:{check.mode.name}:{request.verb}"))
        check.ask_for_name(wanted.name)
        if wanted.uid:
            check.ask_for(_AUTHENTICATION, "uids", wanted.uid)
        check.ask_for_groups(wanted.groups)
        check.ask_for_extra(wanted.extra)
    except errors.Forbidden as refusal:
        return refusal
    return None


class Check:
    """Each question raises Forbidden where the answer is no."""

    def __init__(self, mode: Mode, authorizer: Authorizer, metrics: ImpersonationMetrics, requestor: User) -> None:
        self.mode = mode
        self._authorizer = authorizer
        self._metrics = metrics
        self._requestor = _shown_to_authorizers(requestor) if mode.name == _OWN_NODE else requestor
        self._group = _AUTHENTICATION if mode.name else ""  # of users and groups

    def ask(self, asked: Attributes) -> None:
        if not self._allows(asked):
            decision = self._authorizer.authorize(self._requestor, asked)
            told = ": ".join(each for each in (decision.error, decision.reason) if each)
            raise forbidden(self._requestor, asked, told)

    def ask_for(self, group: str, resource: str, name: str, subresource: str = "", namespace: str = "") -> None:
        self.ask(Attributes(self.mode.verb, group, "v1", resource, subresource, namespace, name))

    def refuse(self, group: str, resource: str, name: str, reason: str) -> errors.Forbidden:
        return forbidden(self._requestor, Attributes(self.mode.verb, group, "v1", resource, "", "", name), reason)

    def ask_for_name(self, name: str) -> None:
        account = account_of(name)
        if account is not None:
            self.ask_for(self._group, "serviceaccounts", account[1], namespace=account[0])
        elif self.mode.name and (node := node_of(name)):
            self.ask_for(self._group, "nodes", "*" if self.mode.name == _OWN_NODE else node)
        else:
            self.ask_for(self._group, "users", name)

    def ask_for_groups(self, groups: tuple[str, ...]) -> None:
        if not groups:
            return
        if self.mode.name:
            if "" in groups:
                reason = "impersonating the empty string group is not allowed"
                raise self.refuse(self._group, "groups", "", reason)
            if SYSTEM_MASTERS in groups:
                reason = f"impersonating the {SYSTEM_MASTERS} group is not allowed"
                raise self.refuse(self._group, "groups", SYSTEM_MASTERS, reason)
            if len(groups) >= _MANY and self._allows_all("groups", ""):
                return
        for group in groups:
            self.ask_for(self._group, "groups", group)

    def ask_for_extra(self, extra: dict[str, tuple[str, ...]]) -> None:
        if not extra:
            return
        if self.mode.name:
            if fault := _find_fault(extra):
                raise self.refuse(_AUTHENTICATION, "userextras", "", fault)
            is_large = len(extra) >= _MANY or sum(map(len, extra.values())) >= _MANY
            if is_large and self._allows_all("userextras", "*"):
                return
        for key, values in extra.items():
            for value in values:
                self.ask_for(_AUTHENTICATION, "userextras", value, key)

    def _allows_all(self, resource: str, subresource: str) -> bool:
        group = self._group if resource == "groups" else _AUTHENTICATION
        asked = Attributes(self.mode.verb, group, "v1", resource, subresource, "", "*")
        return self._allows(asked)

    def _allows(self, asked: Attributes) -> bool:
        begin_s = now_s()
        is_allowed = self._authorizer.allows(self._requestor, asked)
        self._metrics.note_check(self.mode.name, begin_s, is_allowed=is_allowed)
        return is_allowed


def _shown_to_authorizers(account: User) -> User:
    """Who wants to be the own node: what is bound to the account is told by its keys alone, since what they answer
    holds for each of its nodes."""
    return User(account.name, account.uid, account.groups, {_KEYS_OF_ACCOUNT: tuple(sorted(account.extra))})


def _find_fault(extra: dict[str, tuple[str, ...]]) -> str:
    for key, values in extra.items():
        if not key:
            return "impersonating the empty string key in extra is not allowed"
        if problems := domainpath.validate("extra.key", key):
            return f"impersonating an invalid key in extra is not allowed: {field.aggregate_message(problems)}"
        if key != key.lower():
            return f"impersonating a non-lowercase key in extra is not allowed: {gofmt.quote(key)}"
        if "" in values:
            return "impersonating the empty string value in extra is not allowed"
    return ""
