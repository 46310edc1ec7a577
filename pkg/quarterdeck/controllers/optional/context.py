"""What the controllers of this folder are made with."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol

from quarterdeck.admission.plugins.quota.evaluators import Evaluators
from quarterdeck.apiextensions.served import ServedDefinition
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, User
from quarterdeck.authentication.serviceaccounts.keys import Keys
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.controllers.workqueue import Clock, Controller, LoopClock
from quarterdeck.registry.identity import UNADMITTED, Identity, controller_user
from quarterdeck.registry.scope import Builtin, Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.storage.cacher import Change, Entry, ResourceCache

if TYPE_CHECKING:
    from quarterdeck.controllers.optional.issuing import Authority

LoadAuthority = Callable[[], "Authority"]
OnDefinition = Callable[[str, ServedDefinition | None], None]
Allows = Callable[[User, Attributes], bool]
MANAGER: Final = "kube-controller-manager"
MANAGER_USER: Final = User("system:kube-controller-manager", groups=(ALL_AUTHENTICATED,))


class OptionalController(Protocol):
    """`take_up` follows what changes and notes what there is to do; `controller` does it. It is called again after the
    controller was held back."""

    @property
    def controller(self) -> Controller: ...

    def take_up(self) -> None: ...


class Dependencies(NamedTuple):
    """What the server hands to its controllers. `root_ca`: the certificates in PEM by which clients know this server.
    `load_authority` reads what certificates are issued with, `keys` are what tokens of service accounts are signed
    with, `allows` says what a user may do, `evaluators` makes what says how much objects use of quotas. `tls_wall_s` is
    the time of day by which certificates hold, whatever clock objects go by."""

    root_ca: bytes = b""
    load_authority: LoadAuthority | None = None
    keys: Keys | None = None
    allows: Allows | None = None
    evaluators: Callable[[], Evaluators] = Evaluators
    namespace_deletion_delay_s: float = 0.0
    tls_wall_s: Callable[[], float] = time.time


_NOTHING: Final = Dependencies()


@dataclass(frozen=True, slots=True)
class ControllerContext:
    """`builtin`: the scopes of the built-in resources by (group, version, resource) and subresource. `namespaced` gives
    the scopes of all namespaced resources that are served, those of definitions too; `served` the definitions;
    `on_definition` are called when a definition is served anew, or (None) not any more."""

    builtin: Builtin
    identity: Identity = UNADMITTED
    clock: Clock | None = None
    dependencies: Dependencies = _NOTHING
    namespaced: Callable[[], Iterable[Scope]] = tuple
    served: Callable[[], Iterable[ServedDefinition]] = tuple
    on_definition: list[OnDefinition] = field(default_factory=list)

    def scope(self, group: str, resource: str, subresource: str = "") -> Scope:
        return self.builtin[group, "v1", resource][subresource]

    def identity_of(self, account: str) -> Identity:
        """`account`: a service account in kube-system."""
        return self.identity.of(controller_user(account))

    def identity_of_manager(self) -> Identity:
        """kube-controller-manager's own, in which its first controller writes."""
        return self.identity.of(MANAGER_USER)

    def time(self) -> Clock:
        return self.clock or LoopClock()


def follow(cache: ResourceCache, listener: Callable[[Change], None]) -> None:
    """Hear of the changes of a resource, each once also where this is asked for again."""
    if listener not in cache.listeners:
        cache.listeners.append(listener)


@dataclass(frozen=True)
class _Namer:
    """Adds the names of what is created or changed."""

    controller: Controller

    def __call__(self, change: Change) -> None:
        if change.entry is not None:
            self.controller.add(change.entry.name)


def follow_names(scope: Scope, controller: Controller) -> None:
    """Have a controller work on every object of a cluster-scoped resource, and again when it is created or changed."""
    for entry in scope.store.cache.state.all():
        controller.add(entry.name)
    follow(scope.store.cache, _Namer(controller))


def find(scope: Scope, namespace: str, name: str) -> Object | None:
    entry = scope.store.cache.get(namespace, name)
    return None if entry is None else read(entry)


def read(entry: Entry) -> Object:
    obj: Object = json_codec.load(entry.data)
    return obj


def split(path: str) -> tuple[str, str]:
    """The namespace and the name of a key."""
    namespace, _, name = path.rpartition("/")
    return namespace, name


def is_active(namespaces: Scope, name: str) -> bool:
    """Whether a namespace is there and is not going away."""
    namespace = find(namespaces, "", name)
    return namespace is not None and (namespace.get("status") or {}).get("phase") == "Active"
