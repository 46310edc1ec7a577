"""What all control planes and logical clusters of a session of tests have covered together, in one file
(`pytest --quarterdeck-coverage=PATH`, docs/api-coverage.md)."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any, Final, Protocol

import pytest

from quarterdeck.cmd.coverage import merging, page, summary, text

Document = dict[str, Any]
_OUTPUT: Final = "quarterdeck_coverage"  # of a worker of xdist
_WRITERS: Final[dict[str, Callable[[Document], str]]] = {
    ".html": page.build,
    ".json": lambda document: json.dumps(document, indent=2) + "\n",
    ".txt": lambda document: text.build(document, ()),
}


class Worker(Protocol):
    """A process of pytest-xdist, as its controller sees it."""

    workeroutput: dict[str, str]


class Collector:
    """Adds reports up, from any thread. `lost` counts the servers that could not be asked any more."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._merged = merging.merge([])
        self.number = 0
        self.lost = 0

    def add(self, document: Document) -> None:
        with self._lock:
            self._merged = merging.merge([self._merged, document])
            self.number += 1

    def lose(self) -> None:
        with self._lock:
            self.lost += 1

    def state(self) -> Document:
        with self._lock:
            return {"merged": self._merged, "number": self.number, "lost": self.lost}

    def join(self, state: Document) -> None:
        """What another process has collected."""
        with self._lock:
            self._merged = merging.merge([self._merged, state["merged"]])
            self.number += state["number"]
            self.lost += state["lost"]


class SessionCoverage:
    """The plugin, in a session that is to have a report. Raises UsageError for a file of no known kind."""

    def __init__(self, config: pytest.Config, name: str) -> None:
        self.collector = Collector()
        self._config = config
        self._path = config.invocation_params.dir / Path(name)
        self._write = _WRITERS.get(self._path.suffix)
        if self._write is None:
            raise pytest.UsageError(f"--quarterdeck-coverage: {name} ends in none of {', '.join(_WRITERS)}")

    @pytest.hookimpl(wrapper=True, trylast=True)
    def pytest_sessionfinish(self) -> Generator[None, object, object]:
        """When the last fixtures are gone, and with them the servers."""
        result = yield
        output: dict[str, str] | None = getattr(self._config, "workeroutput", None)
        if output is not None:
            output[_OUTPUT] = json.dumps(self.collector.state())
        elif self._write is not None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(self._write(self.collector.state()["merged"]), encoding="utf-8")
        return result

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Worker) -> None:
        """A worker of xdist has ended; one that was killed has no output."""
        output = getattr(node, "workeroutput", {}).get(_OUTPUT)
        if output is None:
            self.collector.lose()
        else:
            self.collector.join(json.loads(output))

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        state = self.collector.state()
        shares = ", ".join(f"{name} {share(state['merged'])}" for name, share in summary.SHARES.items())
        lost = f", {state['lost']} could not be asked" if state["lost"] else ""
        terminalreporter.write_sep("-", "API coverage")
        terminalreporter.write_line(f"{shares}: of {state['number']} control planes and clusters{lost}: {self._path}")
