"""What all tests have in common: how properties choose their examples, and that servers watch themselves.

`make test` has to give one answer for one tree, so examples follow from each test's own source. `make test-full` looks
for new ones (QUARTERDECK_EXAMPLES=new); what it finds becomes a fix and a test of its own.
"""

from __future__ import annotations

import os

from hypothesis import HealthCheck, settings

from support.server import Server

# How long examples take says something of the machine, not of the code.
_UNTIMED = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
settings.register_profile("same", derandomize=True, database=None, print_blob=True, **_UNTIMED)
settings.register_profile("new", print_blob=True, **_UNTIMED)
settings.load_profile(os.environ.get("QUARTERDECK_EXAMPLES", "same"))

# A server of a test compares its cache with its store every second, and a difference fails the test.
Server.common_flags = ("--watch-cache-consistency-check-period=1s",)
