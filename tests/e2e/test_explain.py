"""kubectl explain --recursive of real definitions: what their authors described is what a person reads."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from support import data, definitions
from support.server import Server

KUBECTL = Path(sys.executable).with_name("kubectl")
# Large and small, old versions beside new ones, int-or-string, junctors, embedded objects, preserved fields.
SOME = ("argo-cd", "cert-manager", "gateway-api", "sealed-secrets")
ONCE = 4  # processes at a time

Definition = dict[str, Any]


def load(project: str) -> list[Definition]:
    corpus = data.find("corpus")
    assert corpus is not None
    found: list[Definition] = json.loads(gzip.decompress((corpus / project / "crds.json.gz").read_bytes()))
    return found


def projects() -> list[str]:
    corpus = data.find("corpus")
    return sorted(path.parent.name for path in corpus.glob("*/crds.json.gz")) if corpus is not None else []


class Explained:
    """A server with definitions, of which `explain` asks for every served version."""

    def __init__(self, server: Server, cache: Path) -> None:
        self._base = [str(KUBECTL), "--kubeconfig", str(server.kubeconfig), "--cache-dir", str(cache)]

    def run(self, *arguments: str, stdin: str | None = None) -> str:
        done = subprocess.run(
            [*self._base, *arguments], input=stdin, capture_output=True, text=True, timeout=120, check=False
        )
        assert done.returncode == 0, f"kubectl {' '.join(arguments)}: {done.stderr}"
        return done.stdout

    def install(self, wanted: list[Definition]) -> None:
        listed = {"apiVersion": "v1", "kind": "List", "items": wanted}
        self.run("create", "--validate=false", "-f", "-", stdin=json.dumps(listed))
        names = [f"crd/{definition['metadata']['name']}" for definition in wanted]
        self.run("wait", "--for=jsonpath={.status.conditions[0].type}", *names, "--timeout=60s")
        self.run("wait", "--for=condition=Established", *names, "--timeout=60s")

    def explain(self, definition: Definition) -> None:
        spec = definition["spec"]
        for version in spec["versions"]:
            if version["served"]:
                # With a version named, kubectl takes what follows the first dot for a path of fields.
                api_version = f"{spec['group']}/{version['name']}"
                text = self.run("explain", spec["names"]["plural"], f"--api-version={api_version}", "--recursive")
                assert_tells(text, spec, version)


def assert_tells(text: str, spec: dict[str, Any], version: dict[str, Any]) -> None:
    lines = text.splitlines()
    found = {line.split(":")[0]: line.split(":")[1].strip() for line in lines[:4] if ":" in line}
    assert (found["GROUP"], found["KIND"], found["VERSION"]) == (spec["group"], spec["names"]["kind"], version["name"])
    schema = (version.get("schema") or {}).get("openAPIV3Schema") or {}
    assert names_at(lines, "  ") >= (schema.get("properties") or {}).keys()
    inner = (schema.get("properties") or {}).get("spec") or {}
    assert names_at(lines, "    ") >= (inner.get("properties") or {}).keys()


def names_at(lines: list[str], indent: str) -> set[str]:
    """The names of the fields that stand so far in."""
    return {
        line.split()[0] for line in lines if line.startswith(indent) and line[len(indent) : len(indent) + 1].strip()
    }


@pytest.fixture(scope="module")
def explained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explained]:
    with Server() as server:
        yield Explained(server, tmp_path_factory.mktemp("cache"))


def explain_all(explained: Explained, wanted: list[Definition]) -> None:
    explained.install(wanted)
    with ThreadPoolExecutor(ONCE) as pool:
        list(pool.map(explained.explain, wanted))


@pytest.mark.e2e
def test_conformance_finds_the_words_that_it_looks_for(explained: Explained) -> None:
    """Source: test/e2e/apimachinery/crd_publish_openapi.go."""
    spec = {"type": "object", "description": "Specification of Foo"}
    schema = {"type": "object", "description": "Foo CRD for Testing", "properties": {"spec": spec}}
    explained.install([definitions.of_things("words.example.com", definitions.version(schema))])
    words = ("Foo CRD for Testing", "FIELDS:", "<string>", "APIVersion defines", "<Object>", "Specification of Foo")
    assert_in_order(explained.run("explain", "things"), *words)
    words = ("Standard object's metadata", "creationTimestamp", "<string>", "CreationTimestamp is a timestamp")
    assert_in_order(explained.run("explain", "things.metadata"), *words)


def assert_in_order(text: str, *words: str) -> None:
    at = 0
    for word in words:
        at = text.index(word, at) + len(word)


@pytest.mark.e2e
@pytest.mark.skipif(data.find("corpus") is None, reason="the corpus of real definitions is not here")
def test_some_real_definitions_are_explained(explained: Explained) -> None:
    explain_all(explained, [max(load(project), key=lambda each: len(json.dumps(each))) for project in SOME])


@pytest.mark.e2e
@pytest.mark.slow
@pytest.mark.timeout(900)
@pytest.mark.parametrize("project", projects())
def test_every_real_definition_is_explained(project: str, tmp_path: Path) -> None:
    with Server() as server:
        explain_all(Explained(server, tmp_path / "cache"), load(project))
