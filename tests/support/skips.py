"""Which tests may be skipped, and why: a plugin that counts skipped tests by reason and tells of them at the end.

A reason that is not listed fails the run in CI (CI=true in the environment); elsewhere it is told.
"""

from __future__ import annotations

import os
from collections import Counter

import pytest

_NO_DATA = "third-party data, which is never part of the repository (tests/support/data.py)"
_PLATFORM = "what the platform cannot do"
_OTHERS_MATTER = "one table of cases for several tests: this case is another's"

ALLOWED = {
    "the corpus is not here": _NO_DATA,
    "the corpus of real definitions is not here": _NO_DATA,
    "the cases are not here": _NO_DATA,
    "the facts of built-in kinds are not here": _NO_DATA,
    "QUARTERDECK_CEL_ORACLE names no Python with cel-python": "its licence and its dependencies keep it apart",
    "QUARTERDECK_KUBE_APISERVER names no kube-apiserver": "no package registry has one of this release",
    "cel-expr-python is not installed": "there are wheels for Linux on x86-64 alone",
    "helm-python-sdk has no wheel for this platform": "there are wheels for x86-64 alone",
    "PyNaCl is not installed": "the test extra asks for it, an environment made before may lack it",
    "grpcio is not installed": "the test extra asks for it, an environment made before may lack it",
    "Debian's etcd-server 3.5 is not to be had": "apt has it on Debian alone, and only with a network",
    "Debian's etcd-server 3.4 is not to be had": "apt has it on Debian alone, and only with a network",
    "OpenTelemetry is not installed": "the test extra asks for it, an environment made before may lack it",
    "there is no Chromium": "make test-ui installs it, and no other run needs it",
    "systemd-analyze is not installed": "a machine may have no systemd",
    "kopf is not installed": "the test extra asks for it, an environment made before may lack it",
    "what is freed is kept, to see who uses it": "AddressSanitizer does so (make sanitize)",
    "this Python hides its OpenSSL": _PLATFORM,
    "this OpenSSL reads nothing after its own goodbye": _PLATFORM,
    "may not mount a file system here": _PLATFORM,
    "no IPv6 here": _PLATFORM,
    "may not give up root's rights here": _PLATFORM,
    "only root can give files away": _PLATFORM,
    "nothing of it concerns the engine alone": _OTHERS_MATTER,
    "the type's matter": _OTHERS_MATTER,
}


class Skips:
    """A plugin for pytest, with or without xdist: reports come to the process that prints."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):
            self._count(report.longrepr)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:
            self._count(report.longrepr)

    def _count(self, longrepr: object) -> None:
        text = str(longrepr[2]) if isinstance(longrepr, tuple) else str(longrepr)
        self._counts[text.removeprefix("Skipped: ")] += 1

    @property
    def unlisted(self) -> list[str]:
        return sorted(set(self._counts) - set(ALLOWED))

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_worker = hasattr(session.config, "workerinput")
        if self.unlisted and os.environ.get("CI") == "true" and not is_worker and session.exitstatus in (0, 5):
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        for reason, count in sorted(self._counts.items()):
            why = ALLOWED.get(reason, "NOT LISTED in tests/support/skips.py, which fails the run in CI")
            terminalreporter.write_line(f"{count} skipped: {reason} ({why})")
