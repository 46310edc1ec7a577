"""Which calls are made again where a member of etcd fails: reads, and writes that never left."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any

import pytest
from grpc import StatusCode, aio, method_handlers_generic_handler, unary_unary_rpc_method_handler

from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.client import Client, EtcdError
from quarterdeck.storage.etcd3.settings import Settings
from support.waiting import PATIENCE_S

PUT = messages.encode_put(b"/a", b"1", 0)


class Member:
    """Refuses its first call of each method with `text`, and answers all others with nothing."""

    def __init__(self, text: str) -> None:
        self.calls: list[str] = []
        self._text = text

    def handler(self) -> Any:
        def answer(method: str) -> Any:
            async def call(request: bytes, context: Any) -> bytes:
                self.calls.append(method)
                if self.calls.count(method) == 1:
                    await context.abort(StatusCode.UNAVAILABLE, self._text)
                return b""

            return unary_unary_rpc_method_handler(call)

        return method_handlers_generic_handler("etcdserverpb.KV", {name: answer(name) for name in ("Range", "Txn")})


async def run_calls(folder: Path, member: Member) -> None:
    server = aio.server()
    server.add_generic_rpc_handlers((member.handler(),))
    address = f"unix:{folder / 'etcd.sock'}"
    server.add_insecure_port(address)
    await server.start()
    client = Client(Settings((f"unix://{folder / 'etcd.sock'}",)))
    try:
        with pytest.raises(EtcdError) as caught:
            await client.txn(PUT)
        assert caught.value.was_sent
        assert (await client.range(messages.encode_range(b"/a"))).records == []
    finally:
        await client.close()
        await server.stop(None)


@pytest.mark.parametrize(
    "text", ["etcdserver: server stopped", "etcdserver: leader changed", "etcdserver: no leader", "Socket closed"]
)
def test_a_write_that_may_have_happened_is_not_made_again(tmp_path: Path, text: str) -> None:
    member = Member(text)
    asyncio.run(asyncio.wait_for(run_calls(tmp_path, member), PATIENCE_S))
    assert member.calls == ["Txn", "Range", "Range"]
