"""The process that test_kill.py kills: eight writers on one store, which say on stdout what they begin and what is
acknowledged. Run as `writer_child.py STORE SEED`; `tests` has to be on the module path.

Each line is a list: ["ready", revision], ["begin", key, value], ["ack", key, revision], ["refused", key].
"""

from __future__ import annotations

import asyncio
import json
import os
import random
import sys

import uvloop

from quarterdeck.storage import interface
from quarterdeck.storage.sqlite import Limits, SQLiteStorage

WRITERS = 8
KEYS_OF_EACH = 12
# Small, so that a short life sees many checkpoints and compactions.
LIMITS = Limits(checkpoint_bytes=250_000, reserve_bytes=1 << 20)


def say(*line: object) -> None:
    # One write a line: a kill leaves no half of one.
    os.write(1, json.dumps(line).encode() + b"\n")


async def write_for_ever(store: SQLiteStorage, number: int, known: dict[str, int], choose: random.Random) -> None:
    resource = ("pods", "widgets", "deep/er")[number % 3]
    sequence = 0
    while True:
        key = f"/registry/{resource}/writer-{number}/{choose.randrange(KEYS_OF_EACH)}"
        sequence += 1
        value = json.dumps({"writer": number, "seed": sys.argv[2], "sequence": sequence, "data": "x" * 2000})
        expected = known.get(key)
        gone = expected is not None and choose.random() < 0.3
        say("begin", key, None if gone else value)
        try:
            if expected is None:
                revision = await store.create(key, value.encode())
            elif gone:
                revision = await store.delete(key, expected)
            else:
                revision = await store.update(key, value.encode(), expected)
        except interface.RevisionConflict:
            say("refused", key)
            continue
        say("ack", key, revision)
        if gone:
            del known[key]
        else:
            known[key] = revision


async def main() -> None:
    store = await SQLiteStorage.open(sys.argv[1], limits=LIMITS, compaction_interval_s=0.03)
    known = {item.key: item.revision async for batch in store.load_all() for item in batch}
    say("ready", store.revision)
    choose = random.Random(sys.argv[2])
    writers = (
        write_for_ever(store, number, {key: at for key, at in known.items() if f"/writer-{number}/" in key}, choose)
        for number in range(WRITERS)
    )
    await asyncio.gather(*writers)


uvloop.run(main())
