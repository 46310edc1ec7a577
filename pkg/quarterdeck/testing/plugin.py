"""pytest's fixtures: `control_plane` for all tests of a session, `cluster` for one test alone, and clients of that.

pytest loads this module wherever the package is installed: it imports nothing but pytest until a fixture is used.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import AbstractAsyncContextManager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from quarterdeck.testing.cluster import Cluster
    from quarterdeck.testing.clusterpool import ClusterPool
    from quarterdeck.testing.controlplane import ControlPlane
    from quarterdeck.testing.served import Served

_MARKER = "quarterdeck"
_FIXTURES = ("cluster", "control_plane")
_LOGICAL, _PROCESS = "logical", "process"
_TIMED = ("clock", "seed")
_COVERAGE = "--quarterdeck-coverage"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini("quarterdeck_flags", "flags of `quarterdeck serve` for control planes of tests", "args", [])
    parser.addini("quarterdeck_apply", "files, folders and globs that each control plane of tests holds", "args", [])
    parser.addini("quarterdeck_cluster", "what `cluster` is: logical, or a process of its own", default=_LOGICAL)
    parser.getgroup(_MARKER).addoption(
        _COVERAGE,
        metavar="PATH",
        help="write what all control planes and clusters have covered of their API to this file: .html, .json or .txt "
        "(docs/api-coverage.md)",
    )


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line(
        "markers",
        f"{_MARKER}(*sources, namespace='default', clock=TIME, seed=N): files, folders, globs and objects that "
        "`cluster` holds, and its virtual clock",
    )
    if path := config.getoption(_COVERAGE):
        from quarterdeck.testing.served import Served
        from quarterdeck.testing.sessioncoverage import SessionCoverage

        session = SessionCoverage(config, path)
        config.pluginmanager.register(session)
        Served.collector = session.collector
        config.add_cleanup(_stop_collecting)


def _stop_collecting() -> None:
    sys.modules["quarterdeck.testing.served"].Served.collector = None


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """A failed test is told with what its control plane knows."""
    report = yield
    if report.when == "call" and report.failed:
        plane = _find_plane(item)
        if plane is not None:
            report.sections += _describe(plane)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, None, None]:
    """A test that passes while a fault that it asked for never fired has tested nothing. Faults go with their test."""
    try:
        yield
        for plane in _find_planes(item):
            plane.faults.check()
    finally:
        for plane in _find_planes(item):
            plane.faults.clear()


def _find_plane(item: pytest.Item) -> Served | None:
    """That of the test, where it has one."""
    return next(iter(_find_planes(item)), None)


def _find_planes(item: pytest.Item) -> list[Served]:
    module = sys.modules.get("quarterdeck.testing.served")
    if module is None:
        return []
    found = (getattr(item, "funcargs", {}).get(name) for name in _FIXTURES)
    return [each for each in found if isinstance(each, module.Served)]


def _describe(plane: Served) -> list[tuple[str, str]]:
    try:
        return [(f"quarterdeck: {title}", text) for title, text in plane.describe()]
    except Exception as error:  # noqa: BLE001  # whatever it is, it must not hide why the test failed
        return [("quarterdeck", f"nothing can be told: {error!r}\n{_read_log(plane)}")]


def _read_log(plane: Served) -> str:
    try:
        return plane.log()
    except (OSError, RuntimeError):
        return ""


@pytest.fixture(scope="session")
def control_plane(pytestconfig: pytest.Config) -> Iterator[ControlPlane]:
    """One for all tests of this process (with xdist: one for each worker)."""
    from quarterdeck.testing.controlplane import ControlPlane

    with ControlPlane(*pytestconfig.getini("quarterdeck_flags")) as plane:
        plane.apply(*_find_sources(pytestconfig))
        yield plane


@pytest.fixture(scope="session")
def _quarterdeck_spares(
    pytestconfig: pytest.Config, request: pytest.FixtureRequest
) -> Iterator[ClusterPool[Cluster] | ClusterPool[ControlPlane]]:
    from quarterdeck.testing import clusterpool

    kind, sources = pytestconfig.getini("quarterdeck_cluster"), _find_sources(pytestconfig)
    if kind == _LOGICAL:
        plane = request.getfixturevalue("control_plane")
        with plane.cluster() as pattern:
            pattern.apply(*sources)
            found = clusterpool.of_clusters(pattern)
            yield found
            found.close()
    elif kind == _PROCESS:
        others = clusterpool.of_processes(pytestconfig.getini("quarterdeck_flags"), sources)
        yield others
        others.close()
    else:
        raise pytest.UsageError(f"quarterdeck_cluster is {_LOGICAL} or {_PROCESS}, not {kind!r}")


@pytest.fixture
def cluster(
    _quarterdeck_spares: ClusterPool[Cluster] | ClusterPool[ControlPlane], request: pytest.FixtureRequest
) -> Iterator[Cluster | ControlPlane]:
    """One for this test alone, which holds what configuration and markers name."""
    markers = list(reversed(list(request.node.iter_markers(_MARKER))))
    timed = {name: value for marker in markers for name, value in marker.kwargs.items() if name in _TIMED}
    with _make_timed(request, timed) if timed else _quarterdeck_spares.borrowed() as found:
        for marker in markers:
            found.apply(*marker.args, **{name: value for name, value in marker.kwargs.items() if name not in _TIMED})
        yield found


@contextlib.contextmanager
def _make_timed(request: pytest.FixtureRequest, timed: dict[str, Any]) -> Iterator[Cluster | ControlPlane]:
    """With a clock of its own: all that it holds is as old as that says."""
    from quarterdeck.testing.controlplane import ControlPlane

    config = request.config
    if config.getini("quarterdeck_cluster") == _LOGICAL:
        made: Cluster | ControlPlane = request.getfixturevalue("control_plane").cluster(**timed)
    else:
        made = ControlPlane(*config.getini("quarterdeck_flags"), **timed)
    with made as found:
        found.apply(*_find_sources(config))
        yield found


def _find_sources(config: pytest.Config) -> list[str]:
    """Beside the configuration file, wherever pytest was started."""
    return [str(config.rootpath / source) for source in config.getini("quarterdeck_apply")]


@pytest.fixture
def kubeconfig(cluster: Served) -> Path:
    """The administrator's, of this test's cluster."""
    return cluster.kubeconfig


@pytest.fixture
def kubernetes_client(kubeconfig: Path) -> Iterator[Any]:
    """A kubernetes.client.ApiClient."""
    from quarterdeck.testing import clients

    with clients.kubernetes(kubeconfig) as client:
        yield client


@pytest.fixture
def kubernetes_asyncio_client(kubeconfig: Path) -> Callable[[], AbstractAsyncContextManager[Any]]:
    """`async with kubernetes_asyncio_client() as api`, on whichever loop."""
    from quarterdeck.testing import clients

    return partial(clients.kubernetes_asyncio, kubeconfig)


@pytest.fixture
def lightkube_client(kubeconfig: Path) -> Any:
    """A lightkube.Client."""
    from quarterdeck.testing import clients

    return clients.lightkube(kubeconfig)


@pytest.fixture
def kr8s_api(kubeconfig: Path) -> Any:
    """The API object of kr8s."""
    from quarterdeck.testing import clients

    return clients.kr8s(kubeconfig)


@pytest.fixture
def kopf_runner(kubeconfig: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., Any]:
    """`with kopf_runner("run", "-A", "operator.py") as runner`: the operator runs within it."""
    from quarterdeck.testing import clients

    monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
    if "kubernetes.config.kube_config" in sys.modules:  # it has looked at the environment when it was imported
        monkeypatch.setattr("kubernetes.config.kube_config.KUBE_CONFIG_DEFAULT_LOCATION", str(kubeconfig))
    return clients.kopf_runner
