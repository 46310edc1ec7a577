"""Runs one recording against a server: its own group and namespace, set-up, steps, clean-up."""

from __future__ import annotations

import json
import re
import secrets
import time
from collections.abc import Callable
from typing import Any

from support.golden import compare, pace, placeholders
from support.golden.client import Answer, Client
from support.golden.quickjson import read_json, write_sorted
from support.golden.seconds import Seconds
from support.golden.select import dig, select
from support.golden.settle import settle
from support.golden.webhook import Webhook

Step = dict[str, Any]

_NAME = re.compile(r"\$\{(\w+)\}")
_POLL_S = 0.02
_AWAIT_S = 60.0


class SetupFailed(Exception):
    """The server did not do what the scenario builds on."""


def replay(client: Client, recorded: dict[str, Any], webhook: Webhook) -> list[str]:
    """The differences between a recording and this server; none when they agree."""
    found = replay_steps(client, recorded, webhook)
    return [f"[{position}]{text}" for position, texts in enumerate(found) for text in texts]


def replay_steps(client: Client, recorded: dict[str, Any], webhook: Webhook) -> list[list[str]]:
    """The differences of each recorded answer. A server that does not do what the scenario builds on differs in all."""
    run = _Run(client, recorded["scenario"], webhook)
    wanted = recorded["answers"]
    try:
        actual = run.answers()
    except SetupFailed as error:
        return [[f": {error}"] for _ in wanted]
    finally:
        run.clean_up()
    wanted = placeholders.level(wanted)
    if write_sorted(wanted) == write_sorted(actual):
        return [[] for _ in wanted]
    if "seed" in recorded:
        wanted, actual = settle(wanted), settle(actual)
    return [
        [] if pace.explains(wanted, position, answer) else list(compare.differences(expected, answer))
        for position, (expected, answer) in enumerate(zip(wanted, actual, strict=True))
    ]


class _Run:
    def __init__(self, client: Client, scenario: dict[str, Any], webhook: Webhook) -> None:
        once = secrets.token_hex(3)
        self._call = client
        self._scenario = scenario
        self._has_namespace = b"${NS}" in write_sorted(scenario)
        self._own = {
            "GROUP": f"g{once}.golden.dev",
            "NS": f"ns-{once}",
            "WEBHOOK": webhook.url,
            "CA_BUNDLE": webhook.ca_bundle,
        }
        self._env: dict[str, str] = dict(self._own)
        self._seconds = Seconds()

    def answers(self) -> list[Any]:
        if self._has_namespace:
            namespace = {"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": self._own["NS"]}}
            self._call("POST", "/api/v1/namespaces", namespace)
        for step in self._scenario.get("setup") or []:
            self._set_up(self._fill(step))
        collected = []
        for step in self._scenario["steps"]:
            answer = self._take(self._fill(step))
            if answer is not None:
                collected.append(answer)
        placeholders.order_causes(collected)
        names = placeholders.Placeholders(self._own)
        names.rank_revisions(collected, self._seconds.same)
        return [placeholders.level(names.apply(answer)) for answer in collected]

    def _fill(self, value: Any) -> Any:
        if isinstance(value, str):
            return _NAME.sub(lambda match: str(self._env.get(match[1], match[0])), value) if "$" in value else value
        if isinstance(value, dict):
            return {self._fill(name): self._fill(inner) for name, inner in value.items()}
        if isinstance(value, list):
            return [self._fill(inner) for inner in value]
        return value

    def _send(self, step: Step) -> Answer:
        body = step.get("raw", step.get("body"))
        return self._call(step.get("method", "GET"), step["path"], body, step.get("headers"))

    # - set-up

    def _set_up(self, step: Step) -> None:
        if "crd" in step:
            answer = self._call("POST", pace.DEFINITIONS, step["crd"])
            if answer.code not in (201, 409):
                raise SetupFailed(f"the definition was refused: {answer.code} {answer.text[:300]}")
            self._await_definition(step["crd"])
        elif "await" in step:
            answer = _until(lambda: self._call("GET", step["await"]), lambda got: _holds(got, step))
            if not _holds(answer, step):
                raise SetupFailed(f"{step['await']} did not come: {answer.code} {answer.text[:300]}")
        elif "sleep" in step:
            time.sleep(step["sleep"])
        else:
            answer = self._send(step)
            if not (200 <= answer.code < 300 or answer.code == 409):
                raise SetupFailed(f"{step['path']}: {answer.code} {answer.text[:300]}")
            for name, path in (step.get("save") or {}).items():
                self._env[name] = dig(read_json(answer.body), path)

    def _await_definition(self, definition: dict[str, Any]) -> None:
        spec = definition["spec"]
        plural = spec["names"]["plural"]
        for version in spec["versions"]:
            if version.get("served"):
                path = f"/apis/{spec['group']}/{version['name']}"
                self._await_served(path, plural)

    def _await_served(self, path: str, plural: str) -> None:
        _until(lambda: self._call("GET", path), lambda got: got.code == 200 and f'"{plural}"' in got.text)
        _until(lambda: self._call("GET", f"{path}/{plural}"), lambda got: got.code != 404)

    # - steps

    def _take(self, step: Step) -> dict[str, Any] | None:
        if "sleep" in step:
            time.sleep(step["sleep"])
            return None
        wanted = step.get("await")
        answer = _until(lambda: self._send(step), lambda got: _holds(got, wanted)) if wanted else self._send(step)
        body = _read(step, answer)
        self._seconds.show(body)
        if among := pace.written_among(step, answer.code):
            self._await_controllers(f"{among}/{body['metadata']['name']}")
        for name, path in (step.get("save") or {}).items():
            try:
                self._env[name] = dig(body, path)
            except (KeyError, IndexError, TypeError):
                self._env[name] = "MISSING"
        if step.get("unrecorded"):
            return None
        if "only" not in step or any(path.startswith("details") for path in step["only"]):
            placeholders.order_causes(body)  # else the message was recorded without them, in its own order
        taken = {"code": answer.code, "type": answer.header("content-type"), "body": select(step, body)}
        if "headersOut" in step:
            taken["headers"] = {
                name: [value for key, value in answer.headers if key.lower() == name.lower()]
                for name in step["headersOut"]
            }
        return taken

    def _await_controllers(self, path: str) -> None:
        def are_done(answer: Answer) -> bool:
            return answer.code != 200 or pace.is_settled(read_json(answer.body))

        _until(lambda: self._call("GET", path), are_done)

    # - clean-up

    def clean_up(self) -> None:
        answer = self._call("GET", pace.DEFINITIONS)
        for definition in read_json(answer.body).get("items") or [] if answer.code == 200 else []:
            if self._own["GROUP"] in definition["spec"]["group"]:
                self._release(definition["spec"])
                self._call("DELETE", f"{pace.DEFINITIONS}/{definition['metadata']['name']}")
        if self._has_namespace:
            self._call("DELETE", f"/api/v1/namespaces/{self._own['NS']}")
        for step in self._scenario.get("teardown") or []:
            filled = self._fill(step)
            self._call(filled.get("method", "DELETE"), filled["path"], filled.get("body"), filled.get("headers"))

    def _release(self, spec: dict[str, Any]) -> None:
        """Objects that a finalizer holds would keep their definition for ever."""
        version = next((each["name"] for each in spec["versions"] if each.get("served")), None)
        base, plural = f"/apis/{spec['group']}/{version}", spec["names"]["plural"]
        answer = self._call("GET", f"{base}/{plural}")
        for obj in read_json(answer.body).get("items") or [] if answer.code == 200 else []:
            metadata = obj["metadata"]
            if metadata.get("finalizers"):
                inside = f"/namespaces/{metadata['namespace']}" if metadata.get("namespace") else ""
                self._call(
                    "PATCH",
                    f"{base}{inside}/{plural}/{metadata['name']}",
                    json.dumps({"metadata": {"finalizers": None}}),
                    {"Content-Type": "application/merge-patch+json"},
                )


def _until(ask: Callable[[], Answer], is_enough: Callable[[Answer], bool]) -> Answer:
    """Ask until `is_enough` holds or the time is up; the last answer."""
    end = time.monotonic() + _AWAIT_S
    while True:
        answer = ask()
        if is_enough(answer) or time.monotonic() > end:
            return answer
        time.sleep(_POLL_S)


def _holds(answer: Answer, wanted: dict[str, Any]) -> bool:
    code, contains = wanted.get("code"), wanted.get("contains")
    return (code is None or answer.code == code) and (contains is None or contains in answer.text)


def _read(step: Step, answer: Answer) -> Any:
    if step.get("stream") and answer.code == 200:
        return [read_json(line) for line in answer.body.splitlines() if line.strip()]
    if "json" not in answer.header("content-type"):
        return answer.text
    try:
        return read_json(answer.body)
    except ValueError:
        return {"<not json>": answer.text}
