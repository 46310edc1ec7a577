"""An object whose record is damaged is neither there nor gone: every answer says so, and it can be removed."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from support import definitions
from support.golden.client import Answer, Client
from support.server import Server
from support.waiting import wait_for

pytestmark = pytest.mark.e2e

GROUP = "damage.example.com"
ALL = f"/apis/{GROUP}/v1/things"
BASE = f"/apis/{GROUP}/v1/namespaces/default/things"
BAD = f"{BASE}/bad"
UNSAFE = {"kind": "DeleteOptions", "apiVersion": "v1", "ignoreStoreReadErrorWithClusterBreakingPotential": True}


def thing(name: str, **metadata: object) -> dict[str, object]:
    return {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "metadata": {"name": name, **metadata}}


@pytest.fixture
def client(tmp_path: Path) -> Iterator[Client]:
    """The server was stopped, lost the value of one record, and is back."""
    with Server(tmp_path / "data") as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        owner = json.loads(call("POST", BASE, thing("bad", finalizers=["example.com/hold"])).body)
        reference = {"apiVersion": f"{GROUP}/v1", "kind": "Thing", "name": "bad", "uid": owner["metadata"]["uid"]}
        assert call("POST", BASE, thing("dependent", ownerReferences=[reference])).code == 201
        assert call("POST", "/api/v1/namespaces", {"metadata": {"name": "n"}}).code == 201
        assert call("POST", BASE.replace("default", "n"), thing("bad")).code == 201
        assert server.terminate() == 0
        (path,) = server.data_dir.glob("**/*.db")
        connection = apsw.Connection(str(path))
        where = f"/registry/{GROUP}/things/%/bad"
        connection.execute("UPDATE revisions SET value = zeroblob(length(value)) WHERE key LIKE ?", (where,))
        connection.close()
        server.start()
        yield Client("127.0.0.1", server.plain_port)


def outcome(answer: Answer) -> tuple[int, str]:
    return answer.code, json.loads(answer.body).get("reason", "")


def test_a_damaged_object_is_told_of_until_it_is_removed(client: Client) -> None:
    corrupt = (500, "InternalError")
    assert outcome(client("GET", BAD)) == corrupt
    assert outcome(client("PUT", BAD, thing("bad", resourceVersion="5"))) == corrupt
    assert outcome(client("PATCH", BAD, "{}", {"Content-Type": "application/merge-patch+json"})) == corrupt
    assert outcome(client("DELETE", BAD)) == corrupt
    assert outcome(client("POST", BASE, thing("bad"))) == (409, "AlreadyExists")
    assert outcome(client("POST", f"{BASE}?dryRun=All", thing("bad"))) == (409, "AlreadyExists")
    for path in (ALL, BASE, f"{BASE}?limit=1", f"{BASE}?resourceVersion=0", f"{BASE}?fieldSelector=metadata.name=bad"):
        listed = client("GET", path)
        assert outcome(listed) == (500, "StorageReadError")
        assert f"/registry/{GROUP}/things/default/bad" in listed.text
    assert outcome(client("DELETE", BASE)) == (500, "StorageReadError")
    event = json.loads(client("GET", f"{BASE}?watch=true&timeoutSeconds=1").body)
    assert (event["type"], event["object"]["reason"]) == ("ERROR", "StorageReadError")

    # Others are not concerned, and what it owned is not garbage.
    assert client("GET", f"{BASE}/dependent").code == 200
    assert client("GET", f"{BASE}?fieldSelector=metadata.name=dependent").code == 200
    assert client("GET", f"/apis/{GROUP}/v1/namespaces/other/things").code == 200

    removed = client("DELETE", BAD, UNSAFE)
    assert (removed.code, json.loads(removed.body)["status"]) == (200, "Success")
    assert client("GET", BAD).code == 404
    assert [item["metadata"]["name"] for item in json.loads(client("GET", BASE).body)["items"]] == ["dependent"]
    assert outcome(client("GET", ALL)) == (500, "StorageReadError")  # there is one more in another namespace
    assert client("POST", BASE, thing("bad")).code == 201


@pytest.mark.parametrize(
    "path, kind, reason",
    [
        (f"{definitions.PATH}/things.{GROUP}", "Terminating", "InstanceDeletionFailed"),
        ("/api/v1/namespaces/n", "NamespaceDeletionContentFailure", "ContentDeletionFailed"),
    ],
)
def test_what_holds_a_damaged_object_stays(client: Client, path: str, kind: str, reason: str) -> None:
    assert client("DELETE", path).code == 200

    def find() -> dict[str, str] | None:
        conditions = json.loads(client("GET", path).body)["status"].get("conditions") or ()
        return next((one for one in conditions if (one["type"], one["reason"]) == (kind, reason)), None)

    assert f"/registry/{GROUP}/things/n/bad" in wait_for(find)["message"]


def test_the_option_changes_nothing_for_an_object_that_can_be_read(client: Client) -> None:
    client("POST", BASE, thing("held", finalizers=["example.com/hold"]))
    assert client("DELETE", f"{BASE}/held", UNSAFE).code == 200
    assert json.loads(client("GET", f"{BASE}/held").body)["metadata"]["deletionTimestamp"]


def test_a_resource_whose_definition_is_damaged_is_not_gone(tmp_path: Path) -> None:
    name = f"things.{GROUP}"
    with Server(tmp_path / "data") as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        assert call("POST", BASE, thing("kept")).code == 201
        assert server.terminate() == 0
        connection = apsw.Connection(str(server.data_dir / "store.db"))
        where = f"/registry/apiextensions.k8s.io/customresourcedefinitions/{name}"
        connection.execute("UPDATE revisions SET value = zeroblob(length(value)) WHERE key = ?", (where,))
        connection.close()
        server.start()
        call = Client("127.0.0.1", server.plain_port)
        for path in (BASE, ALL, f"{BASE}/kept", f"{BASE}/kept/status"):
            assert outcome(call("GET", path)) == (503, "ServiceUnavailable")
        assert outcome(call("POST", BASE, thing("new"))) == (503, "ServiceUnavailable")
        assert call("GET", f"/apis/{GROUP}/v1/namespaces/default/others").code == 404
        ready = call("GET", "/readyz?verbose")
        assert ready.code == 500
        assert "[-]informer-sync failed" in ready.text
        assert "warn: 1 stored records are damaged" in ready.text
        assert call("GET", "/livez").code == 200
        assert "quarterdeck_storage_damaged_records 1\n" in call("GET", "/metrics").text
        assert call("DELETE", f"{definitions.PATH}/{name}", UNSAFE).code == 200
        server.wait_until_ready()
        assert call("GET", BASE).code == 404


def test_a_record_whose_name_is_lost_may_be_any_object_of_its_resource(tmp_path: Path) -> None:
    with Server(tmp_path / "data") as server:
        call = Client("127.0.0.1", server.plain_port)
        definitions.install(call, definitions.of_things(GROUP))
        for name in ("kept", "lost"):
            assert call("POST", BASE, thing(name)).code == 201
        assert server.terminate() == 0
        connection = apsw.Connection(str(server.data_dir / "store.db"))
        key = f"/registry/{GROUP}/things/default/lost"
        (record,) = connection.execute("SELECT record FROM meta").fetchall()
        (revision,) = connection.execute("SELECT revision FROM revisions WHERE key = ?", (key,)).fetchall()
        # As if all history had been compacted: nothing tells the key of a record any more.
        checkpointed, refusals = struct.unpack("<qqqqq", record[0][:40])[3:]
        rows = connection.execute("SELECT revision, key, value IS NULL FROM revisions ORDER BY revision").fetchall()
        living = {name: at for at, name, is_gone in rows if not is_gone}
        for at, name, _ in rows:
            if living.get(name) != at:
                connection.execute("DELETE FROM revisions WHERE revision = ?", (at,))
        newest = rows[-1][0]
        packed = struct.pack("<qqqqq", newest, newest, len(living), checkpointed, refusals)
        connection.execute("UPDATE meta SET record = ?", (packed + struct.pack("<I", zlib.crc32(packed)),))
        lost = f"/registry/{GROUP}/things/default/????"
        connection.execute("UPDATE revisions SET key = ?, head_sum = 1 WHERE revision = ?", (lost, revision[0]))
        connection.close()
        server.start()
        call = Client("127.0.0.1", server.plain_port)
        assert call("GET", f"{BASE}/kept").code == 200
        assert outcome(call("GET", f"{BASE}/lost")) == (500, "InternalError")
        assert outcome(call("GET", BASE)) == (500, "StorageReadError")
        assert call("GET", f"/apis/{GROUP}/v1/namespaces/other/things").code == 500
        assert call("DELETE", f"{BASE}/%3F%3F%3F%3F", UNSAFE).code == 200
        assert call("GET", f"{BASE}/lost").code == 404
        assert call("GET", BASE).code == 200
