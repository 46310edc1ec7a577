"""What plugins are told of each kind of write, through a whole server in the test's process."""

from __future__ import annotations

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.chain import Chain, _Pass
from quarterdeck.apimachinery import errors
from support import definitions, in_process
from support.waiting import PATIENCE_S

_GROUP = "admission.example.com"
_THINGS = f"/apis/{_GROUP}/v1/namespaces/default/things"
_SCALE = {"specReplicasPath": ".spec.replicas", "statusReplicasPath": ".status.replicas"}
_MERGE = "application/merge-patch+json"
_APPLY = "application/apply-patch+yaml"


class Recorder:
    """A plugin of both passes. `mutate` may make another object of one that is written."""

    def __init__(self) -> None:
        self.seen: list[tuple[str, Attributes, Any, Any]] = []
        self.mutate: Callable[[dict[str, Any]], dict[str, Any]] | None = None
        self.refusal: errors.APIStatus | None = None

    def admit(self, attributes: Attributes) -> None:
        self._note("admit", attributes)
        if self.mutate is not None and attributes.obj is not None and attributes.resource.name == "things":
            attributes.replace_object(self.mutate(copy.deepcopy(attributes.obj)))

    def validate(self, attributes: Attributes) -> None:
        self._note("validate", attributes)
        if self.refusal is not None and attributes.resource.name == "things":
            raise self.refusal

    def _note(self, phase: str, attributes: Attributes) -> None:
        self.seen.append((phase, attributes, copy.deepcopy(attributes.obj), copy.deepcopy(attributes.old)))

    def of(self, resource: str) -> list[tuple[str, Attributes, Any, Any]]:
        return [each for each in self.seen if each[1].resource.name == resource]


class Fixture:
    def __init__(self, server: in_process.InProcess, recorder: Recorder) -> None:
        self.server = server
        self.recorder = recorder

    async def call(self, method: str, address: str, body: Any = None, content_type: str = in_process.JSON) -> Any:
        self.recorder.seen.clear()
        answer = await self.server.call(method, address, body, content_type)
        assert isinstance(answer.body, bytes)
        return answer.status, json.loads(answer.body)


def _ask_last(chain: Chain, recorder: Recorder) -> None:
    """About every resource."""

    def longer(passes: Any) -> Any:
        calls = (recorder.admit, recorder.validate)
        extended = (
            _Pass((*each._calls, call), (*each._timed, None), each._whole, each._is_mutating)
            for each, call in zip(passes, calls, strict=True)
        )
        return type(passes)(*extended)

    chain._general = longer(chain._general)
    chain._particular = {resource: longer(passes) for resource, passes in chain._particular.items()}


@asynccontextmanager
async def recorded(tmp_path: Path) -> AsyncIterator[Fixture]:
    recorder = Recorder()
    async with in_process.running(tmp_path) as running:
        _ask_last(running.server.admission, recorder)
        subresources = {"status": {}, "scale": _SCALE}
        await running.define(definitions.of_things(_GROUP, definitions.version(subresources=subresources)))
        yield Fixture(running, recorder)


def _thing(name: str = "a", **spec: Any) -> dict[str, Any]:
    return {"apiVersion": f"{_GROUP}/v1", "kind": "Thing", "metadata": {"name": name}, "spec": {"replicas": 1, **spec}}


def _told(recorder: Recorder, resource: str = "things") -> list[tuple[Any, ...]]:
    """Phase, operation, subresource, kind, name, kind of the options, whether there is an object, and an old one."""
    return [
        (
            phase,
            each.operation,
            each.subresource,
            each.kind.kind,
            each.namespace,
            each.name,
            each.options.describe(each.operation)["kind"],
            obj is not None,
            old is not None,
        )
        for phase, each, obj, old in recorder.of(resource)
    ]


def _both(*told: Any) -> list[tuple[Any, ...]]:
    return [("admit", *told), ("validate", *told)]


async def test_nobody_is_asked_about_the_delete_of_what_is_on_its_way(tmp_path: Path) -> None:
    """Save where it is given less time than before."""
    pods = "/api/v1/namespaces/default/pods"
    pod = {"metadata": {"name": "a"}, "spec": {"nodeName": "n", "containers": [{"name": "c", "image": "i"}]}}
    held = {"metadata": {"name": "held"}, "spec": {"finalizers": ["example.com/hold"]}}
    async with recorded(tmp_path) as server:
        for resource, address, obj in (("pods", pods, pod), ("namespaces", "/api/v1/namespaces", held)):
            status, made = await server.call("POST", address, obj)
            assert status == 201, made
            name = made["metadata"]["name"]
            await server.call("DELETE", f"{address}/{name}")
            assert [each[1] for each in _told(server.recorder, resource)] == ["DELETE"] * 2
            await server.call("DELETE", f"{address}/{name}")
            assert _told(server.recorder, resource) == []
        for grace_s, times in ((40, 0), (20, 2), (20, 0)):
            status, _ = await server.call("DELETE", f"{pods}/a?gracePeriodSeconds={grace_s}")
            assert (status, len(_told(server.recorder, "pods"))) == (200, times)


async def test_every_verb_tells_its_operation(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        told = server.recorder
        await server.call("POST", _THINGS, _thing())
        assert _told(told) == _both("CREATE", "", "Thing", "default", "a", "CreateOptions", True, False)
        await server.call("PATCH", f"{_THINGS}/a", {"spec": {"x": 1}}, _MERGE)
        assert _told(told) == _both("UPDATE", "", "Thing", "default", "a", "UpdateOptions", True, True)
        await server.call("PATCH", f"{_THINGS}/b?fieldManager=m", _thing("b"), _APPLY)
        assert _told(told) == _both("CREATE", "", "Thing", "default", "b", "CreateOptions", True, False)
        _, live = await server.call("GET", f"{_THINGS}/a")
        assert told.of("things") == []
        await server.call("PUT", f"{_THINGS}/a", live)
        assert _told(told) == _both("UPDATE", "", "Thing", "default", "a", "UpdateOptions", True, True)
        await server.call("PATCH", f"{_THINGS}/a/status", {"status": {"x": 1}}, _MERGE)
        assert _told(told) == _both("UPDATE", "status", "Thing", "default", "a", "UpdateOptions", True, True)
        await server.call("PATCH", f"{_THINGS}/a/scale", {"spec": {"replicas": 3}}, _MERGE)
        assert _told(told) == _both("UPDATE", "scale", "Scale", "default", "a", "UpdateOptions", True, True)
        assert [(obj["kind"], obj["spec"], old["spec"]) for _, _, obj, old in told.of("things")] == [
            ("Scale", {"replicas": 3}, {"replicas": 1})
        ] * 2
        await server.call("DELETE", f"{_THINGS}/a")
        assert _told(told) == _both("DELETE", "", "Thing", "default", "a", "DeleteOptions", False, True)
        await server.call("DELETE", _THINGS)
        assert _told(told) == _both("DELETE", "", "Thing", "default", "", "DeleteOptions", False, True)


async def test_namespaces_count_as_being_in_themselves(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        await server.call(
            "POST", "/api/v1/namespaces", {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
        )
        assert [each[4:6] for each in _told(server.recorder, "namespaces")] == [("n", "n")] * 2


async def test_reviews_and_tokens_are_admitted(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        review = {"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}
        status, _ = await server.call("POST", "/apis/authentication.k8s.io/v1/selfsubjectreviews", review)
        assert status == 201
        told = _told(server.recorder, "selfsubjectreviews")
        assert told == _both("CREATE", "", "SelfSubjectReview", "", "", "CreateOptions", True, False)
        account = {"apiVersion": "v1", "kind": "ServiceAccount", "metadata": {"name": "robot"}}
        await server.call("POST", "/api/v1/namespaces/default/serviceaccounts", account)
        request = {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}}
        status, _ = await server.call("POST", "/api/v1/namespaces/default/serviceaccounts/robot/token", request)
        assert status == 201
        told = _told(server.recorder, "serviceaccounts")
        assert told == _both("CREATE", "token", "TokenRequest", "default", "robot", "CreateOptions", True, False)


async def test_options_are_told_as_given(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        await server.call("POST", f"{_THINGS}?dryRun=All&fieldManager=m&fieldValidation=Strict", _thing())
        (_, first, _, _), _ = server.recorder.of("things")
        assert first.dry_run
        assert first.options.describe(first.operation) == {
            "kind": "CreateOptions",
            "apiVersion": "meta.k8s.io/v1",
            "dryRun": ["All"],
            "fieldManager": "m",
            "fieldValidation": "Strict",
        }
        await server.call("POST", _THINGS, _thing())
        options = {"kind": "DeleteOptions", "apiVersion": "v1", "propagationPolicy": "Foreground", "dryRun": ["All"]}
        await server.call("DELETE", f"{_THINGS}/a", options)
        (_, first, _, _), _ = server.recorder.of("things")
        assert first.options.describe(first.operation) == {**options, "apiVersion": "meta.k8s.io/v1"}


async def test_controllers_write_in_their_own_names(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:
        namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "n"}}
        await server.call("POST", "/api/v1/namespaces", namespace)
        await server.call("POST", _THINGS.replace("default", "n"), _thing())
        await server.call("DELETE", "/api/v1/namespaces/n")
        async with asyncio.timeout(PATIENCE_S):
            while (await server.server.call("GET", "/api/v1/namespaces/n")).status != 404:
                await asyncio.sleep(0.01)
        users = {each.user.name for _, each, _, _ in server.recorder.of("things")}
        assert users == {"system:serviceaccount:kube-system:namespace-controller"}
        assert {each.operation for _, each, _, _ in server.recorder.of("things")} == {"DELETE"}


async def test_invalid_managed_fields_of_a_plugin_are_put_back(tmp_path: Path) -> None:
    async with recorded(tmp_path) as server:

        def spoil(obj: dict[str, Any]) -> dict[str, Any]:
            obj["metadata"]["managedFields"] = [{"operation": "Neither"}]
            return obj

        server.recorder.mutate = spoil
        answer = await server.server.call("POST", _THINGS, _thing())
        assert isinstance(answer.body, bytes)
        entries = json.loads(answer.body)["metadata"]["managedFields"]
        assert [entry["operation"] for entry in entries] == ["Update"]
        (warning,) = [value for name, value in answer.headers if name == "Warning"]
        assert ".metadata.managedFields was in an invalid state after admission" in warning


def _scramble(obj: dict[str, Any]) -> dict[str, Any]:
    """Changes an object at every depth, in place."""
    obj["spec"]["deep"] = {"list": [{"x": "scrambled"}]}
    obj["spec"]["replicas"] = 99
    obj["metadata"].setdefault("labels", {})["scrambled"] = "true"
    return obj


@pytest.mark.parametrize(
    ("method", "path", "body", "content_type"),
    [
        ("PATCH", "", {"spec": {"x": 2}}, _MERGE),
        ("PATCH", "", [{"op": "add", "path": "/spec/x", "value": 2}], "application/json-patch+json"),
        ("PATCH", "?fieldManager=m&force=true", _thing(x=2), _APPLY),
        ("PUT", "", _thing(x=2), in_process.JSON),
        ("PATCH", "/status", {"status": {"x": 2}}, _MERGE),
    ],
)
@pytest.mark.parametrize("is_refused", [True, False])
async def test_a_mutation_never_touches_the_live_object(
    tmp_path: Path, method: str, path: str, body: Any, content_type: str, *, is_refused: bool
) -> None:
    async with recorded(tmp_path) as server:
        _, live = await server.call("POST", _THINGS, _thing(deep={"list": [{"x": "kept"}]}))
        if method == "PUT":
            body = {**body, "metadata": live["metadata"]}
        server.recorder.mutate = _scramble
        if is_refused:
            server.recorder.refusal = errors.Forbidden.of(_GROUP, "things", "a", "refused")
        item = "/a" + path if path.startswith("/") else f"/a{path}"
        status, _ = await server.call(method, _THINGS + item, body, content_type)
        shown = {
            **live,
            "metadata": {name: value for name, value in live["metadata"].items() if name != "resourceVersion"},
        }
        for _, _, _, old in server.recorder.of("things"):
            old["metadata"].pop("resourceVersion", None)
            assert old == shown
        assert status == (403 if is_refused else 200)
        _, after = await server.call("GET", f"{_THINGS}/a")
        assert (after == live) is is_refused
        if not is_refused and path != "/status":
            assert after["spec"]["deep"] == {"list": [{"x": "scrambled"}]}
