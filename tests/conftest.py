"""What all tests have in common: how properties choose their examples, that servers watch themselves, that collections
stay short, and that compiled modules are what their sources say.

`make test` has to give one answer for one tree, so examples follow from each test's own source. `make test-full` looks
for new ones (QUARTERDECK_EXAMPLES=new); what it finds becomes a fix and a test of its own.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from support import interpreted

INTERPRETED = os.environ.get("QUARTERDECK_INTERPRETED") == "1"
if INTERPRETED:
    interpreted.install()

from support.owngarbage import OwnGarbage  # noqa: E402
from support.server import Server  # noqa: E402
from support.skips import Skips  # noqa: E402

sys.path.append(str(Path(__file__).parents[1] / "tools"))
import compiled_modules  # noqa: E402

# How long examples take says something of the machine, not of the code.
_UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, database=None, print_blob=True, **_UNTIMED)
settings.register_profile("new", print_blob=True, **_UNTIMED)
settings.load_profile(os.environ.get("QUARTERDECK_EXAMPLES", "same"))

# A server of a test compares its cache with its store every second, and a difference fails the test.
Server.common_flags = ("--watch-cache-consistency-check-period=1s",)


def pytest_configure(config: pytest.Config) -> None:
    """Python would run what was compiled, whatever the sources say now."""
    config.pluginmanager.register(Skips())
    config.pluginmanager.register(OwnGarbage())
    is_worker = hasattr(config, "workerinput")  # of xdist: whoever started it has looked
    if not INTERPRETED and not is_worker and (fault := compiled_modules.stale()):
        raise pytest.UsageError(fault)
