"""Whether another server says that it is healthy.

Source: pkg/probe/http/http.go (DoHTTPProbe), pkg/registry/core/componentstatus/validator.go.
"""

from __future__ import annotations

import asyncio
import ssl
from typing import Final

from quarterdeck.transport.client import failures
from quarterdeck.transport.client.pool import build_request

_TIMEOUT_S: Final = 20.0
_BODY_BYTES_MAX: Final = 10 * 1024
_OK: Final = range(200, 400)


async def probe(host: str, port: int, path: str) -> tuple[bool, str]:
    """Asks over TLS, of whatever certificate: (whether it is healthy, what it says or why not)."""
    shown = f'Get "https://{failures.address(host, port)}{path}"'
    try:
        status, body = await asyncio.wait_for(_get(host, port, path), _TIMEOUT_S)
    except TimeoutError:
        return False, f"{shown}: context deadline exceeded (Client.Timeout exceeded while awaiting headers)"
    except ssl.SSLError as error:
        return False, f"{shown}: {error.reason or error}"
    except OSError as error:
        return False, f"{shown}: {failures.describe_dial(error, host, port)}"
    except (ValueError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
        return False, f"{shown}: malformed HTTP response"
    return (True, body) if status in _OK else (False, f"HTTP probe failed with statuscode: {status}")


async def _get(host: str, port: int, path: str) -> tuple[int, str]:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    reader, writer = await asyncio.open_connection(host, port, ssl=context)
    try:
        headers = {"Host": failures.address(host, port), "User-Agent": "kube-probe/1.36", "Connection": "close"}
        writer.write(build_request("GET", path, headers, b""))
        await writer.drain()
        head = await reader.readuntil(b"\r\n\r\n")
        body = await reader.read(_BODY_BYTES_MAX)
        return int(head.split(b" ", 2)[1]), body.decode(errors="replace")
    finally:
        writer.close()
