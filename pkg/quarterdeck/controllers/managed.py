"""kube-controller-manager's controllers: one server runs them, also where several share a store.

A server that is alone takes them up as it starts. Among several they begin when this server leads (leaderelection.py),
and are held back when it does not lead any more: they follow what changes, but do nothing, until it leads again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from quarterdeck.apiextensions.served import ServedDefinition, ServedDefinitions
from quarterdeck.controllers import names
from quarterdeck.controllers.events import EventRecorder
from quarterdeck.controllers.garbage.run import Garbage
from quarterdeck.controllers.namespace import NamespaceController
from quarterdeck.controllers.optional import run as optionals
from quarterdeck.controllers.optional.context import ControllerContext, OptionalController
from quarterdeck.controllers.workqueue import Clock, Controller
from quarterdeck.registry.builtin.assembly import LateScopes
from quarterdeck.registry.identity import Identity, controller_user
from quarterdeck.registry.scope import Builtin, Scope
from quarterdeck.storage.cacher import Cacher


class ManagerControllers:
    def __init__(
        self,
        builtin: Builtin,
        served: ServedDefinitions,
        namespaced_scopes: Callable[[], Iterable[Scope]],
        clock: Clock | None,
        cacher: Cacher,
    ) -> None:
        namespaces = builtin["", "v1", "namespaces"]
        self.garbage = Garbage(EventRecorder(builtin["", "v1", "events"][""], namespaces[""]))
        self.namespace = NamespaceController(
            namespaces[""], namespaces["status"], namespaces["finalize"], namespaced_scopes, clock
        )
        if cacher.is_of_several_stores:
            self.garbage.collector.catch_up = self.namespace.catch_up = cacher.catch_up
        self.optional: tuple[OptionalController, ...] = ()
        self._builtin = builtin
        self._cacher = cacher
        self._served = served
        self._wanted: Sequence[str] = (names.ALL,)
        self._collects = False

    def write_as(self, identity: Identity) -> None:
        self.namespace.identity = identity.of(controller_user("namespace-controller"))
        self.garbage.write_as(identity.of(controller_user("generic-garbage-collector")))

    def choose(self, wanted: Sequence[str], context: ControllerContext) -> None:
        self._wanted = wanted
        self.namespace.delay_s = context.dependencies.namespace_deletion_delay_s
        self.optional = optionals.build(wanted, context)

    def runs(self, name: str) -> bool:
        return names.is_enabled(name, self._wanted)

    @property
    def runs_any(self) -> bool:
        """Once they are chosen."""
        return bool(self.optional) or self.runs(names.GARBAGE_COLLECTOR) or self.runs(names.NAMESPACE)

    # - a server that is alone

    def follow_builtin(self) -> None:
        """Before definitions are served."""
        self._collects = self.runs(names.GARBAGE_COLLECTOR)
        if not self._collects:
            return
        if isinstance(self._builtin, LateScopes):
            self.garbage.follow_late(self._builtin, self._cacher)
        else:
            self.garbage.follow_builtin(scopes[""] for scopes in self._builtin.values())

    def follow_definition(self, name: str, served: ServedDefinition | None) -> None:
        if self._collects:
            self.garbage.follow_definition(name, served)

    def follow_namespaces(self) -> None:
        if self.runs(names.NAMESPACE):
            self.namespace.follow()

    def start_early(self) -> None:
        """Those that are at work before clients are answered."""
        if self.runs(names.NAMESPACE):
            self.namespace.controller.start()
        if self._collects:
            self.garbage.collector.start()

    # - one of several servers

    def lead(self) -> None:
        """Take up all that is to be done, and begin."""
        for queue in self.queues():
            queue.resume()
        if self._collects:
            self.garbage.collector.resume()
        else:
            self.follow_builtin()
            for served in self._served.all():
                self.follow_definition(served.name, served)
        self.follow_namespaces()
        self.start_early()
        for each in self.optional:
            each.take_up()
            each.controller.start()

    async def retire(self) -> None:
        """Another server may lead: what is under way is left, and nothing else begun."""
        await self.garbage.collector.hold()
        for queue in self.queues():
            await queue.hold()

    # - both

    def queues(self) -> tuple[Controller, ...]:
        own = (*self.namespace.queues(), *self.garbage.collector.queues())
        return (*(each.controller for each in self.optional), *own)

    async def stop(self) -> None:
        await self.garbage.collector.stop()
        for queue in self.queues():
            await queue.stop()
