"""EncryptionConfigurations as tests write them."""

from __future__ import annotations

from base64 import b64encode
from pathlib import Path


def write_config(path: Path, *providers: str, resources: str = "[secrets, widgets.example.com]") -> Path:
    path.write_text(
        "apiVersion: apiserver.config.k8s.io/v1\nkind: EncryptionConfiguration\nresources:\n"
        f"- resources: {resources}\n  providers: [{', '.join(providers)}]\n"
    )
    return path


def aesgcm(*keys: tuple[str, bytes]) -> str:
    shown = ", ".join(f"{{name: {name}, secret: {b64encode(key).decode()}}}" for name, key in keys)
    return f"{{aesgcm: {{keys: [{shown}]}}}}"
