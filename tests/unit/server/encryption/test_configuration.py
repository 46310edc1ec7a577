"""EncryptionConfiguration is read strictly and refused with upstream's texts, which never show a key."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.metrics.registry import Registry
from quarterdeck.server.encryption import build as building
from quarterdeck.server.encryption.configuration import ConfigurationError
from quarterdeck.server.encryption.metrics import EncryptionMetrics

HEAD = "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\n"
SECRET = "MDEyMzQ1Njc4OWFiY2RlZg=="  # 16 bytes
KEYS = f"{{keys: [{{name: k, secret: {SECRET}}}]}}"


def entry(resources: str, providers: str) -> str:
    return f"- resources: {resources}\n  providers: {providers}\n"


def config(*entries: str) -> str:
    return f"{HEAD}resources:\n{''.join(entries)}"


def refusal(tmp_path: Path, text: str, *, reloads: bool = False) -> str:
    path = tmp_path / "c.yaml"
    path.write_text(text)
    with pytest.raises(ConfigurationError) as caught:
        building.build(building.load(path, reloads=reloads), EncryptionMetrics(Registry(), "server"))
    told = str(caught.value)
    assert SECRET not in told
    return told.replace(str(path), "FILE")


def test_what_is_valid_is_built(tmp_path: Path) -> None:
    path = tmp_path / "c.yaml"
    path.write_text(
        config(
            entry("[events]", "[{identity: {}}]"),
            entry("[secrets, pandas.bears.example]", f"[{{aescbc: {KEYS}}}, {{identity: {{}}}}]"),
            entry("['*.apps']", f"[{{aesgcm: {KEYS}}}]"),
            entry("['*.*']", f"[{{aesgcm: {KEYS}}}]"),
        )
    )
    built = building.build(building.load(path, reloads=True), EncryptionMetrics(Registry(), "server"))
    expected = {("", "events"), ("", "secrets"), ("bears.example", "pandas"), ("apps", "*"), ("*", "*")}
    assert set(built.transformers) == expected
    assert built.transformers["", "secrets"].seal(b"{}", b"").startswith(b"k8s:enc:aescbc:v1:k:")
    assert built.digest.startswith("sha256:")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", 'error while loading file: encryption provider configuration file "FILE" is empty'),
        ("kind: X\n", "error decoding encryption provider configuration file \"FILE\": Object 'apiVersion' is missing"),
        (
            "apiVersion: apiserver.config.k8s.io/v2\nkind: EncryptionConfiguration\n",
            'error decoding encryption provider configuration file "FILE": no kind "EncryptionConfiguration" is '
            'registered for version "apiserver.config.k8s.io/v2" in scheme "pkg/runtime/scheme.go:110"',
        ),
        (
            config(entry("[secrets]", f"[{{aesgmc: {KEYS}}}]")),
            'error decoding encryption provider configuration file "FILE": strict decoding error: unknown field '
            '"resources[0].providers[0].aesgmc"',
        ),
        (HEAD, "resources: Required value: at least one resources is required"),
        (
            config(entry("[]", "[]")),
            "[resources[0].resources: Required value: at least one resources[0].resources is required, "
            "resources[0].providers: Required value: at least one resources[0].providers is required]",
        ),
    ],
)
def test_files_that_are_none(tmp_path: Path, text: str, told: str) -> None:
    assert refusal(tmp_path, text) == f"error while parsing file: {told}"


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(ConfigurationError) as caught:
        building.load(tmp_path / "none", reloads=False)
    path = tmp_path / "none"
    assert str(caught.value) == (
        f"error while parsing file: error while loading file: error reading encryption provider configuration file "
        f'"{path}": open {path}: no such file or directory'
    )


@pytest.mark.parametrize(
    ("resources", "told"),
    [
        ("[Secrets]", 'resources[0].resources[0]: Invalid value: "Secrets": resource name should not contain capital'),
        ("['*']", "use '*.' to encrypt all the resources from core API group or *.* to encrypt all resources"),
        ("[serviceipallocations]", "resources which do not have REST API/s cannot be encrypted"),
        ("[events.events.k8s.io]", "objects are stored using the 'events' API group in etcd"),
        ("[deployments.extensions]", "'extensions' group has been removed and cannot be used for encryption"),
        ("['secrets.*']", "encrypting the same resource across groups is not supported"),
        ("[secrets, '*.']", "using overlapping resources such as 'secrets' and '*.' in the same resource list"),
        (
            "[secrets, secrets]",
            'resources[0].resources: Invalid value: ["secrets","secrets"]: the same resource cannot be specified',
        ),
    ],
)
def test_names_of_resources(tmp_path: Path, resources: str, told: str) -> None:
    assert told in refusal(tmp_path, config(entry(resources, f"[{{aesgcm: {KEYS}}}]")))


@pytest.mark.parametrize(
    ("provider", "told"),
    [
        ("{}", 'resources[0].providers[0]: Invalid value: "REDACTED": provider does not contain any of the expected'),
        (f"{{aesgcm: {KEYS}, aescbc: {KEYS}}}", "more than one provider specified in a single element"),
        (
            "{aescbc: {keys: []}}",
            "resources[0].providers[0].aescbc.keys: Required value: at least one keys is required",
        ),
        (
            f"{{aesgcm: {{keys: [{{secret: {SECRET}}}]}}}}",
            "resources[0].providers[0].aesgcm.keys[0].name: Required value: name is a mandatory field for a key",
        ),
        ("{aesgcm: {keys: [{name: k}]}}", "keys[0].secret: Required value: secret is a mandatory field for a key"),
        (
            "{aesgcm: {keys: [{name: k, secret: 'not base64'}]}}",
            'keys[0].secret: Invalid value: "REDACTED": secrets must be base64 encoded',
        ),
        (
            "{aesgcm: {keys: [{name: k, secret: AAAA}]}}",
            'Invalid value: "REDACTED": secret is not of the expected length, got 3, expected one of [16 24 32]',
        ),
        (f"{{secretbox: {KEYS}}}", "secret is not of the expected length, got 16, expected one of [32]"),
        (
            "{kms: {name: v, endpoint: 'unix:///s'}}",
            "error while building transformers: KMSv1 is deprecated and will only receive security updates going "
            "forward. Use KMSv2 instead.  Set --feature-gates=KMSv1=true to use the deprecated KMSv1 feature.",
        ),
        (
            "{kms: {apiVersion: v2, name: 'a:b', endpoint: 'http://x', cachesize: 5, timeout: -1s}}",
            "error while parsing file: ["
            'resources[0].providers[0].kms.name: Invalid value: "a:b": invalid KMS provider name a:b, must not '
            "contain ':', "
            'resources[0].providers[0].kms.timeout: Invalid value: "-1s": timeout should be a positive value, '
            'resources[0].providers[0].kms.endpoint: Invalid value: "http://x": unsupported scheme "http" for KMS '
            "provider, only unix is supported, "
            "resources[0].providers[0].kms.cachesize: Invalid value: 5: cachesize is not supported in v2]",
        ),
        ("{kms: {apiVersion: v3, name: v, endpoint: 'unix:///s'}}", "only v1 and v2 are supported"),
        ("{kms: {apiVersion: v2, name: v}}", "endpoint is a mandatory field for a kms"),
    ],
)
def test_a_provider_with_a_mistake_is_refused(tmp_path: Path, provider: str, told: str) -> None:
    assert told in refusal(tmp_path, config(entry("[secrets]", f"[{provider}]")))


def test_entries_that_an_earlier_one_masks(tmp_path: Path) -> None:
    provider = f"[{{aesgcm: {KEYS}}}]"
    told = refusal(tmp_path, config(entry("['*.']", provider), entry("[secrets]", provider)))
    assert told == 'error while building transformers: resource "secrets" is masked by earlier rule "*."'
    told = refusal(tmp_path, config(entry("['*.*']", provider), entry("['*.apps']", provider)))
    assert told == 'error while building transformers: resource "*.apps" is masked by earlier rule "*.*"'
