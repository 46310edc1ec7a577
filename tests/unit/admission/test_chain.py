"""The order in which plugins run: mutating ones, once more where one of them asks for it; validating ones."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from quarterdeck.admission.assembly import Plugin, assemble
from quarterdeck.admission.attributes import CREATE, DELETE, Attributes
from quarterdeck.admission.chain import Chain, Plugins
from quarterdeck.admission.timings import Timings
from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource, GroupVersionKind
from quarterdeck.metrics.registry import Family, Registry
from support.plain_interfaces import CreateOptions, PlainInterfaces

_RESOURCE = APIResource("example.com", "v1", "widgets", "widget", "Widget", "WidgetList", namespaced=True)


def attributes(obj: dict[str, Any] | None = None, resource: APIResource = _RESOURCE) -> Attributes:
    obj = {"metadata": {"name": "a"}} if obj is None else obj
    user, options = User("somebody"), CreateOptions()
    interfaces = PlainInterfaces(GroupVersionKind("example.com", "v1", "Widget"), "widgets")
    return Attributes(CREATE, resource, "", "ns", "a", obj, None, user, options, interfaces, [], {}, dry_run=False)


class Noting:
    """Notes its turns; `reinvokes` asks for a second one at its first; `waits` answers later."""

    def __init__(self, name: str, notes: list[str], *, waits: bool = False, reinvokes: bool = False) -> None:
        self.name = name
        self.notes = notes
        self.waits = waits
        self.reinvokes = reinvokes

    def admit(self, seen: Attributes) -> Any:
        return self._later(seen) if self.waits else self._note(seen)

    validate = admit

    def _note(self, seen: Attributes) -> None:
        again = "+" if seen.reinvoking is not None and seen.reinvoking.is_reinvoke else ""
        self.notes.append(self.name + again)
        if self.reinvokes:
            seen.reinvocation.is_requested = True

    async def _later(self, seen: Attributes) -> None:
        await asyncio.sleep(0)
        self._note(seen)


async def _run(waiting: Any) -> None:
    if waiting is not None:
        await waiting


@pytest.mark.parametrize("waits", range(8))
async def test_the_order_is_the_same_whoever_waits(waits: int) -> None:
    notes: list[str] = []
    plugins = tuple(Noting(name, notes, waits=bool(waits >> bit & 1)) for bit, name in enumerate("abc"))
    chain = Chain(Plugins(plugins, plugins[1:]))
    seen = attributes()
    await _run(chain.admit(seen))
    await _run(chain.validate(seen))
    assert notes == ["a", "b", "c", "b", "c"]


@pytest.mark.parametrize("waits", range(4))
async def test_all_mutating_plugins_run_once_more_where_one_asks(waits: int) -> None:
    notes: list[str] = []
    first = Noting("a", notes, waits=bool(waits & 1))
    chain = Chain(Plugins((first, Noting("b", notes, waits=bool(waits & 2), reinvokes=True)), ()))
    await _run(chain.admit(attributes()))
    assert notes == ["a", "b", "a+", "b+"]


def test_nothing_runs_again_unasked() -> None:
    notes: list[str] = []
    seen = attributes()
    seen.reinvocation.values["somebody"] = 1
    assert Chain(Plugins((Noting("a", notes),), ())).admit(seen) is None
    assert notes == ["a"]


def test_a_refusal_ends_the_chain() -> None:
    notes: list[str] = []
    with pytest.raises(errors.Forbidden):
        Chain(Plugins((Refusing(), Noting("a", notes)), ())).admit(attributes())
    assert notes == []


class Refusing:
    def admit(self, seen: Attributes) -> None:
        raise errors.Forbidden.of("", "widgets", "a", "no")


def timed(*plugins: Plugin) -> tuple[Chain, Callable[[], dict[tuple[str, ...], int]]]:
    """A chain, and how often each plugin and each pass has been noted."""
    registry = Registry()
    chain = assemble(plugins, Timings(registry))

    def counts() -> dict[tuple[str, ...], int]:
        families = [each for each in registry.families() if isinstance(each, Family)]
        return {labels: child.count for each in families for labels, child in each.children()}  # type: ignore[union-attr]

    return chain, counts


@pytest.mark.parametrize("waits", range(4))
async def test_plugins_and_passes_are_timed(waits: int) -> None:
    notes: list[str] = []
    first = Noting("a", notes, waits=bool(waits & 1))
    second = Noting("b", notes, waits=bool(waits & 2), reinvokes=True)
    chain, counts = timed(Plugin("A", None, first, first), Plugin("", None, second), Plugin("B", None, first))
    seen = attributes()
    await _run(chain.admit(seen))
    await _run(chain.validate(seen))
    assert counts() == {
        ("A", "admit", CREATE, "false"): 2,
        ("B", "admit", CREATE, "false"): 2,
        ("A", "validate", CREATE, "false"): 1,
        ("admit", CREATE, "false"): 1,
        ("validate", CREATE, "false"): 1,
    }


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("A", {("A", "admit", CREATE, "true"): 1, ("admit", CREATE, "true"): 1}),
        ("", {("admit", CREATE, "false"): 1}),
    ],
)
def test_refusals_are_timed_as_such_but_for_those_of_no_plugin(name: str, wanted: dict[tuple[str, ...], int]) -> None:
    chain, counts = timed(Plugin(name, None, Refusing()))
    with pytest.raises(errors.Forbidden):
        chain.admit(attributes())
    assert counts() == wanted


def test_operations_that_upstream_does_not_ask_a_plugin_about_are_not_noted() -> None:
    plugin = Noting("a", [])
    chain, counts = timed(
        *(Plugin(name, None, plugin) for name in ("ResourceQuota", "NamespaceLifecycle", "MutatingAdmissionPolicy"))
    )
    seen = attributes()
    seen.operation = DELETE
    assert chain.admit(seen) is None
    assert set(counts()) == {("NamespaceLifecycle", "admit", DELETE, "false"), ("admit", DELETE, "false")}


def test_a_replaced_object_is_the_same_dict() -> None:
    obj = {"metadata": {"name": "a"}, "spec": {"x": 1}}
    seen = attributes(obj)
    seen.replace_object({"metadata": {"name": "a"}, "spec": {"y": 2}})
    assert seen.obj is obj
    assert obj == {"metadata": {"name": "a"}, "spec": {"y": 2}}


@pytest.mark.parametrize("key", ["plain", "a/b/c", "-bad/key", "a.b/"])
def test_annotations_need_a_qualified_key(key: str) -> None:
    with pytest.raises(ValueError, match="annotation key has invalid format"):
        attributes().annotate(key, "x")


def test_annotations_are_not_overwritten() -> None:
    seen = attributes()
    seen.annotate("a.b/c", "x")
    seen.annotate("a.b/c", "x")
    with pytest.raises(ValueError, match="not allowd to be overwritten"):
        seen.annotate("a.b/c", "y")
    assert seen.annotations == {"a.b/c": "x"}


def test_a_resource_has_its_own_plugins_beside_those_of_all() -> None:
    notes: list[str] = []
    first, pods, last = (Noting(name, notes) for name in ("first", "pods", "last"))
    chain = assemble(
        (
            Plugin("first", None, first),
            Plugin("pods", frozenset([("", "pods")]), pods, pods),
            Plugin("last", None, last),
        )
    )
    for resource in ("pods", "services"):
        asked = attributes(None, APIResource("", "v1", resource, "", "", "", namespaced=True))
        assert chain.admit(asked) is None
        assert chain.validate(asked) is None
        notes.append(resource)
    assert notes == ["first", "pods", "last", "pods", "pods", "first", "last", "services"]
