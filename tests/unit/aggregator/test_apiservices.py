"""Which APIService a path belongs to."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from quarterdeck.aggregator.apiservices import APIServices, read


def build(name: str, *, is_local: bool = False, **spec: Any) -> dict[str, Any]:
    version, _, group = name.partition(".")
    service = {} if is_local else {"service": {"namespace": "ns", "name": "svc", "port": 8443}}
    return {"metadata": {"name": name}, "spec": {"group": group, "version": version, **service, **spec}}


def of(*objects: dict[str, Any]) -> APIServices:
    entries = [SimpleNamespace(name=obj["metadata"]["name"], data=json.dumps(obj).encode()) for obj in objects]
    cache = SimpleNamespace(listeners=[], state=SimpleNamespace(all=lambda: entries))
    services = APIServices(cache)  # type: ignore[arg-type]
    services.take_up()
    return services


@pytest.mark.parametrize(
    ("path", "name"),
    [
        ("/apis/g.dev/v1", "v1.g.dev"),
        ("/apis/g.dev/v1/", "v1.g.dev"),
        ("/apis/g.dev/v1/namespaces/a/things/b", "v1.g.dev"),
        ("/apis%2Fg.dev%2Fv1/things", "v1.g.dev"),
        ("/apis/g.dev/v12", None),
        ("/apis/g.dev/v2/things", None),
        ("/apis/g.dev", None),
        ("/apis", None),
        ("/api/v1/pods", None),
        ("//apis/g.dev/v1", None),
        ("/apis/local.dev/v1", None),
        ("", None),
    ],
)
def test_a_version_has_all_below_it(path: str, name: str | None) -> None:
    found = of(build("v1.g.dev"), build("v1.local.dev", is_local=True)).find(path)
    assert (found.name if found else None) == name


def test_the_legacy_one_has_all_of_api() -> None:
    services = of(build("v1."))
    for path in ("/api", "/api/v1", "/api/v1/namespaces"):
        found = services.find(path)
        assert found is not None
        assert found.path == "/api/v1"
    assert services.find("/apis") is None


def test_what_an_object_says() -> None:
    conditions = [{"type": "Other", "status": "True"}, {"type": "Available", "status": "True"}]
    obj = build("v1.g.dev", caBundle="YQ==", groupPriorityMinimum=3, versionPriority=4)
    found = read({**obj, "status": {"conditions": conditions}})
    assert (found.service, found.bundle, found.is_verified) == (("ns", "svc", 8443), b"a", True)
    assert (found.is_available, found.is_managed, found.group_priority, found.version_priority) == (True, False, 3, 4)
    assert not read(obj).is_available
    assert not read(build("v1.g.dev", insecureSkipTLSVerify=True)).is_verified
    assert not of(build("v1.g.dev", is_local=True)).has_remote
