"""controller-runtime's envtest as its processes see it: which flags are asked for and given, what is polled, how an end
is asked for.

Source: controller-runtime/pkg/internal/testing/{process,controlplane,addr,certs}. `signals_group`: newer releases put
each process into a group of its own and signal that, older ones the process alone.
"""

from __future__ import annotations

import datetime
import ipaddress
import os
import re
import signal
import ssl
import subprocess
import tempfile
import time
import urllib.error
import urllib.request
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID

from support.ports import free_port

_POLL_S = 0.1
_TIMEOUT_S = 120.0


class Authority:
    """TinyCA: RSA keys, PKCS #8, certificates for a week."""

    def __init__(self) -> None:
        self.key = rsa.generate_private_key(65537, 2048)
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "envtest-environment")])
        self.certificate = self._sign(self.name, self.key, is_authority=True)

    def _sign(self, subject: x509.Name, key: rsa.RSAPrivateKey, *, is_authority: bool = False) -> x509.Certificate:
        now = datetime.datetime.now(datetime.UTC)
        names = [x509.DNSName("localhost"), x509.IPAddress(ipaddress.ip_address("127.0.0.1"))]
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - datetime.timedelta(minutes=1))
            .not_valid_after(now + datetime.timedelta(days=7))
            .add_extension(x509.BasicConstraints(ca=is_authority, path_length=None), critical=True)
            .add_extension(x509.SubjectAlternativeName(names), critical=False)
            .sign(self.key, hashes.SHA256())
        )

    def issue(self, folder: Path, name: str, common_name: str, *organizations: str) -> tuple[Path, Path]:
        key = rsa.generate_private_key(65537, 2048)
        attributes = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, each) for each in organizations]
        subject = x509.Name([*attributes, x509.NameAttribute(NameOID.COMMON_NAME, common_name)])
        return write_pair(folder, name, self._sign(subject, key), key)


def write_pair(folder: Path, name: str, certificate: x509.Certificate, key: rsa.RSAPrivateKey) -> tuple[Path, Path]:
    pem = serialization.Encoding.PEM
    paths = folder / f"{name}.crt", folder / f"{name}.key"
    paths[0].write_bytes(certificate.public_bytes(pem))
    paths[1].write_bytes(key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
    return paths


class Process:
    """process.State: `polls` counts requests to the health check until one was answered 200."""

    def __init__(self, path: Path, health: str, *, signals_group: bool) -> None:
        self.path, self._health, self._signals_group = path, health, signals_group
        self.polls = 0

    def has_flag(self, flag: str) -> bool:
        done = subprocess.run([self.path, "--help"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=True)
        return re.search(rf"(?m)^\s*--{flag}\b", done.stdout.decode()) is not None

    def start(self, flags: dict[str, list[str]]) -> None:
        arguments = [f"--{name}={value}" for name in sorted(flags) for value in flags[name]]
        self._process = subprocess.Popen(
            [self.path, *arguments], stdout=subprocess.DEVNULL, process_group=0 if self._signals_group else None
        )
        context = ssl._create_unverified_context()
        end = time.monotonic() + _TIMEOUT_S
        while True:
            self.polls += 1
            try:
                with urllib.request.urlopen(self._health, context=context, timeout=_TIMEOUT_S) as answer:
                    if answer.status == 200:
                        return
            except (OSError, urllib.error.HTTPError):
                pass
            assert self._process.poll() is None, f"{self.path} ended with {self._process.returncode}"
            assert time.monotonic() < end, f"timeout waiting for process {self.path} to start"
            time.sleep(_POLL_S)

    def stop(self) -> int:
        if self._signals_group:
            os.killpg(self._process.pid, signal.SIGTERM)
        else:
            self._process.send_signal(signal.SIGTERM)
        return self._process.wait(_TIMEOUT_S)


class ControlPlane:
    """controlplane.ControlPlane with one user of system:masters. `more`: what a test appends to the flags."""

    def __init__(self, assets: Path, *, signals_group: bool, more: dict[str, list[str]] | None = None) -> None:
        self._folder = tempfile.TemporaryDirectory(prefix="k8s_test_framework_")
        self.folder = Path(self._folder.name)
        etcd_url = f"http://127.0.0.1:{free_port()}"
        self.etcd = Process(assets / "etcd", f"{etcd_url}/health", signals_group=signals_group)
        self.port = free_port()
        self.url = f"https://127.0.0.1:{self.port}"
        self.apiserver = Process(assets / "kube-apiserver", f"{self.url}/healthz", signals_group=signals_group)
        self._etcd_url, self._more = etcd_url, more or {}

    def start(self) -> None:
        flags = {
            "listen-peer-urls": [f"http://127.0.0.1:{free_port()}"],
            "data-dir": [str(self.folder)],
            "advertise-client-urls": [self._etcd_url],
            "listen-client-urls": [self._etcd_url],
        }
        if self.etcd.has_flag("unsafe-no-fsync"):
            flags["unsafe-no-fsync"] = ["true"]
        self.etcd.start(flags)
        self.apiserver.start(self._configure())

    def _configure(self) -> dict[str, list[str]]:
        serving, users, accounts = Authority(), Authority(), Authority()
        serving.issue(self.folder, "apiserver", "localhost")
        self.serving_authority = write_pair(self.folder, "ca", serving.certificate, serving.key)[0]
        user_authority = write_pair(self.folder, "client-cert-auth-ca", users.certificate, users.key)[0]
        self.user = users.issue(self.folder, "admin", "admin", "system:masters")
        account_pair = write_pair(self.folder, "sa-signer", accounts.certificate, accounts.key)
        flags = {
            "service-cluster-ip-range": ["10.0.0.0/24"],
            "allow-privileged": ["true"],
            "disable-admission-plugins": ["ServiceAccount"],
            "cert-dir": [str(self.folder)],
            "authorization-mode": ["RBAC"],
            "secure-port": [str(self.port)],
            "bind-address": ["127.0.0.1"],
            "service-account-issuer": [f"{self.url}/"],
            "service-account-key-file": [str(account_pair[0])],
            "service-account-signing-key-file": [str(account_pair[1])],
            "etcd-servers": [self._etcd_url],
            "client-ca-file": [str(user_authority)],
            "insecure-port": ["0"],
        }
        if not self.apiserver.has_flag("insecure-port"):
            del flags["insecure-port"]
        return flags | self._more

    def call(self, method: str, path: str, body: bytes | None = None) -> bytes:
        context = ssl.create_default_context(cafile=str(self.serving_authority))
        context.load_cert_chain(*self.user)
        request = urllib.request.Request(self.url + path, body, {"Content-Type": "application/json"}, method=method)
        with urllib.request.urlopen(request, context=context, timeout=_TIMEOUT_S) as answer:
            data: bytes = answer.read()
        return data

    def stop(self) -> tuple[int, int]:
        codes = self.apiserver.stop(), self.etcd.stop()
        self._folder.cleanup()
        return codes
