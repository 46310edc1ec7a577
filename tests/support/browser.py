"""A headless Chromium, driven over its DevTools protocol: no library, and no browser but the system's.

What goes wrong in a page (exceptions, what its policy refused) is kept in `faults`, and fails whoever asks for it.
"""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import shutil
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any

import websocket

_LEFT = re.compile("navigated or closed|context was destroyed|Cannot find context")
_LISTENING = re.compile(r"DevTools listening on (ws://\S+)")
_START_S = 120.0
_WAIT_S = 120.0
_LOOK_S = 0.03
_NAMES = ("chromium", "chromium-browser", "google-chrome")
_FLAGS = (
    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--remote-debugging-port=0",
    "--no-first-run", "--disable-extensions", "--disable-background-networking", "--disable-component-update",
    "--disable-sync", "--no-proxy-server", "--hide-scrollbars", "--remote-allow-origins=*",
)  # fmt: skip
_KEYS = {
    "Enter": 13,
    "Escape": 27,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
    "PageDown": 34,
    "PageUp": 33,
    "End": 35,
    "Home": 36,
}


def find() -> str | None:
    """None: there is no browser."""
    return next(filter(None, map(shutil.which, _NAMES)), None)


class Browser:
    def __init__(self) -> None:
        program = find()
        assert program is not None
        self._folder = tempfile.TemporaryDirectory(prefix="quarterdeck-browser-", ignore_cleanup_errors=True)
        said = Path(self._folder.name, "said")
        with said.open("wb") as file:
            command = [program, *_FLAGS, f"--user-data-dir={self._folder.name}/profile", "about:blank"]
            environment = os.environ | {"HOME": self._folder.name}
            self._process = subprocess.Popen(command, stdout=file, stderr=file, env=environment)
        end = time.monotonic() + _START_S
        while (match := _LISTENING.search(said.read_text(errors="replace"))) is None:
            assert self._process.poll() is None and time.monotonic() < end, said.read_text(errors="replace")
            time.sleep(_LOOK_S)
        self._socket = websocket.create_connection(match[1], timeout=_START_S)
        self._numbers = itertools.count(1)
        self._tabs: dict[str, Tab] = {}

    def open(self) -> Tab:
        """A tab with a profile of its own."""
        context = self.call("Target.createBrowserContext")["browserContextId"]
        target = self.call("Target.createTarget", url="about:blank", browserContextId=context)["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = self._tabs[session] = Tab(self, session, context)
        for domain in ("Page", "Runtime", "Log", "Network"):
            tab.call(f"{domain}.enable")
        return tab

    def call(self, method: str, session: str | None = None, **parameters: Any) -> dict[str, Any]:
        number = next(self._numbers)
        message: dict[str, Any] = {"id": number, "method": method, "params": parameters}
        self._socket.send(json.dumps(message if session is None else message | {"sessionId": session}))
        while True:
            answer = json.loads(self._socket.recv())
            if answer.get("id") == number:
                if _LEFT.search(answer.get("error", {}).get("message", "")):
                    raise PageLeft
                assert "error" not in answer, (method, answer["error"])
                result: dict[str, Any] = answer["result"]
                return result
            if "method" in answer and answer.get("sessionId") in self._tabs:
                self._tabs[answer["sessionId"]].take(answer["method"], answer["params"])

    def close(self) -> None:
        self._socket.close()
        self._process.terminate()
        self._process.wait(timeout=_START_S)
        self._folder.cleanup()


class PageLeft(Exception):
    """Another page took the place of the one that was asked."""


class Tab:
    """`requests` are the URLs that the page has asked for, `faults` what went wrong in it."""

    def __init__(self, browser: Browser, session: str, context: str) -> None:
        self._browser = browser
        self._session = session
        self._context = context
        self.requests: list[str] = []
        self.faults: list[str] = []

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        return self._browser.call(method, self._session, **parameters)

    def take(self, event: str, parameters: dict[str, Any]) -> None:
        if event == "Network.requestWillBeSent":
            self.requests.append(parameters["request"]["url"])
        elif event == "Runtime.exceptionThrown":
            details = parameters["exceptionDetails"]
            self.faults.append(details.get("exception", {}).get("description") or details["text"])
        elif event == "Log.entryAdded" and parameters["entry"]["source"] == "security":
            self.faults.append(parameters["entry"]["text"])

    def go(self, url: str) -> None:
        self.call("Page.navigate", url=url)

    def evaluate(self, expression: str) -> Any:
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def wait(self, expression: str, wait_s: float = _WAIT_S) -> None:
        """Until it is true."""
        end = time.monotonic() + wait_s
        asked = f"(() => {{ try {{ return Boolean({expression}); }} catch {{ return false; }} }})()"
        while not self._is(asked):
            assert time.monotonic() < end, (expression, self.faults, self.text()[:2000])
            time.sleep(_LOOK_S)

    def _is(self, asked: str) -> bool:
        try:
            return bool(self.evaluate(asked))
        except PageLeft:  # for the one that is waited for
            return False

    def text(self) -> str:
        """What a person sees."""
        return str(self.evaluate("document.body.innerText"))

    def see(self, text: str, place: str = "body") -> None:
        self.wait(f"document.querySelector({json.dumps(place)}).innerText.includes({json.dumps(text)})")

    def see_no(self, text: str, place: str = "body") -> None:
        self.wait(f"!document.querySelector({json.dumps(place)}).innerText.includes({json.dumps(text)})")

    def click(self, selector: str) -> None:
        self.wait(f"document.querySelector({json.dumps(selector)})")
        self.evaluate(f"document.querySelector({json.dumps(selector)}).click()")

    def press(self, *keys: str) -> None:
        for key in keys:
            if key in _KEYS:
                code = {"key": key, "code": key, "windowsVirtualKeyCode": _KEYS[key]}
                code |= {"text": "\r"} if key == "Enter" else {}
            else:
                code = {"key": key, "text": key}
            self.call("Input.dispatchKeyEvent", type="keyDown", **code)
            self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in code.items() if k != "text"})

    def type(self, text: str) -> None:
        self.call("Input.insertText", text=text)

    def close(self) -> None:
        self._browser.call("Target.disposeBrowserContext", browserContextId=self._context)

    def resize(self, width: int, height: int) -> None:
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def prefer(self, **features: str) -> None:
        """`prefer(color_scheme="dark")`."""
        named = [{"name": f"prefers-{name.replace('_', '-')}", "value": value} for name, value in features.items()]
        self.call("Emulation.setEmulatedMedia", features=named)

    def picture(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"]))
