"""What a write in protobuf is answered is encoded once: whoever reads the object next is sent the same bytes."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.apimachinery.codec import protobuf
from quarterdeck.endpoints.handlers.protobuf_forms import ProtobufForm
from quarterdeck.storage.cacher import Entry
from support import in_process

PROTOBUF = "application/vnd.kubernetes.protobuf"
PODS = "/api/v1/namespaces/default/pods"


def pod(**metadata: Any) -> dict[str, Any]:
    spec = {"containers": [{"name": "c", "image": "i"}]}
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "p", **metadata}, "spec": spec}


async def write_and_read(server: in_process.InProcess, method: str, address: str) -> tuple[Any, Any]:
    """What a write of a pod with a label is answered in protobuf, and what is read next."""
    sent = protobuf.encode(pod(labels={"a": "b"}))
    written = await server.call(method, address, sent, PROTOBUF, accept=PROTOBUF)
    read = await server.call("GET", f"{PODS}/p", accept=PROTOBUF)
    assert (written.status < 300, read.status) == (True, 200)
    return written.body, read.body


@pytest.mark.parametrize("method", ["POST", "PUT"])
def test_an_object_is_encoded_once_for_its_writer_and_its_readers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    encoded: list[str] = []
    encode = ProtobufForm.encode

    def counting(form: ProtobufForm, entry: Entry) -> bytes:
        encoded.append(entry.name)
        return encode(form, entry)

    async def main() -> None:
        async with in_process.running(tmp_path) as server:
            if method == "PUT":
                await server.call("POST", PODS, pod())
            monkeypatch.setattr(ProtobufForm, "encode", counting)
            written, read = await write_and_read(server, method, PODS if method == "POST" else f"{PODS}/p")
            assert written == read
            assert protobuf.decode(read)["metadata"]["labels"] == {"a": "b"}

    asyncio.run(main())
    assert encoded.count("p") == 1


def test_what_is_not_stored_is_shown_as_it_would_be(tmp_path: Path) -> None:
    async def main() -> None:
        async with in_process.running(tmp_path) as server:
            await server.call("POST", PODS, pod())
            written, read = await write_and_read(server, "PUT", f"{PODS}/p?dryRun=All")
            assert protobuf.decode(written)["metadata"]["labels"] == {"a": "b"}
            assert "labels" not in protobuf.decode(read)["metadata"]

    asyncio.run(main())


CLASSES = "/apis/resource.k8s.io/v1/deviceclasses"


def test_parameters_that_are_sent_as_protobuf_showed_them_change_nothing(tmp_path: Path) -> None:
    async def main() -> None:
        async with in_process.running(tmp_path) as server:
            spec = {"config": [{"opaque": {"driver": "a.example.com", "parameters": {"a": 1, "b": 2}}}]}
            sent = {"apiVersion": "resource.k8s.io/v1", "kind": "DeviceClass", "metadata": {"name": "c"}, "spec": spec}
            assert (await server.call("POST", CLASSES, json.dumps(sent).encode())).status == 201
            shown = (await server.call("GET", f"{CLASSES}/c", accept=PROTOBUF)).body
            written = (await server.call("PUT", f"{CLASSES}/c", shown, PROTOBUF, accept=PROTOBUF)).body
            assert isinstance(written, bytes) and written == shown

    asyncio.run(main())
