"""The file of --tracing-config-file: what is taken, and the words of what is not."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from quarterdeck.schema.configfile import BadFile
from quarterdeck.server.config import ConfigError
from quarterdeck.server.tracing.build import open_provider
from quarterdeck.server.tracing.configuration import TracingSettings, load, parse

HEAD = "apiVersion: apiserver.config.k8s.io/{}\nkind: TracingConfiguration\n"


@pytest.mark.parametrize("version", ["v1", "v1beta1", "v1alpha1"])
@pytest.mark.parametrize(
    ("rest", "settings"),
    [
        ("", TracingSettings("localhost:4317", 0)),
        ("endpoint: collector:4317\n", TracingSettings("collector:4317", 0)),
        ("endpoint: dns:///collector:4317\n", TracingSettings("dns:///collector:4317", 0)),
        ("endpoint: unix:///run/otlp.sock\nsamplingRatePerMillion: 5\n", TracingSettings("unix:///run/otlp.sock", 5)),
        ("samplingRatePerMillion: 1000000\n", TracingSettings("localhost:4317", 1_000_000)),
        ("samplingRatePerMillion: null\nendpoint: null\n", TracingSettings("localhost:4317", 0)),
    ],
)
def test_what_is_taken(version: str, rest: str, settings: TracingSettings) -> None:
    assert parse((HEAD.format(version) + rest).encode()) == settings


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("kind: TracingConfiguration", "Object 'apiVersion' is missing"),
        ("apiVersion: v1\nkind: Pod", 'no kind "Pod" is registered for version "v1"'),
        (HEAD.format("v1") + "endpoints: a", 'strict decoding error: unknown field "endpoints"'),
        (HEAD.format("v1") + "endpoint: 1", "json: cannot unmarshal number into Go struct field"),
        (HEAD.format("v1") + "samplingRatePerMillion: 9999999999", "samplingRatePerMillion"),
        (HEAD.format("v1") + "samplingRatePerMillion: -1", "Invalid value: -1: sampling rate must be positive"),
        (
            HEAD.format("v1") + "samplingRatePerMillion: 1000001",
            "sampling rate per million must be less than or equal to one million",
        ),
        (HEAD.format("v1") + "endpoint: http://a:4317", "unsupported scheme: http.  Options are none, dns, unix"),
        (HEAD.format("v1") + "endpoint: a:port", 'parse "dns://a:port": invalid port ":port" after host'),
        (HEAD.format("v1") + "endpoint: dns://8.8.8.8/a:4317", "a DNS server cannot be chosen"),
    ],
)
def test_what_is_not(text: str, told: str) -> None:
    with pytest.raises(BadFile) as refused:
        parse(text.encode())
    assert told in str(refused.value)
    assert str(refused.value).startswith(("failed to read tracing config: ", "failed to validate tracing config"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(BadFile, match=r"tracing-config-file .*/none does not exist"):
        load(tmp_path / "none")


def test_without_the_package_the_error_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "opentelemetry", None)
    for name in [name for name in sys.modules if name.startswith(("opentelemetry.", "quarterdeck.server.tracing.pro"))]:
        monkeypatch.delitem(sys.modules, name)
    (tmp_path / "tracing.yaml").write_text(HEAD.format("v1"))
    with pytest.raises(ConfigError, match=r"--tracing-config-file needs OpenTelemetry: install quarterdeck\[tracing\]"):
        open_provider(tmp_path / "tracing.yaml")
