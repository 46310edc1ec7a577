"""Fuzzes credentials: mutated tokens of every kind, and mutated chains of certificates.

    python tests/fuzz/fuzz_credentials.py [-max_total_time=60] [--count N] [--seed N]

None may be believed that does not say what a good one says, and nothing but a refusal may come of it. What breaks that
is printed with the seed that finds it again.
"""

from __future__ import annotations

import argparse
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from support.credentials import Credentials

# Each with keys and certificates of its own.
_ROUND = 1000
_CHAINS_OF_TEN = 4


def run(seed: int, count: int) -> int:
    """How many were checked."""
    credentials = Credentials(seed)
    try:
        for number in range(count):
            if number % 10 < _CHAINS_OF_TEN:
                credentials.check_chain()
            else:
                credentials.check_token()
    finally:
        credentials.close()
    return count


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("-max_total_time", type=int, default=60)
    parser.add_argument("--count", type=int, default=0, help="so many, however long it takes")
    parser.add_argument("--seed", type=int, default=0)
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.max_total_time
    seed, done = arguments.seed, 0
    while done < arguments.count if arguments.count else time.monotonic() < end:
        try:
            done += run(seed, min(_ROUND, arguments.count - done) if arguments.count else _ROUND)
        except Exception:
            traceback.print_exc()
            print(f"found by --seed {seed} --count {_ROUND}")
            return 1
        seed += 1
    print(f"{done} credentials, nothing was believed that should not be")
    return 0


if __name__ == "__main__":
    sys.exit(main())
