"""A kubeconfig that kubectl and every other client use as it is: server, authority and the admin's credentials inside.

Upstream: client-go/tools/clientcmd/api/v1/types.go.
"""

from __future__ import annotations

import base64
from pathlib import Path
from typing import Final

from quarterdeck.server.files import PRIVATE, write_atomically

CONTEXT: Final = "quarterdeck"

_TEMPLATE: Final = """\
apiVersion: v1
kind: Config
clusters:
- name: {context}
  cluster:
    server: {server}
    certificate-authority-data: {authority}
users:
- name: {user}
  user:
    client-certificate-data: {certificate}
    client-key-data: {key}
contexts:
- name: {context}
  context:
    cluster: {context}
    user: {user}
current-context: {context}
"""


def build(server: str, user: str, authority: bytes, certificate: bytes, key: bytes) -> str:
    """The text; the three PEM documents are embedded."""
    return _TEMPLATE.format(
        context=CONTEXT,
        server=server,
        user=user,
        authority=base64.b64encode(authority).decode(),
        certificate=base64.b64encode(certificate).decode(),
        key=base64.b64encode(key).decode(),
    )


def write(path: Path, text: str) -> None:
    """Writes the file only if it changes, so that its watchers are not woken at each start."""
    data = text.encode()
    if path.exists() and path.read_bytes() == data and path.stat().st_mode & 0o777 == PRIVATE:
        return
    write_atomically(path, data, PRIVATE)
