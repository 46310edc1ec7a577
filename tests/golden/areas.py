"""Which recordings are replayed when: some take too long for the tests of every change."""

from __future__ import annotations

from recordings import Recording

# Most of their recordings wait in vain for what is not built: minutes.
SLOW = ("aggregation", "core")


def takes_long(recording: Recording) -> bool:
    """Random scenarios that have to run one by one, seconds each."""
    return recording.is_random and recording.is_alone
