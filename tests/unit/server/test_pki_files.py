"""Certificates and kubeconfig of a data directory: made once, renewed in time, private."""

from __future__ import annotations

import base64
import json
import os
import ssl
import subprocess
import sys
import time
from pathlib import Path

import pytest
import yaml
from cryptography import x509
from cryptography.x509.oid import NameOID

from quarterdeck.server import kubeconfig, pki
from support.certificates import Certificate


def load(path: Path) -> x509.Certificate:
    return x509.load_pem_x509_certificate(path.read_bytes())


def snapshot(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_everything_is_made_once(tmp_path: Path) -> None:
    made = pki.ensure(tmp_path, "127.0.0.1")
    before = snapshot(made.folder)
    assert pki.ensure(tmp_path, "127.0.0.1") == made
    assert snapshot(made.folder) == before
    assert sorted(before) == [
        "admin.crt",
        "admin.key",
        "apiserver.crt",
        "apiserver.key",
        "ca.crt",
        "ca.key",
        "issued.json",
    ]


def test_keys_are_private(tmp_path: Path) -> None:
    os.umask(os.umask(0))
    made = pki.ensure(tmp_path, "127.0.0.1")
    for key in (made.authority_key, made.serving_key, made.admin_key):
        assert key.stat().st_mode & 0o777 == 0o600


def test_the_serving_certificate_stands_for_all_names(tmp_path: Path) -> None:
    made = pki.ensure(tmp_path, "192.0.2.7", addresses=("10.0.0.1", "fd00::1"))
    names = load(made.serving_certificate).extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    dns = names.get_values_for_type(x509.DNSName)
    addresses = {str(address) for address in names.get_values_for_type(x509.IPAddress)}
    expected = {"localhost", "kubernetes", "kubernetes.default", "kubernetes.default.svc"}
    assert {*expected, "kubernetes.default.svc.cluster.local"} <= set(dns)
    assert {"127.0.0.1", "::1", "192.0.2.7", "10.0.0.1", "fd00::1"} <= addresses


def test_the_admin_is_a_master(tmp_path: Path) -> None:
    subject = load(pki.ensure(tmp_path, "127.0.0.1").admin_certificate).subject
    assert [a.value for a in subject.get_attributes_for_oid(NameOID.ORGANIZATION_NAME)] == ["system:masters"]
    assert [a.value for a in subject.get_attributes_for_oid(NameOID.COMMON_NAME)] == ["quarterdeck-admin"]


def test_another_address_renews_the_serving_certificate_alone(tmp_path: Path) -> None:
    made = pki.ensure(tmp_path, "127.0.0.1")
    before = snapshot(made.folder)
    pki.ensure(tmp_path, "192.0.2.7")
    after = snapshot(made.folder)
    changed = {name for name in after if after[name] != before[name]}
    assert changed == {"apiserver.crt", "apiserver.key", "issued.json"}


@pytest.mark.parametrize(
    ("days", "renewed"),
    [(300, set()), (340, {"admin", "apiserver"}), (400, {"admin", "apiserver"}), (3400, {"admin", "apiserver", "ca"})],
)
def test_certificates_are_renewed_before_they_expire(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, days: int, renewed: set[str]
) -> None:
    made = pki.ensure(tmp_path, "127.0.0.1")
    before = snapshot(made.folder)
    now = time.time() + days * 86400
    monkeypatch.setattr(time, "time", lambda: now)
    pki.ensure(tmp_path, "127.0.0.1")
    after = snapshot(made.folder)
    assert {
        name.removesuffix(".crt") for name in after if name.endswith(".crt") and after[name] != before[name]
    } == renewed
    authority = load(made.authority_certificate)
    for path in (made.serving_certificate, made.admin_certificate):
        load(path).verify_directly_issued_by(authority)


@pytest.mark.parametrize("name", ["ca.key", "admin.crt", "apiserver.key", "issued.json"])
def test_what_is_lost_is_made_again(tmp_path: Path, name: str) -> None:
    made = pki.ensure(tmp_path, "127.0.0.1")
    (made.folder / name).unlink()
    made = pki.ensure(tmp_path, "127.0.0.1")
    assert (made.folder / name).exists()
    load(made.admin_certificate).verify_directly_issued_by(load(made.authority_certificate))
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(made.serving_certificate, made.serving_key)


def test_a_damaged_record_is_replaced(tmp_path: Path) -> None:
    made = pki.ensure(tmp_path, "127.0.0.1")
    for text in ("", "[]", '{"ca": 5}', '{"ca": {"issued": "x"}}'):
        made.record.write_text(text, encoding="utf-8")
        pki.ensure(tmp_path, "127.0.0.1")
        assert "ca" in json.loads(made.record.read_bytes())


def test_the_certificate_directory_is_used_as_it_is(tmp_path: Path) -> None:
    given = tmp_path / "certs"
    given.mkdir()
    other = Certificate("someone else's")
    (given / "apiserver.crt").write_bytes(other.pem)
    (given / "apiserver.key").write_bytes(other.key_pem)
    for _ in range(2):
        made = pki.ensure(tmp_path / "data", "127.0.0.1", given)
        assert made.serving_certificate.read_bytes() == other.pem
        assert not made.is_serving_own


def test_an_empty_certificate_directory_is_filled(tmp_path: Path) -> None:
    made = pki.ensure(tmp_path / "data", "127.0.0.1", tmp_path / "certs")
    assert sorted(path.name for path in (tmp_path / "certs").iterdir()) == ["apiserver.crt", "apiserver.key"]
    assert made.is_serving_own
    text = made.serving_certificate.read_bytes()
    assert pki.ensure(tmp_path / "data", "127.0.0.1", tmp_path / "certs").is_serving_own
    assert made.serving_certificate.read_bytes() == text


def test_a_certificate_made_in_the_certificate_directory_goes_with_its_authority(tmp_path: Path) -> None:
    made = pki.ensure(tmp_path / "data", "127.0.0.1", tmp_path / "certs")
    made.authority_key.unlink()
    made = pki.ensure(tmp_path / "data", "127.0.0.1", tmp_path / "certs")
    load(made.serving_certificate).verify_directly_issued_by(load(made.authority_certificate))
    assert made.is_serving_own


def test_a_second_start_does_not_import_cryptography(tmp_path: Path) -> None:
    pki.ensure(tmp_path, "127.0.0.1")
    code = (
        "import sys; from pathlib import Path; from quarterdeck.server import pki;"
        f"pki.ensure(Path({str(tmp_path)!r}), '127.0.0.1'); print('cryptography' in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"


def test_the_kubeconfig_is_complete_and_private(tmp_path: Path) -> None:
    path = tmp_path / "deep" / "kubeconfig"
    text = kubeconfig.build("https://127.0.0.1:1", "admin", b"CA", b"CERT", b"KEY")
    kubeconfig.write(path, text)
    assert path.stat().st_mode & 0o777 == 0o600
    document = yaml.safe_load(path.read_text(encoding="utf-8"))
    assert document["current-context"] == "quarterdeck"
    assert document["clusters"][0]["cluster"]["server"] == "https://127.0.0.1:1"
    user = document["users"][0]["user"]
    assert [base64.b64decode(user[f"client-{part}-data"]) for part in ("certificate", "key")] == [b"CERT", b"KEY"]
    written = path.stat().st_mtime_ns
    kubeconfig.write(path, text)
    assert path.stat().st_mtime_ns == written
    path.chmod(0o644)
    kubeconfig.write(path, text)
    assert path.stat().st_mode & 0o777 == 0o600
