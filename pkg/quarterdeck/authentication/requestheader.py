"""A front proxy that has authenticated somebody and says so in headers (X-Remote-User and its siblings).

Believed only over a connection whose client certificate leads to an authority of its own and, where names are given,
has one of them. Upstream: authentication/request/headerrequest. The first method that is asked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.authentication.chains import BadChain, Verifier, check_authorities
from quarterdeck.authentication.interface import Identity
from quarterdeck.transport.fields import first_of, members_of, values_of
from quarterdeck.transport.messages import Request


@dataclass(frozen=True, slots=True)
class Headers:
    """Their names in lower case. `allowed_names`: common names of proxies; none: any."""

    names: tuple[str, ...] = ("x-remote-user",)
    uids: tuple[str, ...] = ()
    groups: tuple[str, ...] = ("x-remote-group",)
    extra_prefixes: tuple[str, ...] = ("x-remote-extra-",)
    allowed_names: tuple[str, ...] = ()


class RequestHeaderMethod:
    """`authorities` is PEM. Raises ValueError when it holds no certificate."""

    def __init__(self, authorities: bytes, headers: Headers) -> None:
        self.headers = headers
        self.replace(authorities)

    def replace(self, authorities: bytes) -> None:
        check_authorities(authorities)
        self._authorities = authorities
        self._verifier: Verifier | None = None

    def authenticate(self, request: Request, warnings: list[str]) -> Identity | None:
        name = self._first(request.headers, self.headers.names)
        chain = request.connection.peer_certificates
        if not name or not chain:
            return None
        self._check_proxy(chain)
        wanted = self.headers
        groups = [group for header in wanted.groups for group in values_of(request.headers, header) if group]
        user = User(name, self._first(request.headers, wanted.uids), tuple(groups), self._read_extra(request.headers))
        for header in [header for header in request.headers if self._is_ours(header.removeprefix("\n"))]:
            del request.headers[header]
        # The next request of the connection may be somebody else's.
        return Identity(user, is_kept=False)

    def _check_proxy(self, chain: Sequence[bytes]) -> None:
        """Raises Unauthorized. Another method may still know the certificate."""
        if self._verifier is None:
            self._verifier = Verifier(self._authorities)
        try:
            leaf, _ = self._verifier.verify(chain)
        except BadChain as error:
            raise errors.Unauthorized from error
        if not self.headers.allowed_names:
            return
        from cryptography.x509.oid import NameOID

        names = [attribute.value for attribute in leaf.subject.get_attributes_for_oid(NameOID.COMMON_NAME)]
        if not names or names[-1] not in self.headers.allowed_names:
            raise errors.Unauthorized

    @staticmethod
    def _first(headers: dict[str, str], names: Sequence[str]) -> str:
        for name in names:
            value = first_of(headers, name)
            if value:
                return value
        return ""

    def _read_extra(self, headers: dict[str, str]) -> dict[str, tuple[str, ...]]:
        extra: dict[str, tuple[str, ...]] = {}
        for prefix in self.headers.extra_prefixes:
            for name, values in members_of(headers, prefix).items():
                extra[name] = extra.get(name, ()) + values
        return extra

    def _is_ours(self, header: str) -> bool:
        wanted = self.headers
        return header in (*wanted.names, *wanted.uids, *wanted.groups) or header.startswith(wanted.extra_prefixes)
