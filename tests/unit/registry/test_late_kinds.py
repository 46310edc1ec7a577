"""The rules of most kinds are loaded when the kind is first used, and then stand where the promise of them stood."""

from __future__ import annotations

import subprocess
import sys

import pytest

from quarterdeck.apis.resource import APIResource
from quarterdeck.registry.builtin import resources
from quarterdeck.registry.builtin.definition import Behaviour, Definition, describe, later
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.storage.cacher import Cacher
from support.memory_store import MemoryStore

DEFINITIONS = resources.definitions(Cacher(MemoryStore()))
START = """
import sys
import quarterdeck.server.apiserver
loaded = [name for name in sys.modules if name.startswith("quarterdeck.registry.builtin.")]
print(*(name for name in loaded if name.split(".")[3] in ("apps", "batch", "storage")), sep="\\n")
"""


def test_a_start_does_not_load_the_rules_of_workloads() -> None:
    found = subprocess.run([sys.executable, "-c", START], capture_output=True, text=True, check=True).stdout.split()
    rules = [name for name in found if name.count(".") == 4 and not name.endswith((".resources", ".names"))]
    assert rules == []


@pytest.mark.parametrize("definition", DEFINITIONS, ids=lambda each: f"{each.resource.group}.{each.resource.name}")
def test_every_kind_has_its_strategies(definition: Definition) -> None:
    for strategy in (definition.strategy, *definition.subresources.values()):
        assert callable(strategy.prepare_for_update)
        assert isinstance(strategy, BuiltinStrategy)


def test_a_strategy_is_loaded_once() -> None:
    loads = []

    def load() -> Behaviour:
        loads.append(1)
        strategy = BuiltinStrategy(namespaced=True)
        return Behaviour(strategy, {"status": strategy})

    resource: APIResource = describe("example.com", "things", "Thing", has_status=True)
    definition = later(resource, load)
    assert loads == []
    assert definition.strategy.allow_create_on_update is False
    assert type(definition.strategy) is BuiltinStrategy
    assert definition.subresources["status"].allow_unconditional_update is True
    assert definition.default is not None
    definition.default({})
    assert loads == [1]
