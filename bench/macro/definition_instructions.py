"""Instructions that a whole server takes for a definition, from POST until it is served: the same on a busy machine.

    python bench/macro/definition_instructions.py [--every N]

Of the real definitions of the test data every Nth by name is posted to the server's application, one after another,
and waited for. What this client does itself (a request every 20 ms until discovery shows it, once the body is written)
counts too, some 0.2 million.
"""

from __future__ import annotations

import argparse
import asyncio
import gc
import json
import logging
import sys
import tempfile
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "tests"), str(ROOT / "bench" / "macro")]

import callgrind
import definitions
from callgrind import Marks

from support import in_process

_LOOK_S: Final = 0.02
_REST_S: Final = 0.3  # what follows once it is served
_LOOKS_MAX: Final = 10_000
_LOADS_MORE: Final = ("spec", "x-kubernetes-validations", '"strategy": "Webhook"', '"default"', '"format"', '"pattern"')


def _choose(every: int) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Those that are not counted, since more is loaded with the first of their kind, and those that are. Of those that
    several projects carry the newest counts."""
    found = {each["metadata"]["name"]: each for each in definitions.load_corpus()}
    counted = sorted(found)[every // 2 :: every]
    others = [found[name] for name in sorted(found) if name not in counted]
    first = [next(each for each in others if text in json.dumps(each)) for text in _LOADS_MORE]
    unique = {each["metadata"]["name"]: each for each in first}
    return list(unique.values()), [found[name] for name in counted]


async def _install(server: in_process.InProcess, prepared: definitions.Prepared) -> None:
    answer = await server.call("POST", definitions.DEFINITIONS, prepared.body)
    assert answer.status == 201, answer.body
    name = f'"name":"{prepared.plural}"'.encode()
    for path in prepared.version_paths:
        for _ in range(_LOOKS_MAX):
            if await _is_shown(server, path, name):
                break
            await asyncio.sleep(_LOOK_S)
        answer = await server.call("GET", f"{path}/{prepared.plural}")
        assert answer.status == 200, answer.body
    await asyncio.sleep(_REST_S)


async def _is_shown(server: in_process.InProcess, path: str, name: bytes) -> bool:
    answer = await server.call("GET", path)
    pieces = [answer.body] if isinstance(answer.body, bytes) else answer.body
    return answer.status == 200 and name in b"".join(pieces)


async def _serve_and_measure(folder: Path, every: int) -> None:
    logging.disable(logging.CRITICAL)
    marks = Marks(folder)
    first, counted = _choose(every)
    prepared = [(each["metadata"]["name"], definitions.Prepared.of(each)) for each in counted]
    with tempfile.TemporaryDirectory() as data:
        async with in_process.running(Path(data)) as server:
            await asyncio.sleep(2)
            for definition in first:
                await _install(server, definitions.Prepared.of(definition))
            gc.collect()
            gc.disable()  # when a collection comes is chance
            for name, each in prepared:
                marks.begin()
                await _install(server, each)
                marks.end(json.dumps([name, len(each.body)]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--every", type=int, default=30, metavar="N")
    every = parser.parse_args().every
    if (folder := callgrind.folder()) is not None:
        asyncio.run(_serve_and_measure(folder, every))
        return
    if next(definitions.load_corpus(), None) is None:
        print("the corpus of real definitions is not here")
        return
    counts = {name: rounds[0] for name, rounds in callgrind.count(__file__, f"--every={every}").items()}
    for told, count in sorted(counts.items(), key=lambda each: each[1]):
        name, size = json.loads(told)
        print(f"{name:64} {size / 1e3:7.1f} KB {count / 1e6:8.1f} million instructions")
    print(f"{'average of ' + str(len(counts)):76} {sum(counts.values()) / len(counts) / 1e6:8.1f}")


if __name__ == "__main__":
    main()
