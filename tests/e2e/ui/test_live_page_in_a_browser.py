"""The live page in a headless Chromium: what happens at the server is seen, whatever its texts are, with keys alone, on
a narrow screen, and again after the server was away. Pictures go to build/pictures."""

from __future__ import annotations

import base64
import http.client
import itertools
import json
import socket
import ssl
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
import yaml

from quarterdeck.cmd.history import changes
from quarterdeck.testing import ControlPlane
from support.browser import Browser, Tab, find
from support.server import Server
from support.waiting import PATIENCE_S, wait_for

pytestmark = [
    pytest.mark.e2e,
    pytest.mark.browser,
    pytest.mark.skipif(find() is None, reason="there is no Chromium"),
]

PICTURES = Path(__file__).parents[3] / "build/pictures"
MAPS = "/api/v1/namespaces/default/configmaps"
KIND = "core/v1/configmaps"
HOSTILE = "<img src=x onerror='window.wasRun = 1'><script>window.wasRun = 2</script>"
GRID = ".grid"
DETAIL = ".detail-body"


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    running = Browser()
    yield running
    running.close()


@pytest.fixture(scope="module")
def plane() -> Iterator[ControlPlane]:
    with ControlPlane(ui=True) as running:
        yield running


@pytest.fixture
def tab(browser: Browser, plane: ControlPlane) -> Iterator[Tab]:
    opened = open_page(browser, plane.ui_url)
    yield opened
    assert opened.faults == []
    opened.close()


NUMBERS = itertools.count()


@pytest.fixture
def name() -> str:
    """Of an object that no other test has."""
    return f"boat-{next(NUMBERS)}"


def open_page(browser: Browser, url: str) -> Tab:
    tab = browser.open()
    tab.resize(1280, 800)
    tab.go(url)
    tab.wait("document.querySelector('#status').dataset.state === 'live' && document.querySelector('.kind')")
    return tab


def make(plane: ControlPlane, name: str, **more: Any) -> None:
    status, told = plane.call("POST", MAPS, {"metadata": {"name": name, **more.pop("metadata", {})}, **more})
    assert status == 201, told


def patch(plane: ControlPlane, name: str, value: Any, manager: str = "operator") -> None:
    path = f"{MAPS}/{name}?fieldManager={manager}"
    status, told = plane.call("PATCH", path, value, content_type="application/merge-patch+json")
    assert status == 200, told


def show(tab: Tab, /, **route: str) -> None:
    tab.evaluate(f"location.hash = {json.dumps(urlencode(route))}")


def test_objects_come_change_and_go_as_they_do(plane: ControlPlane, tab: Tab, name: str) -> None:
    show(tab, kind=KIND)
    tab.see("kube-apiserver", GRID)
    make(plane, name, data={"a": "1"})
    tab.see(f"default/{name}", GRID)
    tab.click(f".row[data-key='default/{name}']")
    tab.see('a: "1"', DETAIL)
    patch(plane, name, {"data": {"a": "2", "b": "more"}})
    tab.see('a: "2"', DETAIL)
    tab.see("b: more", DETAIL)
    assert plane.call("DELETE", f"{MAPS}/{name}")[0] == 200
    tab.see_no(f"default/{name}", GRID)
    tab.wait("!document.querySelector('.gone').hidden")
    tab.see("b: more", DETAIL)  # what it was is shown still


def test_managers_and_history_follow(plane: ControlPlane, tab: Tab, name: str) -> None:
    make(plane, name, data={"port": "8080"})
    patch(plane, name, {"data": {"port": "8081"}})
    show(tab, kind=KIND, object=f"default/{name}", tab="managers")
    tab.see("operator", DETAIL)
    tab.see(".data.port", DETAIL)
    tab.click("#tab-history")
    tab.see('"8080" → "8081"', DETAIL)
    tab.see("created", DETAIL)
    assert tab.evaluate("document.querySelectorAll('.state').length") == 2
    patch(plane, name, {"data": {"port": "8082"}}, manager="another")
    tab.see('"8081" → "8082"', DETAIL)
    tab.see("another (Update)", DETAIL)
    tab.click(".state summary")
    tab.see("kind: ConfigMap", DETAIL)


def test_a_kind_that_is_defined_appears_with_its_columns(plane: ControlPlane, tab: Tab) -> None:
    schema = {"type": "object", "properties": {"spec": {"type": "object", "properties": {"size": {"type": "integer"}}}}}
    column = {"name": "Size", "type": "integer", "jsonPath": ".spec.size"}
    version = {"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": schema}}
    names = {"plural": "sloops", "singular": "sloop", "kind": "Sloop"}
    versions = [version | {"additionalPrinterColumns": [column]}]
    spec = {"group": "example.com", "scope": "Namespaced", "names": names, "versions": versions}
    sloop = {"apiVersion": "example.com/v1", "kind": "Sloop", "metadata": {"name": "one"}, "spec": {"size": 37}}
    definition = {"metadata": {"name": "sloops.example.com"}, "spec": spec}
    plane.apply({"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", **definition})
    tab.see("Sloop", ".kinds-list")
    tab.click(".kind[data-id='example.com/v1/sloops']")
    tab.see("0 objects", ".total")
    plane.apply(sloop)
    tab.see("Size", ".grid-head")
    tab.see("37", GRID)
    path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/sloops.example.com"
    assert plane.call("DELETE", path)[0] == 200
    tab.see_no("Sloop", ".kinds-list")


def test_no_text_becomes_markup(plane: ControlPlane, tab: Tab, name: str) -> None:
    make(plane, name, metadata={"annotations": {"evil": HOSTILE}}, data={"evil": HOSTILE, "lines": f"{HOSTILE}\nmore"})
    patch(plane, name, {"data": {"evil": f"{HOSTILE}!"}}, manager=HOSTILE.replace(" ", "%20"))
    show(tab, kind=KIND, object=f"default/{name}")
    tab.see("onerror", DETAIL)
    for part in ("managers", "history"):
        tab.click(f"#tab-{part}")
        tab.see("onerror", DETAIL)
    assert tab.evaluate("window.wasRun") is None
    assert tab.evaluate("document.querySelectorAll('main img, main script').length") == 0


def test_values_of_secrets_are_shown_when_they_are_asked_for(plane: ControlPlane, tab: Tab, name: str) -> None:
    path = "/api/v1/namespaces/default/secrets"
    assert plane.call("POST", path, {"metadata": {"name": name}, "stringData": {"key": "first"}})[0] == 201
    value = {"stringData": {"key": "second"}}
    assert plane.call("PATCH", f"{path}/{name}", value, content_type="application/merge-patch+json")[0] == 200
    show(tab, kind="core/v1/secrets", object=f"default/{name}")
    tab.see("key: ", DETAIL)
    for part in ("history", "yaml"):
        tab.click(f"#tab-{part}")
        tab.see("•••••", DETAIL)
        assert "c2Vjb25k" not in tab.text()
    tab.click(".tabs .quiet")
    tab.see("c2Vjb25k", DETAIL)
    tab.click("#tab-history")
    tab.see('"Zmlyc3Q=" → "c2Vjb25k"', DETAIL)


TEXTS = [
    *(
        "",
        " ",
        "a",
        "a b",
        " a",
        "a ",
        "yes",
        "No",
        "on",
        "~",
        "null",
        "y",
        "True",
        ".5",
        ".inf",
        ".",
        "1",
        "1e3",
        "0x1f",
    ),
    *(
        "1_000",
        "2026-01-01",
        "12:30:45",
        "a: b",
        "a:",
        ":a",
        "a:b",
        "a #b",
        "#a",
        "- a",
        "-",
        "--- a",
        "? a",
        "! a",
        "&a",
    ),
    *("*a", "%a", "@a", "`a", "'a", '"a', "\\a", "{a", "[a", "|", ">", "<<", "=", "a,b", "<b>&amp;</b>", "\t", "a\tb"),
    *(
        "a\n",
        "a\nb",
        "a\nb\n",
        "a\n\nb\n\n",
        "\na",
        " a\nb",
        "a\n  b\n c\n",
        "a\r\nb",
        "a \nb",
        "#!/bin/sh\n\necho: a\n",
    ),
    *(
        "ä",
        "😀",
        "a\n😀",
        "\x00",
        "\x07a\nb",
        "\x7f",
        "\x85a",
        "a\x85\nb",
        "\u2028",
        "a\u2028\nb",
        "\ufeff",
        "\ufffea",
        "日本",
    ),
]


def test_yaml_says_what_the_object_says(tab: Tab) -> None:
    value = {
        "texts": TEXTS,
        "keys": {text or "empty": text for text in TEXTS},
        "nested": [[], {}, [[1, 2], [{"a": [{"b": {}}]}]], {"a": {"b": ["c\nd\n"]}, "e": []}, None, True, False],
        "numbers": [0, -1, 1.5, 9007199254740993, -9223372036854775808, 18446744073709551615],
    }
    assert yaml.safe_load(_run(tab, "yaml.js", "({ toLines, toText }) => toText(toLines(value))", value)) == value


def test_changes_are_those_that_the_history_command_tells(tab: Tab) -> None:
    old = {
        "metadata": {"name": "a", "resourceVersion": "1"},
        "spec": {"a": 1, "b": [1, {"c": 2}], "d": {"e": None}, "g": 2**60},
    }
    new = {
        "metadata": {"name": "a", "resourceVersion": "2"},
        "spec": {"a": 2, "b": [1, {"c": 3}], "d": {}, "f": [1], "g": 2**60 + 1},
    }
    longer = {**new, "spec": {**new["spec"], "b": [1], "f": {"a": 1}}}
    for one, other in itertools.product((old, new, longer), repeat=2):
        told = _run(tab, "changes.js", "({ compare }) => compare(value[0], value[1])", [one, other])
        assert [each[0] for each in told] == [each[0] for each in changes.compare(one, other)]
    assert _run(tab, "changes.js", "({ compare }) => compare(null, value)", old) == [["", "created"]]


def _run(tab: Tab, module: str, function: str, value: Any) -> Any:
    """What a function of a module of the page makes of `value`, which is read as the page reads objects."""
    text = json.dumps(json.dumps(value))
    code = f"Promise.all([import('/exact.js'), import('/{module}')]).then(([{{ parse }}, module]) => "
    return tab.evaluate(f"{code} {{ const value = parse({text}); return ({function})(module); }})")


def test_keys_do_it_all(plane: ControlPlane, tab: Tab) -> None:
    for letter in "abc":
        make(plane, f"key-{letter}", metadata={"labels": {"by": "keys"}}, data={"letter": letter})
    show(tab, kind=KIND)
    tab.see("key-c", GRID)
    tab.press("/")
    assert tab.evaluate("document.activeElement.id") == "filter"
    tab.type("by=keys")
    tab.wait("document.querySelectorAll('.row').length === 3")
    tab.press("Enter", "j", "j", "Enter")
    tab.see("letter: b", DETAIL)
    tab.press("ArrowDown")
    tab.see("letter: c", DETAIL)
    tab.press("k", "k")
    tab.see("letter: a", DETAIL)
    assert tab.evaluate("document.querySelector('.grid').getAttribute('aria-activedescendant')")
    tab.press("]")
    tab.see(".data.letter", DETAIL)
    tab.press("[", "Escape")
    tab.wait("document.querySelector('.detail').hidden")
    tab.press("/", "Escape")
    tab.wait("document.querySelectorAll('.row').length > 3")
    tab.press("Escape", "3")
    tab.see("Latency of requests")
    tab.press("?")
    tab.wait("document.querySelector('#help').open")
    tab.press("Escape")
    tab.wait("!document.querySelector('#help').open")
    tab.press("1", "g")
    assert tab.evaluate("document.activeElement.id") == "kinds"
    tab.press("j")
    tab.wait("document.querySelector('.kind-title').textContent !== 'ConfigMap'")


def test_tabs_are_turned_with_arrows(tab: Tab) -> None:
    tab.evaluate("document.querySelector('#view-objects').focus()")
    tab.press("ArrowRight", "ArrowRight")
    tab.see("Latency of requests")
    assert tab.evaluate("document.activeElement.id") == "view-traffic"
    tab.press("ArrowLeft")
    tab.wait("document.querySelector('#view-watches').getAttribute('aria-selected') === 'true'")


def test_everything_that_can_be_used_has_a_name(plane: ControlPlane, tab: Tab, name: str) -> None:
    make(plane, name, data={"a": "b"})
    used = {"button", "searchbox", "textbox", "checkbox", "combobox", "tab", "tabpanel", "grid", "listbox", "option"}

    def read_names() -> list[tuple[str, str]]:
        nodes = tab.call("Accessibility.getFullAXTree")["nodes"]
        return [(node["role"]["value"], node.get("name", {}).get("value", "")) for node in nodes if not node["ignored"]]

    for route in ({"kind": KIND, "object": f"default/{name}"}, {"view": "traffic"}, {"view": "clusters"}):
        show(tab, **route)
        wait_for(lambda: {"tab", "button"} <= {role for role, _ in read_names()})
        assert [role for role, text in read_names() if role in used and not text.strip()] == []


def test_a_page_that_nobody_sees_asks_for_nothing(plane: ControlPlane, tab: Tab) -> None:
    show(tab, kind=KIND)
    tab.see("kube-apiserver", GRID)

    def count_watches() -> int:
        told = plane.call("GET", "/quarterdeck/v1/watches")[1]["watches"]
        return sum(each["user"] == "quarterdeck:live-page" for each in told)

    def hide(value: bool) -> None:
        hidden = json.dumps(value)
        tab.evaluate(f"Object.defineProperty(document, 'hidden', {{value: {hidden}, configurable: true}})")
        tab.evaluate("document.dispatchEvent(new Event('visibilitychange'))")

    wait_for(lambda: count_watches() == 1)
    hide(True)
    wait_for(lambda: count_watches() == 0)
    tab.requests.clear()
    time.sleep(1.5)
    tab.evaluate("1")  # events come with answers
    assert tab.requests == []
    hide(False)
    wait_for(lambda: count_watches() == 1)
    tab.wait("document.querySelector('#status').dataset.state === 'live'")


def test_watches_faults_figures_and_clusters_are_told(plane: ControlPlane, tab: Tab, name: str) -> None:
    with plane.faults.conflict(verbs="update", resources="configmaps", name="often") as fault:
        show(tab, view="faults")
        tab.see("often")
        tab.see("verbs update")
        make(plane, name)
        assert plane.call("PUT", f"{MAPS}/{name}", {"metadata": {"name": name}})[0] == 409
        tab.wait("[...document.querySelectorAll('td.number')].some((cell) => cell.textContent === '1')")
        assert fault.fired == 1
    with Watching(plane, f"{MAPS}?watch=1&labelSelector=a%3Db"):
        show(tab, view="watches")
        tab.see("a=b")
        tab.see("tests/1")
    tab.see_no("a=b")
    plane.cluster("sea").call("POST", MAPS, {"metadata": {"name": "in-the-sea"}})
    show(tab, view="clusters")
    tab.click(".link")
    tab.wait("document.querySelector('#cluster').value === 'sea'")
    show(tab, cluster="sea", kind=KIND)
    tab.see("in-the-sea", GRID)
    show(tab, view="traffic")
    tab.wait("document.querySelectorAll('.bar-slot').length > 3")
    plane.call("DELETE", "/clusters/sea")


class Watching:
    """A client that reads what it is sent."""

    def __init__(self, plane: ControlPlane, path: str) -> None:
        context = ssl._create_unverified_context()
        config = plane.kubeconfig.read_text()
        files = {}
        for kind in ("client-certificate", "client-key"):
            data = next(line.split(": ")[1] for line in config.splitlines() if f"{kind}-data" in line)
            files[kind] = plane.kubeconfig.with_name(f"{kind}.pem")
            files[kind].write_bytes(base64.b64decode(data))
        context.load_cert_chain(*files.values())
        host, port = plane.url.removeprefix("https://").split(":")
        self._socket = context.wrap_socket(socket.create_connection((host, int(port))))
        self._socket.sendall(f"GET {path} HTTP/1.1\r\nHost: {host}\r\nUser-Agent: tests/1\r\n\r\n".encode())

    def __enter__(self) -> None:
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        try:
            while self._socket.recv(65536):
                pass
        except OSError:
            return

    def __exit__(self, *_: object) -> None:
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()


@pytest.mark.parametrize("width", [360, 414, 768])
def test_narrow_screens_need_no_scrolling_sideways(plane: ControlPlane, tab: Tab, name: str, width: int) -> None:
    long = "a-name-that-is-longer-than-any-narrow-screen-could-show-at-once" * 3
    make(plane, f"{name}-{long}", data={"a": "x" * 500})
    tab.resize(width, 740)
    chosen = f"default/{name}-{long}"
    with plane.faults.delay(0, verbs="get", names=long, name="long") as fault, Watching(plane, f"{MAPS}?watch=1"):
        for route in (
            {"view": "objects"},
            {"kind": KIND},
            *({"kind": KIND, "object": chosen, "tab": part} for part in ("yaml", "managers", "history")),
            *({"view": view} for view in ("watches", "traffic", "faults", "clusters")),
        ):
            show(tab, **route)
            time.sleep(0.4)
            seen = tab.evaluate("[document.documentElement.scrollWidth, innerWidth]")
            assert seen[0] <= seen[1], route
        plane.call("GET", f"{MAPS}/{long}")
        assert fault.fired == 1


def test_a_narrow_screen_goes_from_kinds_to_an_object_and_back(tab: Tab) -> None:
    tab.resize(360, 740)
    show(tab, view="objects")
    tab.click(f".kind[data-id='{KIND}']")
    tab.wait("document.querySelector('.list').offsetWidth > 300 && !document.querySelector('.kinds').offsetWidth")
    tab.click(".row")
    tab.wait("document.querySelector('.detail').offsetWidth > 300 && !document.querySelector('.list').offsetWidth")
    tab.evaluate("history.back()")
    tab.wait("document.querySelector('.list').offsetWidth > 300")
    tab.press("Escape")
    tab.wait("document.querySelector('.kinds').offsetWidth > 300")


def test_ten_thousand_objects_are_a_few_rows(plane: ControlPlane, tab: Tab) -> None:
    cluster = plane.cluster("many")
    threads = [threading.Thread(target=_fill, args=(cluster, part)) for part in range(4)]
    for each in threads:
        each.start()
    for each in threads:
        each.join()
    show(tab, cluster="many", kind=KIND)
    tab.wait("document.querySelector('.total')?.textContent === '10,001 objects'", 90)
    assert tab.evaluate("document.querySelectorAll('.row').length") < 100
    tab.evaluate("document.querySelector('.grid').focus()")
    tab.press("End")
    tab.see("many-3-2499", GRID)
    tab.press("/")
    tab.type("many-1-1234")
    tab.wait("document.querySelectorAll('.row').length === 1")
    cluster.call("DELETE", f"{MAPS}/many-1-1234")
    tab.wait("document.querySelectorAll('.row').length === 0")
    plane.call("DELETE", "/clusters/many")


def _fill(cluster: Any, part: int) -> None:
    for number in range(2500):
        cluster.call("POST", MAPS, {"metadata": {"name": f"many-{part}-{number:04}"}})


def test_the_token_leaves_the_address_and_goes_nowhere_else(plane: ControlPlane, tab: Tab) -> None:
    token = plane.ui_url.partition("token=")[2]
    assert token not in tab.evaluate("location.href")
    origin = plane.ui_url.partition("/#")[0]
    assert tab.requests and all(each.startswith(f"{origin}/") for each in tab.requests)
    assert not any(token in each.partition("#")[0] for each in tab.requests)
    tab.evaluate("location.reload()")
    time.sleep(0.3)
    tab.wait("document.querySelector('#status').dataset.state === 'live'")


def test_without_the_token_it_says_what_is_missing(browser: Browser, plane: ControlPlane) -> None:
    tab = browser.open()
    tab.go(plane.ui_url.partition("#")[0])
    tab.see("This page needs the server's token")
    tab.go(f"{plane.ui_url}x")
    tab.see("This page needs the server's token")
    tab.go("about:blank")
    tab.go(plane.ui_url)
    tab.wait("document.querySelector('#status').dataset.state === 'live'")
    tab.close()


def test_it_goes_on_after_the_server_was_away(browser: Browser, tmp_path: Path) -> None:
    with Server(tmp_path / "data", "--ui") as server:
        tab = open_page(browser, (tmp_path / "data/live-page.url").read_text().strip())
        show(tab, kind=KIND)
        tab.see("kube-apiserver", GRID)
        server.terminate()
        tab.wait("document.querySelector('#status').dataset.state === 'reconnecting'")
        server.start()
        _create(server, "after")
        tab.see("default/after", GRID)
        tab.wait("document.querySelector('#status').dataset.state === 'live'")
        _create(server, "and-more")
        tab.see("default/and-more", GRID)
        assert tab.faults == []
        tab.close()


def _create(server: Server, name: str) -> None:
    connection = http.client.HTTPConnection("127.0.0.1", server.plain_port, timeout=PATIENCE_S)
    body = json.dumps({"metadata": {"name": name}})
    connection.request("POST", MAPS, body, {"Content-Type": "application/json", "Host": "localhost"})
    assert connection.getresponse().status == 201
    connection.close()


@pytest.mark.parametrize(
    ("picture", "width", "height", "scheme"),
    [("desktop", 1280, 800, "light"), ("dark", 1280, 800, "dark"), ("narrow", 360, 740, "light")],
)
def test_pictures(plane: ControlPlane, tab: Tab, name: str, picture: str, width: int, height: int, scheme: str) -> None:
    make(plane, name, metadata={"labels": {"app": "boats"}}, data={"settings": "sails: 2\nanchor: down\n"})
    tab.resize(width, height)
    tab.prefer(color_scheme=scheme, reduced_motion="reduce")
    back = tab.evaluate("getComputedStyle(document.body).backgroundColor")
    red = int(back.partition("(")[2].split(",")[0])
    assert (red < 80) == (scheme == "dark")
    show(tab, kind=KIND, object=f"default/{name}")
    tab.see("settings: |", DETAIL)
    tab.picture(PICTURES / f"{picture}-object.png")
    show(tab, view="traffic")
    tab.wait("document.querySelectorAll('.bar-slot').length > 3")
    tab.picture(PICTURES / f"{picture}-traffic.png")
