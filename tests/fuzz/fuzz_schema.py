"""Fuzzes the schema kernels: random schemas with random objects, and mutated patterns and formats.

    python tests/fuzz/fuzz_schema.py [-max_total_time=60] [--seed N]

The kernels must say what the reference implementation says, raise nothing, and leave what they were given in order.
What breaks that is printed with the seed that finds it again. Where atheris is installed,
its coverage chooses the seeds.
"""

from __future__ import annotations

import argparse
import copy
import random
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from quarterdeck._kernels import schema_check, schema_equal, schema_findings, schema_lists, schema_walk
from quarterdeck.apimachinery import automata, patterns
from quarterdeck.schema import formats, metadecode, objectmeta, structural
from quarterdeck.schema.engine import Engine
from reference import schema_reference as reference
from support import schemas

PATTERN_PIECES = "ab09.-_\\^$|()[]{}*+?:id wsDWS,1 é"


def check_objects(maker: schemas.Maker) -> None:
    schema, new, old = maker.case()
    structural.parse(schema, "s")
    engine = Engine(schema)
    expected = reference.validate(schema, new)
    found = schema_findings.find(engine.program, new, schema_findings.ABSENT, 10**6, 10**9)
    found += schema_lists.find_in_lists(engine.program, new)
    assert sorted(map(repr, found)) == sorted(map(repr, expected))
    assert schema_check.is_valid(engine.program, new) == (not expected)
    engine.validate(new, old)
    engine.validate_status(new, old)
    plain = copy.deepcopy(new)
    unknown = reference.prune_and_default(plain, schema)
    assert list(schema_walk.walk(engine.program, new, True, True, True)[1]) == unknown
    assert schema_equal.deep_equal(new, plain)


def check_metadata(maker: schemas.Maker) -> None:
    meta = {
        maker.choice((*schemas.NAMES, "name", "labels", "finalizers", "ownerReferences")): maker.value(3) for _ in "12"
    }
    try:
        decoded, _ = metadecode.decode_object_meta(meta)
    except metadecode.DecodeError:
        return
    assert metadecode.decode_object_meta(decoded) == (decoded, [])
    objectmeta.validate_object_meta(decoded, True)
    objectmeta.validate_object_meta_update(decoded, decoded)


def check_texts(maker: schemas.Maker) -> None:
    pattern = "".join(maker.choice(PATTERN_PIECES) for _ in range(maker.randint(0, 14)))
    text = "".join(
        chr(maker.choice((maker.randrange(128), maker.randrange(0x3000)))) for _ in range(maker.randint(0, 12))
    )
    for check in formats.CHECKERS.values():
        check(text)
    table = automata.build(pattern)
    if table is not None:
        compiled = patterns.compile_pattern(pattern)
        matcher = patterns.kernel.Matcher(pattern, lambda _: compiled.Match, patterns.table_of, patterns.anywhere(), 1)
        matcher.search("")
        assert matcher.search(text) == patterns.search(compiled, text), (pattern, text)


def run_one(seed: int) -> None:
    maker = schemas.Maker(seed)
    check_objects(maker)
    check_metadata(maker)
    check_texts(maker)


def run_for(seconds: float, first_seed: int) -> int:
    end, seed = time.monotonic() + seconds, first_seed
    while time.monotonic() < end:
        try:
            run_one(seed)
        except Exception:
            traceback.print_exc()
            print(f"--seed {seed} finds it again")
            return 1
        seed += 1
    print(f"{seed - first_seed} cases, nothing found")
    return 0


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-max_total_time", type=float, default=60)
    parser.add_argument("--seed", type=int)
    arguments = parser.parse_args()
    if arguments.seed is not None:
        run_one(arguments.seed)
        return 0
    return run_for(arguments.max_total_time, random.randrange(2**40))


if __name__ == "__main__":
    try:
        import atheris
    except ImportError:
        sys.exit(main())
    if "--seed" in sys.argv:
        sys.exit(main())
    atheris.Setup(sys.argv, lambda data: run_one(int.from_bytes(data[:8], "big")))
    atheris.Fuzz()
