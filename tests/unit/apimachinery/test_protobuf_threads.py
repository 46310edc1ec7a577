"""Large bodies in protobuf are read beside the event loop, while the loop reads small ones."""

from __future__ import annotations

import threading

import pytest

from quarterdeck.apimachinery.codec import protobuf_types
from quarterdeck.apimachinery.codec.protobuf_types import Field, message_of
from quarterdeck.apimachinery.typetables.reader import FieldEntry
from support.waiting import PATIENCE_S


def test_a_message_that_one_thread_makes_is_whole_when_another_gets_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protobuf_types, "_made", {})
    monkeypatch.setattr(protobuf_types, "_whole", {})
    begun, go_on = threading.Event(), threading.Event()
    make = protobuf_types._field

    def make_slowly(entry: FieldEntry, table: str) -> Field:
        begun.set()
        go_on.wait(PATIENCE_S)
        return make(entry, table)

    monkeypatch.setattr(protobuf_types, "_field", make_slowly)
    seen: list[int] = []
    threads = [
        threading.Thread(target=lambda: seen.append(len(message_of("v1", "ConfigMap").by_number))) for _ in range(2)
    ]
    threads[0].start()
    assert begun.wait(PATIENCE_S)
    threads[1].start()
    threads[1].join(0.05)  # it would be there by now, with nothing in it
    go_on.set()
    for thread in threads:
        thread.join(PATIENCE_S)
    assert seen == [4, 4]
