"""Starts and stops the controllers, and tells them what changed. One line a controller.

Listeners run in the feed of the watch cache: they only note what has to be done (the serving controller acts at once).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence

from quarterdeck.apiextensions.build import Builder
from quarterdeck.apiextensions.schemas import load_without_schemas
from quarterdeck.apiextensions.served import ServedDefinition, ServedDefinitions
from quarterdeck.controllers import hooks, initial, names
from quarterdeck.controllers.apiapproval import APIApprovalController
from quarterdeck.controllers.authenticationtrust import ClusterAuthenticationTrustController
from quarterdeck.controllers.availability import AvailabilityController
from quarterdeck.controllers.clocks import LOOPS, Clocks
from quarterdeck.controllers.crdregistration import CRDRegistrationController
from quarterdeck.controllers.definitions import Definition, Definitions, judges_of
from quarterdeck.controllers.establishing import EstablishingController
from quarterdeck.controllers.finalizer import FinalizerController
from quarterdeck.controllers.flowcontrol.levels import MissingLevelController
from quarterdeck.controllers.identitylease import IdentityLeaseController
from quarterdeck.controllers.identityleasegc import IdentityLeaseCollector
from quarterdeck.controllers.leaderelection import LeaderElection, Settings
from quarterdeck.controllers.legacytokentracking import LegacyTokenTrackingController
from quarterdeck.controllers.managed import ManagerControllers
from quarterdeck.controllers.namespace import NamespaceController
from quarterdeck.controllers.naming import NamingController
from quarterdeck.controllers.network import Network
from quarterdeck.controllers.nonstructuralschema import NonStructuralSchemaController
from quarterdeck.controllers.optional.context import (
    MANAGER_USER,
    ControllerContext,
    Dependencies,
    OnDefinition,
    OptionalController,
)
from quarterdeck.controllers.serving import Discovery, ServingController
from quarterdeck.controllers.settling import Settling
from quarterdeck.controllers.workqueue import Controller
from quarterdeck.registry.builtin.core.service.allocation import DEFAULT_RANGES
from quarterdeck.registry.builtin.flowcontrol.resources import GROUP as FLOW
from quarterdeck.registry.builtin.flowcontrol.resources import LEVELS
from quarterdeck.registry.identity import UNADMITTED, Identity
from quarterdeck.registry.scope import Scope
from quarterdeck.storage.backend import Leasing
from quarterdeck.storage.cacher import Cacher, Change

Scopes = Mapping[str, Scope]


class Controllers:
    """`identity`: how the server writes as itself; kube-controller-manager's controllers write in names of their own.
    `builtin` are the scopes of the built-in resources by (group, version, resource). `is_resumed`: what every server
    makes was made in this store before, and what has been removed since stays away. `is_settled`: nor is there anything
    left to do for what is stored. `features`: those that are on although they are off by default."""

    features: Collection[str] = ()
    is_resumed = is_settled = False

    def __init__(
        self,
        builtin: Mapping[tuple[str, str, str], Scopes],
        served: ServedDefinitions,
        builder: Builder,
        discovery: Discovery,
        cacher: Cacher,
        changed: Callable[[str, ServedDefinition | None], None],
        clocks: Clocks = LOOPS,
        identity: Identity = UNADMITTED,
    ) -> None:
        clock, shown = clocks
        self._on_definition_served: list[OnDefinition] = []
        self._added: list[OptionalController] = []
        self._identity = identity
        self._builtin = builtin
        self._clock = clock
        self._shown = shown
        self._served = served
        scopes = builtin["apiextensions.k8s.io", "v1", "customresourcedefinitions"]
        namespaces = builtin["", "v1", "namespaces"]
        definitions = Definitions(scopes["status"], judges_of(builtin))
        self._definitions = definitions
        self._namespaces = namespaces
        self._changed = changed
        own = frozenset((group, name) for group, _, name in builtin)
        self.serving = ServingController(builder, served, discovery, cacher.drop, cacher.retire, self._on_served, own)
        self.naming = NamingController(definitions, clock)
        self.establishing = EstablishingController(definitions, clock)
        self.finalizer = FinalizerController(definitions, self._served_of, shown, own)
        self.approval = APIApprovalController(definitions, clock)
        self.nonstructural = NonStructuralSchemaController(definitions, clock)
        self.registration = CRDRegistrationController(
            builtin["apiregistration.k8s.io", "v1", "apiservices"][""],
            {(group, name) for group, name, _ in builtin},
            clock,
        )
        self.availability = AvailabilityController(builtin, clock)
        self.network = Network(builtin, clock, cacher)
        leases = builtin["coordination.k8s.io", "v1", "leases"][""]
        self.identity_lease = IdentityLeaseController(leases, shown)
        self.trust = ClusterAuthenticationTrustController(builtin["", "v1", "configmaps"][""], clock)
        self._of_ready_server = (
            LegacyTokenTrackingController(builtin["", "v1", "configmaps"][""], shown),
            self.trust,
            self.identity_lease,
            *self.network.when_ready,
            IdentityLeaseCollector(leases, shown),
            MissingLevelController(
                builtin[FLOW, "v1", "flowschemas"]["status"],
                builtin[FLOW, "v1", LEVELS][""],
                clock,
            ),
        )
        self.managed = ManagerControllers(builtin, served, self._namespaced_scopes, shown, cacher)
        self.election: LeaderElection | None = None
        self._name_writers(definitions)

    def _name_writers(self, definitions: Definitions) -> None:
        for own in (
            definitions,
            self.registration,
            self.availability,
            *self._of_ready_server,
        ):
            own.identity = self._identity
        self.network.write_as(self._identity)
        self.managed.write_as(self._identity)

    @property
    def namespace(self) -> NamespaceController:
        return self.managed.namespace

    def choose(self, wanted: Sequence[str], dependencies: Dependencies) -> None:
        """Before the start. `wanted`: resolved names of kube-controller-manager's controllers."""
        context = ControllerContext(
            self._builtin,
            self._identity,
            self._shown,
            dependencies,
            self._namespaced_scopes,
            self._served.all,
            self._on_definition_served,
        )
        self.managed.choose(wanted, context)

    def add(self, controller: OptionalController) -> None:
        """Before the start: one more, which begins when clients are answered."""
        self._added.append(controller)

    def elect(self, settings: Settings) -> None:
        """Before the start: there are other servers, one of which runs kube-controller-manager's controllers."""
        leases = self._builtin["coordination.k8s.io", "v1", "leases"][""]
        self.election = LeaderElection(leases, settings, self.managed.lead, self.managed.retire, self._clock)
        self.election.identity = self._identity.of(MANAGER_USER)

    def follow_masters(self, leasing: Leasing) -> None:
        """Before the start: other servers share the store."""
        self.network.follow_masters(leasing)

    async def leave(self) -> None:
        """The server ends: let others do what it did, and tell nobody to come here any more."""
        if self.election is not None:
            await self.election.stop()
        await self.network.leave()

    async def start(self) -> None:
        """Take up what was left half done (level-triggered), then follow the changes."""
        for each in self._settling():
            each.is_settled = self.is_settled
        await self.take_up()
        for queue in self._of_apiserver():
            queue.start()
        if self.election is None:
            self.managed.start_early()

    async def take_up(self) -> None:
        """All of `start` but the workers: what has to be done waits in the queues."""
        definitions = self._definitions.cache
        if self.election is None:
            self.managed.follow_builtin()
        for entry in definitions.state.all():
            self.serving.try_put(self._definitions.read(entry), entry.data)
            self._take_up_definition(entry.name, is_foreign=True)
        self.registration.take_up()
        definitions.listeners.append(self._on_definition)
        self.availability.take_up()
        if not self.is_resumed:
            aggregates = self.managed.runs(names.AGGREGATION)
            await initial.make_missing(self._identity, self._builtin, aggregates, self.features)
        await self.network.take_up()
        if self.election is None:
            self.managed.follow_namespaces()

    def set_address(self, host: str, port: int, ranges: Sequence[str] = DEFAULT_RANGES, advertised: str = "") -> None:
        """Where this server listens, from which ranges its services get addresses, and by which address others reach it
        ("": none); before the start."""
        self.network.set_address(port, ranges, advertised)
        self.identity_lease.address = f"[{host}]:{port}" if ":" in host else f"{host}:{port}"

    def on_ready(self) -> None:
        """Clients are answered from now on: start what need not be there for that."""
        self.take_up_when_ready()
        for each in self._when_ready():
            each.controller.start()
        if self.election is not None:
            self.election.start()

    def take_up_when_ready(self) -> None:
        """All of `on_ready` but the work itself."""
        for each in self._when_ready():
            each.take_up()

    async def stop(self) -> None:
        if self.election is not None:
            await self.election.stop()
        await self.managed.stop()
        for queue in (*self._of_apiserver(), *(each.controller for each in self._when_ready())):
            await queue.stop()

    def startup(self, has_flow_control: bool) -> dict[str, Callable[[], str | None]]:
        """What has to be done before the server is ready, by upstream's names: why it is not, None where it is."""
        return hooks.checks(self, has_flow_control)

    def queues(self) -> tuple[Controller, ...]:
        """The queues that metrics report."""
        added = (each.controller for each in self._added)
        of_ready_server = (each.controller for each in self._of_ready_server)
        return (*self._of_apiserver(), *of_ready_server, *added, *self.managed.queues())

    @property
    def has_settled(self) -> bool:
        return all(each.has_settled for each in self._settling())

    def _settling(self) -> list[Settling]:
        known = self.registration, self.availability, *self.network.settling, self.identity_lease
        return [*known, *[each for each in self.managed.optional if isinstance(each, Settling)]]

    def _when_ready(self) -> list[OptionalController]:
        if self.election is not None:
            return list(self._of_ready_server)
        return [*self._of_ready_server, *self._added, *self.managed.optional]

    def _of_apiserver(self) -> tuple[Controller, ...]:
        """kube-apiserver's own, which always run, from before it is ready."""
        return (
            self.naming.controller,
            self.establishing.controller,
            self.nonstructural.controller,
            self.approval.controller,
            self.finalizer.controller,
            self.registration.controller,
            self.availability.controller,
            *self.network.queues,
        )

    def _on_served(self, name: str, served: ServedDefinition | None) -> None:
        self.managed.follow_definition(name, served)
        for listener in self._on_definition_served:
            listener(name, served)
        self._changed(name, served)

    def _on_definition(self, change: Change) -> None:
        if change.entry is not None:
            self.serving.try_put(self._definitions.read(change.entry), change.entry.data)
            self._take_up_definition(change.entry.name, is_foreign=change.entry.labels is None)
        elif change.old is not None:
            gone = load_without_schemas(change.old.data)
            self.serving.try_remove(gone)
            self._follow_definition(change.old.name)

    def _follow_definition(self, name: str) -> None:
        """For those that keep a view of all definitions."""
        definition = self._definitions.get(name)
        self.registration.follow(name, definition)
        self.naming.follow(name, definition)

    def _take_up_definition(self, name: str, *, is_foreign: bool) -> None:
        """`is_foreign`: no write of this server's, as far as is known; those tell their labels."""
        self.establishing.controller.add(name)
        self.approval.controller.add(name)
        self.nonstructural.add(name, is_foreign=is_foreign)
        self.finalizer.controller.add(name)
        self._follow_definition(name)

    def _served_of(self, definition: Definition) -> ServedDefinition | None:
        return self._served.get(definition["spec"]["group"], definition["spec"]["names"]["plural"])

    def _namespaced_scopes(self) -> Iterable[Scope]:
        for scopes in self._builtin.values():
            if scopes[""].resource.namespaced:
                yield scopes[""]
        for served in self._served.all():
            if served.storage_scope.resource.namespaced:
                yield served.storage_scope
