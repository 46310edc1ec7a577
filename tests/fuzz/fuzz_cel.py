"""Fuzzes CEL: mutated expressions are compiled and, where they compile, evaluated on mutated data.

    python tests/fuzz/fuzz_cel.py [-max_total_time=60] [--seed N]

Nothing but a Program or a Failure may come of a text, nothing but an Outcome of an evaluation, within the time that the
cost limit stands for. What breaks that is printed with the seed that finds it again.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "pkg"))

from quarterdeck.cel import environment, types
from quarterdeck.cel.environment import Environment, Program, compile_expression

SEEDS = [
    "self.all(x, x.a > 1 && has(x.b) || x.c in ['a', 'b'])",
    "self.map(k, v, k + v).sortBy(e, -e).slice(1, 2).distinct()",
    "optional.of(self).optMap(v, v[?0].orValue('x')).hasValue() ? {'a': 1}[?'b'] : {?'c': optional.none()}",
    "'%d %s %.2f %x'.format([1, [1.5, b'x', null], 2.0, 255]).split(' ').join('-')",
    "timestamp('2024-01-01T00:00:00Z') + duration('1h') > timestamp(self) || self.getHours('Europe/Berlin') == 2",
    "quantity('1Gi').add(quantity('5m')).compareTo(quantity('1')) == ip('::1').family()",
    "self.find('[a-z]+').matches('^a*$') && url('http://a/b?c').getQuery() == {} && cidr(self).masked() == self",
    "[1, 2, [3]].flatten(2).sum() / 0 % -1 - (-9223372036854775808) * 2u",
    "semver('1.2.3', true).major() < 2 && format.named('uuid').value().validate(self) == optional.none()",
    "type(self) == list && dyn(self).transformMap(i, v, i % 2 == 0, v).exists_one(k, v, k == v)",
]
WORDS = [
    "self", "old", "x", "1", "1u", "1.5", "'a'", "b'a'", "null", "true", "[]", "{}", "(", ")", "[", "]", "{", "}", ".",
    ",", "?", ":", "+", "-", "*", "/", "%", "<", "<=", "==", "!=", "&&", "||", "!", " in ", ".size()", ".all(x, ",
    ".map(x, ", "has(", "dyn(", "string(", "int(", "duration(", "timestamp(", "\n", "\\", "'", '"', "é", "😀", "_",
]  # fmt: skip
VALUES = [
    None,
    True,
    0,
    -1,
    2**63 - 1,
    1.5,
    float("inf"),
    float("nan"),
    "",
    "a",
    "é😀",
    [],
    {},
    [1, "a", None],
    {"a": {"b": [1]}},
]
ENV = Environment({"self": types.DYN, "old": types.DYN})


def mutate(rng: random.Random) -> str:
    text = rng.choice(SEEDS)
    for _ in range(rng.randint(0, 6)):
        at, end = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        kind = rng.random()
        if kind < 0.3:
            text = text[:at] + rng.choice(WORDS) + text[at:]
        elif kind < 0.5:
            text = text[:at] + text[min(end, at + 8) :]
        elif kind < 0.7:
            other = rng.choice(SEEDS)
            start = rng.randint(0, len(other))
            text = text[:at] + other[start : start + rng.randint(1, 30)] + text[at:]
        elif kind < 0.8:
            text = text[:at] + text[at:end] * rng.randint(1, 3) + text[end:]
        else:
            text = text[:at] + rng.choice(WORDS) + text[min(len(text), at + 1) :]
    return text[:2000]


def value(rng: random.Random, depth: int = 3) -> object:
    if depth == 0 or rng.random() < 0.5:
        return rng.choice(VALUES)
    if rng.random() < 0.5:
        return [value(rng, depth - 1) for _ in range(rng.randint(0, 4))]
    return {rng.choice("abcx"): value(rng, depth - 1) for _ in range(rng.randint(0, 4))}


def run(seed: int) -> bool:
    """One round; whether the text compiled."""
    rng = random.Random(seed)
    found = compile_expression(mutate(rng), ENV)
    if not isinstance(found, Program):
        return False
    outcome = found.evaluate({"self": value(rng), "old": value(rng)}, environment.PER_CALL_LIMIT)
    assert outcome.cost >= 0
    return True


def main() -> int:
    parser = argparse.ArgumentParser()
    parser.add_argument("-max_total_time", type=float, default=60)
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(2**32))
    arguments = parser.parse_args()
    end = time.monotonic() + arguments.max_total_time
    rounds = compiled = 0
    seed = arguments.seed
    while time.monotonic() < end:
        try:
            compiled += run(seed)
        except Exception:
            traceback.print_exc()
            print(f"failed with --seed {seed}: {mutate(random.Random(seed))!r}")
            return 1
        seed += 1
        rounds += 1
    print(f"{rounds} expressions from seed {arguments.seed}, {compiled} of them compiled, none failed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
