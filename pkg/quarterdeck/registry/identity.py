"""How the server itself writes: in the name of one of its parts, through the same admission as any client.

Source: apiserver/pkg/server/options/serving_with_loopback.go; kube-controller-manager's clients, which use the service
accounts of kube-system.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from functools import partial
from typing import Any, Final

from quarterdeck.admission.chain import Chain, Plugins
from quarterdeck.apimachinery.user import ALL_AUTHENTICATED, SYSTEM_MASTERS, User
from quarterdeck.registry.deletion import Options
from quarterdeck.registry.scope import Scope
from quarterdeck.registry.strategy import Object
from quarterdeck.registry.write_admission import DeletionAdmission, Origin, WriteAdmission
from quarterdeck.registry.writes import Update, WriteResult

LOOPBACK: Final = User("system:apiserver", groups=(ALL_AUTHENTICATED, SYSTEM_MASTERS))
_META: Final = "meta.k8s.io/v1"

Transform = Callable[[Object | None], Object | Awaitable[Object]]


def controller_user(name: str) -> User:
    """The service account of one of kube-controller-manager's controllers."""
    groups = ("system:serviceaccounts", "system:serviceaccounts:kube-system", ALL_AUTHENTICATED)
    return User(f"system:serviceaccount:kube-system:{name}", groups=groups)


class _NoOptions:
    def describe(self, operation: str) -> dict[str, Any]:
        kinds = {"CREATE": "CreateOptions", "UPDATE": "UpdateOptions", "DELETE": "DeleteOptions"}
        return {"kind": kinds[operation], "apiVersion": _META}


_NO_OPTIONS: Final = _NoOptions()


class Identity:
    """Writes as `user`."""

    def __init__(self, chain: Chain, user: User) -> None:
        self._chain = chain
        self.user = user

    def of(self, user: User) -> Identity:
        """The same admission, in another name."""
        return Identity(self._chain, user)

    async def create(self, scope: Scope, obj: Object) -> WriteResult:
        """Raises what the store does: AlreadyExists, Invalid; and what admission does."""
        metadata = obj["metadata"]
        admission = WriteAdmission(self._chain, scope, self._origin(metadata.get("namespace", ""), metadata["name"]))
        waiting = admission.mutate(obj, None)
        if waiting is not None:
            await waiting
        return await scope.store.create(scope, obj, admission.context())

    async def update(
        self, scope: Scope, namespace: str, name: str, transform: Transform, *, precondition_uid: str = ""
    ) -> WriteResult:
        """`transform` as in writes.Update."""
        admission = WriteAdmission(self._chain, scope, self._origin(namespace, name))
        update = Update(partial(_transform, admission, transform), precondition_uid=precondition_uid)
        return await scope.store.update(scope, namespace, name, update, admission.context())

    async def delete(self, scope: Scope, namespace: str, name: str, options: Options) -> WriteResult:
        context = DeletionAdmission(self._chain, scope, self._origin(namespace, name)).context()
        return await scope.store.delete(scope, namespace, name, options, context)

    def _origin(self, namespace: str, name: str) -> Origin:
        return Origin(self.user, namespace, name, _NO_OPTIONS, dry_run=False, warnings=[], annotations={})


async def _transform(admission: WriteAdmission, transform: Transform, live: Object | None) -> Object:
    made = transform(live)
    new = made if isinstance(made, dict) else await made
    waiting = admission.mutate(new, live)
    if waiting is not None:
        await waiting
    return new


UNADMITTED: Final = Identity(Chain(Plugins((), ())), LOOPBACK)
