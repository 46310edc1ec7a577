"""Records that several stores of a process have in common: their bytes are there once, all else is each cache's own."""

from __future__ import annotations

from quarterdeck.storage.cacher import Cacher, KnownRecords
from quarterdeck.storage.memory import MemoryStorage, new_state

PREFIX = "/registry/core/configmaps/"


def encode(name: str, value: str) -> bytes:
    return b'{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"%b"},"data":{"k":"%b"}}' % (
        name.encode(),
        value.encode(),
    )


async def test_forks_share_the_bytes_of_what_none_has_written_and_nothing_else() -> None:
    template = new_state()
    for name in ("default/a", "default/b"):
        template.write(PREFIX + name, encode(name[-1], "same"))
    known = KnownRecords()
    known.expect(template.snapshot().current)
    changed = template.fork()
    changed.write(f"{PREFIX}default/b", encode("b", "other"))
    changed.write(f"{PREFIX}default/c", encode("c", "new"))
    found = []
    for state in (template.fork(), template.fork(), changed):
        cacher = Cacher(MemoryStorage(state=state), known=known)
        await cacher.start()
        found.append({entry.name: entry for entry in cacher.resource("", "configmaps").state.all()})
        await cacher.close()
    first, second, third = found
    assert first["a"].data is second["a"].data is third["a"].data
    assert first["b"].data is second["b"].data
    assert b'"other"' in third["b"].data
    assert (third["b"].revision, third["b"].create_revision) == (103, 102)
    assert [each.name for each in third.values()] == ["a", "b", "c"]
    assert first["a"] is not second["a"], "what a cache has found of an object is its own"
    assert [first["a"].path, first["a"].namespace, first["a"].revision] == ["default/a", "default", 101]
