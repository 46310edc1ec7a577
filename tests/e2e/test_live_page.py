"""The live page's port: there with --ui alone, for this machine, to read; what it tells of watches is so."""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest

from quarterdeck.testing import ControlPlane
from support.ports import free_port
from support.server import Server
from support.waiting import PATIENCE_S, PROCESS_PATIENCE_S, wait_for

pytestmark = pytest.mark.e2e

MAPS = "/api/v1/namespaces/default/configmaps"


class Page:
    """A client with the token, as the page is one."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        assert parts.hostname == "127.0.0.1" and parts.port is not None
        self.port = parts.port
        self.token = parts.fragment.removeprefix("token=")

    def ask(self, path: str, *, method: str = "GET", **headers: str) -> tuple[int, bytes]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE_S)
        named = {name.replace("_", "-"): value for name, value in headers.items()}
        connection.request(method, path, headers={"Authorization": f"Bearer {self.token}"} | named)
        answer = connection.getresponse()
        try:
            return answer.status, answer.read()
        finally:
            connection.close()

    def get(self, path: str) -> Any:
        status, data = self.ask(path)
        assert status == 200, data
        return json.loads(data)


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with ControlPlane("--insecure-port=auto", ui=True, coverage=True) as running:
        yield running


@pytest.fixture
def page(plane: ControlPlane) -> Page:
    return Page(plane.ui_url)


def test_without_the_flag_there_is_nothing_of_it() -> None:
    with ControlPlane() as plain:
        for path in ("/quarterdeck/v1/figures", "/quarterdeck/v1/watches", "/main.js", "/style.css"):
            assert plain.call("GET", path)[0] == 404
        assert not plain.kubeconfig.with_name("live-page.url").exists()


def test_the_page_is_served_and_reads_the_api(page: Page) -> None:
    status, data = page.ask("/", Authorization="")
    assert status == 200 and b"main.js" in data
    assert page.get("/api/v1/namespaces/default")["metadata"]["name"] == "default"
    assert page.get("/quarterdeck/v1/figures")["revision"] > 1
    assert page.get("/quarterdeck/v1/faults") == {"rules": []}
    assert page.get("/clusters")["kind"] == "LogicalClusterList"


def test_whoever_is_not_the_page_gets_nothing(page: Page) -> None:
    assert page.ask("/api", Authorization="Bearer wrong")[0] == 401
    assert page.ask(f"/api?token={page.token}", Authorization="")[0] == 401
    assert page.ask("/api", Host="evil.example.com")[0] == 403
    assert page.ask("/api", Origin="http://evil.example.com")[0] == 403
    assert page.ask("/api", Sec_Fetch_Site="cross-site")[0] == 403
    assert page.ask(f"{MAPS}/kube-root-ca.crt", method="DELETE")[0] == 405
    assert page.ask("/api", method="POST", Content_Length="0")[0] == 405


def test_it_takes_in_no_body(page: Page) -> None:
    with socket.create_connection(("127.0.0.1", page.port), timeout=PATIENCE_S) as client:
        client.sendall(b"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n")
        assert client.recv(100).startswith(b"HTTP/1.1 413 ")


def test_the_token_is_nothing_at_the_other_ports(plane: ControlPlane, page: Page) -> None:
    parts = urlsplit(plane.url)
    done = subprocess.run(
        [sys.executable, "-c", _ASK_WITHOUT_CERTIFICATE, f"https://127.0.0.1:{parts.port}/api", page.token],
        capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=True,
    )  # fmt: skip
    assert done.stdout.strip() == "401"


_ASK_WITHOUT_CERTIFICATE = """
import ssl, sys, urllib.error, urllib.request
request = urllib.request.Request(sys.argv[1], headers={"Authorization": "Bearer " + sys.argv[2]})
try:
    print(urllib.request.urlopen(request, context=ssl._create_unverified_context(), timeout=120).status)
except urllib.error.HTTPError as error:
    print(error.code)
"""


def test_other_interfaces_do_not_reach_it(page: Page) -> None:
    listening = Path("/proc/net/tcp").read_text() + Path("/proc/net/tcp6").read_text()
    places = [line.split()[1] for line in listening.splitlines() if line.split()[1].endswith(f":{page.port:04X}")]
    assert "0100007F:" + f"{page.port:04X}" in places
    assert not any(place.startswith(("00000000:", "0" * 32)) for place in places)


def test_the_token_is_told_to_the_owner_alone_and_in_no_log(plane: ControlPlane, page: Page) -> None:
    page.ask("/api", Authorization="Bearer wrong")
    page.ask(f"{MAPS}/missing")
    file = plane.kubeconfig.with_name("live-page.url")
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert str(file) in plane.log()
    assert page.token not in plane.log()
    assert page.token not in plane.audit_log().read_text()
    assert page.token not in plane.call("GET", "/flagz")[1]


def test_who_looks_on_is_noted_by_nobody_and_spoilt_by_no_rule(plane: ControlPlane, page: Page) -> None:
    plane.coverage.reset()
    with plane.faults.error(503, verbs="list", resources="secrets", times=1) as fault:
        assert page.ask("/api/v1/secrets")[0] == 200
        assert fault.matched == 0
        assert plane.call("GET", "/api/v1/secrets")[0] == 503
    users = {each["user"] for each in plane.coverage.report()["callers"]}
    assert users and "quarterdeck:live-page" not in users


def test_a_recording_holds_nothing_of_it(tmp_path: Path) -> None:
    with ControlPlane(ui=True, record=tmp_path / "run") as plane:
        page = Page(plane.ui_url)
        page.ask(f"{MAPS}/asked-by-the-page")
        plane.call("GET", f"{MAPS}/asked-by-somebody")
        page.ask("/api")
    recorded = b"".join(path.read_bytes() for path in tmp_path.rglob("run*") if path.is_file())
    assert b"asked-by-somebody" in recorded
    assert b"asked-by-the-page" not in recorded
    assert page.token.encode() not in recorded


def test_the_audit_tells_that_it_was_the_page(plane: ControlPlane, page: Page) -> None:
    page.ask(f"{MAPS}/looked-at")
    lines = wait_for(lambda: [each for each in plane.audit_log().read_text().splitlines() if "looked-at" in each])
    (event,) = map(json.loads, lines)
    assert event["impersonatedUser"]["username"] == "quarterdeck:live-page"


def test_a_stalled_watch_is_told_with_what_it_has_still_to_get(plane: ControlPlane, page: Page) -> None:
    plain = int(re.search(r"http://127\.0\.0\.1:(\d+)", plane.log())[1])  # type: ignore[index]
    with (
        socket.create_connection(("127.0.0.1", plain)) as stalled,
        socket.create_connection(("127.0.0.1", plain)) as read,
    ):
        for each, selector in ((stalled, "app%3Dbig"), (read, "app%3Dother")):
            head = f"GET {MAPS}?watch=1&labelSelector={selector} HTTP/1.1\r\nHost: localhost\r\n\r\n"
            each.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            each.sendall(head.encode())
        big, written, told = "x" * 500_000, 0, None
        while told is None:  # looked at after each write: a client that reads nothing is cut off after a few seconds
            made = {"metadata": {"name": f"big-{written}", "labels": {"app": "big"}}, "data": {"a": big}}
            assert plane.call("POST", MAPS, made)[0] == 201
            written += 1
            assert written < 60  # of all the frames that there are room for
            told = _find_watch(
                page, lambda each: each["labelSelector"] == "app=big" and each["isPaused"] and each["behind"]
            )
        assert told["user"] == "system:admin"
        assert (told["resource"], told["namespace"], told["version"]) == ("configmaps", "default", "v1")
        assert told["behind"] + told["sent"] == written
        assert told["behindBytes"] > told["behind"] * len(big)
        made = {"metadata": {"name": "other", "labels": {"app": "other"}}}
        assert plane.call("POST", MAPS, made)[0] == 201
        current = wait_for(
            lambda: _find_watch(page, lambda each: each["labelSelector"] == "app=other" and each["sent"])
        )
        assert (current["sent"], current["behind"], current["behindBytes"], current["isPaused"]) == (1, 0, 0, False)
    wait_for(lambda: not any("app" in each["labelSelector"] for each in page.get("/quarterdeck/v1/watches")["watches"]))


def _find_watch(page: Page, is_wanted: Any) -> dict[str, Any] | None:
    told = page.get("/quarterdeck/v1/watches")["watches"]
    assert [each["behindBytes"] for each in told] == sorted((each["behindBytes"] for each in told), reverse=True)
    return next(filter(is_wanted, told), None)


def test_a_cluster_has_figures_and_watches_of_its_own(plane: ControlPlane, page: Page) -> None:
    cluster = plane.cluster("sea")
    cluster.call("POST", MAPS, {"metadata": {"name": "in-the-sea"}})
    own = page.get("/clusters/sea/quarterdeck/v1/figures")
    assert own["requests"]["byVerb"]["POST"] == 1
    assert page.get("/clusters/sea/quarterdeck/v1/watches")["count"] == 0
    assert page.get(f"/clusters/sea{MAPS}/in-the-sea")["metadata"]["name"] == "in-the-sea"


def test_the_time_that_is_told_is_that_of_the_objects() -> None:
    with ControlPlane(ui=True, clock="2020-01-01T00:00:00Z") as plane:
        page = Page(plane.ui_url)
        told = page.get("/quarterdeck/v1/figures")["now"]
        plane.cluster("later", clock="2030-01-01T00:00:00Z")
        later = page.get("/clusters/later/quarterdeck/v1/figures")["now"]
    assert datetime.fromtimestamp(told, UTC).year == 2020
    assert datetime.fromtimestamp(later, UTC).year == 2030


def test_a_server_that_starts_again_has_the_same_address(tmp_path: Path) -> None:
    file = tmp_path / "data/live-page.url"
    with Server(tmp_path / "data", "--ui") as server:
        made = Page(file.read_text().strip())
        assert server.terminate() == 0
        # The port that the server found could go to somebody else while it does not run.
        url = file.read_text().replace(f":{made.port}/", f":{free_port()}/")
        file.write_text(url)
        server.start()
        assert file.read_text() == url
        assert Page(url.strip()).ask("/api")[0] == 200
        assert server.terminate() == 0
        with socket.create_server(("127.0.0.1", Page(url.strip()).port)):
            server.start()
            other = Page(file.read_text().strip())
        assert (other.token, other.port == Page(url.strip()).port) == (Page(url.strip()).token, False)
        assert other.ask("/api")[0] == 200
        file.unlink()
        server.terminate()
        server.start()
        assert Page(file.read_text().strip()).token != other.token


def test_a_port_that_is_given_is_the_one(tmp_path: Path) -> None:
    port = free_port()
    with socket.create_server(("127.0.0.1", port)):
        command = [sys.executable, "-m", "quarterdeck", "serve", "--ephemeral", "--secure-port=0", f"--ui={port}"]
        done = subprocess.run(
            [*command, "--data-dir", str(tmp_path)],
            capture_output=True,
            text=True,
            timeout=PROCESS_PATIENCE_S,
            check=False,
        )
        assert done.returncode == 3
        assert f"cannot listen on 127.0.0.1:{port} (--ui)" in done.stderr
    with ControlPlane(f"--ui={port}") as plane:
        assert Page(plane.ui_url).port == port


def test_a_named_server_tells_where_its_page_is(tmp_path: Path) -> None:
    homes = {name: str(tmp_path / name) for name in ("XDG_DATA_HOME", "XDG_STATE_HOME", "XDG_CACHE_HOME")}

    def run(*arguments: str) -> str:
        command = [sys.executable, "-m", "quarterdeck", *arguments]
        environment = os.environ | homes
        return subprocess.run(
            command, env=environment, capture_output=True, text=True, timeout=PROCESS_PATIENCE_S, check=True
        ).stdout

    told = run("up", "boats", "--flag=--ui")
    try:
        match = re.search(r"live page: (\S+)", told)
        assert match is not None, told
        assert Page(Path(match[1]).read_text().strip()).ask("/api")[0] == 200
    finally:
        run("down", "boats")


def test_the_wheel_has_the_page(tmp_path: Path) -> None:
    root, folder = Path(__file__).parents[2], "quarterdeck/livepage/page"
    environment = os.environ | {"QUARTERDECK_UNCOMPILED": "1"}
    command = [sys.executable, "setup.py", "--quiet", "build_py", "--build-lib", str(tmp_path)]
    subprocess.run(command, cwd=root, env=environment, check=True, timeout=100, capture_output=True)
    names = {path.name for path in (root / "pkg" / folder).iterdir()}
    assert "index.html" in names
    assert {path.name for path in (tmp_path / folder).iterdir()} == names
