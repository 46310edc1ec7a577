"""Wiring of the controllers: which of them run, what they are given, and where this server is found."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final, cast

from quarterdeck.controllers.authenticationtrust import Trusted
from quarterdeck.controllers.optional.context import Dependencies
from quarterdeck.controllers.run import Controllers
from quarterdeck.registry.scope import Builtin
from quarterdeck.server import advertised, pki, quotas
from quarterdeck.server.access import Access
from quarterdeck.server.config import Config
from quarterdeck.server.reload import FileWatch
from quarterdeck.storage.backend import Backend, Leasing

if TYPE_CHECKING:  # loaded where there is a virtual clock
    from quarterdeck.server.virtualtime import VirtualTime

# Of a virtual clock, which may pass days in a moment: half of how long the lease holds.
_LEASE_INTERVAL_S: Final = 1800.0


def set_up(
    controllers: Controllers,
    config: Config,
    served: Builtin,
    gates: Access,
    backend: Backend,
    virtual: VirtualTime | None,
) -> None:
    """Before they start."""
    if config.authority_files:
        controllers.trust.trusted = partial(_read_trusted, config)
        gates.file_watches.append(FileWatch(config.authority_files, controllers.trust.publish))
    root_ca, load_authority = pki.find_authority(config.data_dir)
    evaluators = partial(quotas.build_evaluators, served)
    dependencies = Dependencies(
        root_ca, load_authority, gates.keys, gates.authorizer.allows, evaluators, config.namespace_deletion_delay_s
    )
    controllers.choose(config.controllers, dependencies)
    controllers.features = config.enablement.features
    if config.etcd is not None:
        controllers.follow_masters(cast("Leasing", backend))
    # A server that runs none of them leaves the lease to those that do, a kube-controller-manager among them.
    if config.election is not None and controllers.managed.runs_any:
        controllers.elect(config.election)
    controllers.set_address(config.bind_address, config.secure_port, config.service_ranges, advertised.find(config))
    if virtual is not None:
        _follow(virtual, controllers, served)


def _follow(virtual: VirtualTime, controllers: Controllers, served: Builtin) -> None:
    """What they have to do is to be done before the clock goes on."""
    from quarterdeck.controllers.eventexpiry import EventExpiryController

    controllers.identity_lease.interval_s = _LEASE_INTERVAL_S
    controllers.add(EventExpiryController(served["", "v1", "events"][""], virtual.clock))
    virtual.follow(controllers.queues())


def _read_trusted(config: Config) -> Trusted:
    """Raises OSError."""
    clients = (config.data_dir / "pki" / "ca.crt").read_bytes()
    if config.client_ca_file is not None:
        clients += b"\n" + config.client_ca_file.read_bytes()
    proxy = config.front_proxy
    if proxy is None:
        return Trusted(clients, b"", {})
    lists = {
        "requestheader-username-headers": proxy.names,
        "requestheader-uid-headers": proxy.uids,
        "requestheader-group-headers": proxy.groups,
        "requestheader-extra-headers-prefix": proxy.extra_prefixes,
        "requestheader-allowed-names": proxy.allowed_names,
    }
    return Trusted(clients, proxy.client_ca_file.read_bytes(), lists)
