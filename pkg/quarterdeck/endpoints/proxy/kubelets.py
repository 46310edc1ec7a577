"""Where the kubelets of nodes are, whom they have to be, and by what they know this server.

Source: pkg/kubelet/client/kubelet_client.go (GetConnectionInfo), pkg/util/node (GetPreferredNodeAddress).
"""

from __future__ import annotations

from functools import cached_property
from typing import Any, Final, NamedTuple

from quarterdeck.apimachinery import errors
from quarterdeck.transport.client.pool import Server
from quarterdeck.transport.client.trust import Trust

PORT: Final = 10250
PREFERRED: Final = ("Hostname", "InternalDNS", "InternalIP", "ExternalDNS", "ExternalIP")

Object = dict[str, Any]


class KubeletSettings(NamedTuple):
    """`authority`: whom certificates of kubelets have to lead to (PEM); empty: any kubelet is believed, as upstream
    believes it. `own`: this server's certificate and key (PEM) before them. `preferred`: kinds of addresses."""

    authority: bytes = b""
    own: tuple[bytes, bytes] | None = None
    preferred: tuple[str, ...] = PREFERRED


class Kubelets:
    """`trust` is made when it is first needed."""

    def __init__(self, settings: KubeletSettings) -> None:
        self._settings = settings
        self._trust: Trust | None = None

    def server_of(self, node: Object) -> Server:
        """Raises Unreasoned (500) for a node without addresses."""
        port = ((node.get("status") or {}).get("daemonEndpoints") or {}).get("kubeletEndpoint") or {}
        host = self._address_of(node)
        number = port.get("Port") or 0
        return Server(host, number if number > 0 else PORT, host, self.trust)

    def check(self) -> None:
        """Raises ValueError for certificates that cannot be used; nothing is made where there are none."""
        if self._settings.authority or self._settings.own is not None:
            _ = self.trust

    def replace(self, settings: KubeletSettings) -> None:
        """From the next connection on. Raises ValueError for certificates that cannot be used; the old ones stay."""
        fresh = Kubelets(settings)
        fresh.check()
        self._settings, self._trust = settings, fresh._trust
        self.__dict__.pop("unverified", None)

    @property
    def trust(self) -> Trust:
        settings = self._settings
        if self._trust is None:
            self._trust = Trust(settings.authority, settings.own, is_verified=bool(settings.authority))
        return self._trust

    @cached_property
    def unverified(self) -> Trust:
        """For who does not care who tells (logs)."""
        return Trust(b"", self._settings.own, is_verified=False)

    def _address_of(self, node: Object) -> str:
        addresses = (node.get("status") or {}).get("addresses") or []
        for wanted in self._settings.preferred:
            for address in addresses:
                if address.get("type") == wanted:
                    return str(address.get("address", ""))
        known = " ".join(f"{{{each.get('type', '')} {each.get('address', '')}}}" for each in addresses)
        raise errors.Unreasoned(f"no preferred addresses found; known addresses: [{known}]")
