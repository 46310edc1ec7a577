"""The same bytes as http_floor.py, answered through this project's transport: the head is parsed, limits are kept, the
answer is built anew each time. With a certificate and its key it serves TLS.

    python bench/floor/transport.py PORT [BYTES [CERTIFICATE KEY]]
"""

from __future__ import annotations

import asyncio
import sys
from pathlib import Path

import uvloop

from quarterdeck.transport.messages import Request, Response
from quarterdeck.transport.server import HTTPServer, bind


async def serve(port: int, size: int, files: list[str]) -> None:
    body = b"x" * size

    def answer(request: Request) -> Response:
        return Response(200, [("Content-Type", "application/json")], body)

    tls = None
    if files:
        from quarterdeck.transport.tls import TLSContext

        tls = TLSContext(Path(files[0]), Path(files[1]))
    await HTTPServer(answer).listen(bind("127.0.0.1", port), tls)
    await asyncio.Event().wait()


if __name__ == "__main__":
    uvloop.run(serve(int(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 600, sys.argv[3:5]))
