"""What bombs leave in a server: the objects that they stored, and memory."""

from __future__ import annotations

import time
from typing import Final

from support import bombs
from support.golden.client import Client

# Histories hold up to 256 MiB of what was written, for watches that begin in the past.
WITHOUT_HISTORIES: Final = "--watch-cache-sizes=" + ",".join(
    f"{resource}#0"
    for resource in (
        "configmaps",
        "pods",
        "services",
        "customresourcedefinitions.apiextensions.k8s.io",
        f"things.{bombs.GROUP}",
        f"typeds.{bombs.GROUP}",
    )
)
_CORE: Final = "/api/v1/namespaces/default"
_COLLECTIONS: Final = (bombs.MAPS, f"{_CORE}/pods", f"{_CORE}/services", bombs.THINGS, bombs.TYPED)
_NO_FINALIZERS: Final = '{"metadata":{"finalizers":null}}'
# Nothing more comes back when nothing has for so long.
_STEADY_S: Final = 3.0
_WAIT_S_MAX: Final = 120.0


def resident_bytes(client: Client) -> float:
    for line in client("GET", "/metrics").text.splitlines():
        if line.startswith("process_resident_memory_bytes "):
            return float(line.split(" ")[1])
    raise AssertionError("the metric is missing")


def remove_stored(client: Client) -> None:
    """All that the bombs stored, but definitions. Two bombs leave objects with finalizers."""
    for path in (f"{bombs.THINGS}/finalizers", f"{bombs.MAPS}/m-finalizers"):
        client("PATCH", path, _NO_FINALIZERS, {"Content-Type": "application/merge-patch+json"})
    for collection in _COLLECTIONS:
        client("DELETE", f"{collection}?gracePeriodSeconds=0&fieldSelector=metadata.name!=kubernetes")


def settled_resident_bytes(client: Client) -> float:
    """When the server gives nothing more back."""
    end_s = time.monotonic() + _WAIT_S_MAX
    least, least_s = resident_bytes(client), time.monotonic()
    while time.monotonic() < min(end_s, least_s + _STEADY_S):
        time.sleep(0.2)
        now = resident_bytes(client)
        if now < least * 0.99:
            least, least_s = now, time.monotonic()
    return least
