"""Wiring of the controllers: which of them run, what they are given, and where this server is found."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from quarterdeck.controllers.optional.surroundings import Given
from quarterdeck.controllers.run import Controllers
from quarterdeck.registry.scope import Scope
from quarterdeck.server import advertised, pki, quotas
from quarterdeck.server.access import Access
from quarterdeck.server.config import Config

Builtin = Mapping[tuple[str, str, str], Mapping[str, Scope]]


def set_up(controllers: Controllers, config: Config, served: Builtin, gates: Access) -> None:
    """Before they start."""
    root_ca, load_authority = pki.find_authority(config.data_dir)
    evaluators = partial(quotas.build_evaluators, served)
    controllers.choose(
        config.controllers, Given(root_ca, load_authority, gates.keys, gates.authorizer.allows, evaluators)
    )
    controllers.set_address(config.bind_address, config.secure_port, config.service_range, advertised.find(config))
