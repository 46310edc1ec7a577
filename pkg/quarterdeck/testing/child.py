"""`python -m quarterdeck.testing.child serve …`: a server that ends with whoever started it.

Its standard input is a pipe that nobody writes to. The kernel closes it with its owner, however that one ends.
"""

from __future__ import annotations

import os
import signal
import sys
import threading


def _end_with_owner() -> None:
    while os.read(0, 4096):
        pass
    os.kill(os.getpid(), signal.SIGTERM)


if __name__ == "__main__":
    from quarterdeck.cmd.main import main

    threading.Thread(target=_end_with_owner, name="owner", daemon=True).start()
    sys.exit(main())
