"""Which recordings are replayed when: some take too long for the tests of every change."""

from __future__ import annotations

from recordings import Recording

# Most of their recordings wait in vain for what is not built: minutes.
SLOW = ("admission", "aggregation", "authz", "conversion", "core", "policy")


# Whether these agree hangs on which comes first: a client's next request, or what a controller writes after the one
# before (both answers are right); or on the second in which an age is told. They count neither way.
RACING = frozenset(
    {f"fuzz/crd/{seed}" for seed in (14, 50, 81, 115, 148, 280, 292, 386)}
    | {f"fuzz/list/{seed}" for seed in (60, 174)}
    | {"crd/generation"}
)


def takes_long(recording: Recording) -> bool:
    """Random scenarios that have to run one by one, seconds each."""
    return recording.is_random and recording.is_alone
