"""What a server must not have loaded when it becomes ready: it would pay for it at each start, used or not."""

from __future__ import annotations

import subprocess
import sys

import pytest

# Each has its own occasion: a YAML or protobuf body, a certificate to make, a rule or a pattern to compile, a document
# to build, an audit, traces, coverage, what a killed server left.
LATER = (
    "re2",
    "pickle",
    "shutil",
    "bz2",
    "lzma",
    "yaml",
    "cryptography",
    "email",
    "opentelemetry",
    "quarterdeck.server.tracing",
    "quarterdeck.endpoints.tracing",
    "quarterdeck.audit",
    "quarterdeck.coverage",
    "quarterdeck.cel.counted",
    "quarterdeck.admission.webhooks.counted",
    "quarterdeck.admission.policy.counted",
    "quarterdeck.endpoints.coverage",
    "quarterdeck.server.covering",
    "quarterdeck.livepage",
    "quarterdeck.server.livepage",
    "quarterdeck.apimachinery.codec.protobuf_decode",
    "quarterdeck.apimachinery.codec.protobuf_encode",
    "quarterdeck.apimachinery.typetables.groups",
    "quarterdeck.apimachinery.codec.yamlbuild",
    "quarterdeck.cel.checker",
    "quarterdeck.cel.environment",
    "quarterdeck.cel.parser",
    "quarterdeck.openapi.custom_schemas",
    "quarterdeck.openapi.builtin_types",
    "quarterdeck.openapi.paths_v2",
    "quarterdeck.openapi.paths_v3",
)


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    code = "import sys, quarterdeck.cmd.main, quarterdeck.server.apiserver; print(*sys.modules)"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    return set(run.stdout.split())


@pytest.mark.parametrize("name", LATER)
def test_the_start_does_not_load(name: str, loaded: set[str]) -> None:
    assert sorted(each for each in loaded if each == name or each.startswith(f"{name}.")) == []


def test_the_start_compiles_no_large_pattern() -> None:
    code = """
import quarterdeck.server.apiserver
from quarterdeck.schema import formats, mail
print(formats._hostname.cache_info().currsize, mail._compile.cache_info().currsize)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, timeout=60)
    assert run.stdout.split() == ["0", "0"]
