"""A real kube-apiserver for tests, where an environment variable names one: a process over an etcd."""

from __future__ import annotations

import json
import os
import ssl
import subprocess
import time
import urllib.request
from pathlib import Path
from typing import Any, Final

from quarterdeck.authentication.serviceaccounts.jws import generate_key_pem
from support.ports import free_port
from support.several import send

BINARY: Final = os.environ.get("QUARTERDECK_KUBE_APISERVER", "")
MISSING: Final = "QUARTERDECK_KUBE_APISERVER names no kube-apiserver"
_TOKEN: Final = "administrator"
TOKEN_LINE: Final = f"{_TOKEN},admin,admin,system:masters\n"  # of a --token-auth-file
_START_S: Final = 120.0


class KubeAPIServer:
    """Of the service addresses that this project's servers have by default; service accounts are not asked for."""

    def __init__(self, folder: Path, etcd_urls: tuple[str, ...]) -> None:
        self._port = free_port()
        self._log = folder / "kube-apiserver.log"
        self._context = ssl._create_unverified_context()  # its certificate is its own
        key, tokens = folder / "accounts.pem", folder / "tokens.csv"
        key.write_bytes(generate_key_pem())
        tokens.write_text(TOKEN_LINE)
        command = [BINARY, "--etcd-servers", ",".join(etcd_urls), f"--secure-port={self._port}"]
        command += ["--bind-address=127.0.0.1", f"--cert-dir={folder / 'certificates'}", "--authorization-mode=RBAC"]
        command += [f"--service-account-key-file={key}", f"--service-account-signing-key-file={key}"]
        command += ["--service-account-issuer=https://kubernetes.default.svc", f"--token-auth-file={tokens}"]
        command += ["--service-cluster-ip-range=10.0.0.0/16", "--disable-admission-plugins=ServiceAccount"]
        log = self._log.open("wb")
        self._process = subprocess.Popen(command, stdout=log, stderr=log)
        self.kubeconfig = folder / "kubeconfig"
        self.kubeconfig.write_text(json.dumps(token_kubeconfig(self._port)))

    @property
    def process_id(self) -> int:
        return self._process.pid

    def wait(self) -> None:
        end = time.monotonic() + _START_S
        while True:
            try:
                if self.call("GET", "/readyz")[0] == 200:
                    return
            except OSError:
                pass
            assert self._process.poll() is None, self._log.read_text(errors="replace")[-5000:]
            assert time.monotonic() < end, self._log.read_text(errors="replace")[-5000:]
            time.sleep(0.1)

    def call(self, method: str, path: str, body: Any = None) -> tuple[int, Any]:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {_TOKEN}"}
        request = urllib.request.Request(f"https://127.0.0.1:{self._port}{path}", data, headers, method=method)
        return send(request, context=self._context)

    def stop(self) -> None:
        self._process.kill()
        self._process.wait()


def token_kubeconfig(port: int) -> dict[str, Any]:
    """For who is told of by `TOKEN_LINE`, at the server of that port."""
    name = "kube-apiserver"
    cluster = {"server": f"https://127.0.0.1:{port}", "insecure-skip-tls-verify": True}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": name, "cluster": cluster}],
        "users": [{"name": name, "user": {"token": _TOKEN}}],
        "contexts": [{"name": name, "context": {"cluster": name, "user": name}}],
        "current-context": name,
    }
