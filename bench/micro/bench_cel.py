"""CEL: evaluating and compiling rules, and what compiled rules take in memory.

    python bench/micro/bench_cel.py            # table of CPU times
    python bench/micro/bench_cel.py --memory   # bytes a rule of the corpus' CRDs, where the corpus is present

Times are CPU time of this process, the best of several runs. Beside them kube-apiserver's own validator for the same.
"""

from __future__ import annotations

import gc
import gzip
import json
import sys
import time
import tracemalloc
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from quarterdeck._kernels import celvalue
from quarterdeck.apiextensions.rules import has_rules
from quarterdeck.cel import readers, regex, rule_environments, schema
from quarterdeck.cel.crd_rules import compile_rules
from quarterdeck.cel.environment import Program
from quarterdeck.schema import patterns

WIDE = {
    "type": "object",
    "properties": {
        **{f"f{i}": {"type": "object", "properties": {"a": {"type": "string"}}} for i in range(206)},
        "a": {"type": "integer"},
        "b": {"type": "integer"},
    },
}
NARROW = {
    "type": "object",
    "properties": {
        "a": {"type": "integer"},
        "b": {"type": "integer"},
        "name": {"type": "string", "maxLength": 63},
        "ports": {
            "type": "array",
            "maxItems": 20,
            "items": {"type": "object", "properties": {"port": {"type": "integer"}, "name": {"type": "string"}}},
        },
    },
}
OBJECT = {"a": 3, "b": 5, "name": "web-0", "ports": [{"port": 8000 + i, "name": f"p{i}"} for i in range(10)]}

# name, schema, rule, kube-apiserver's microseconds
EVALUATIONS = [
    ("scalar", NARROW, "self.a <= self.b", "16-19"),
    ("scalar, 208 properties", WIDE, "self.a <= self.b", "329"),
    ("all() over 10", NARROW, "self.ports.all(p, p.port > 0)", "49"),
    ("all() over 10, two tests", NARROW, "self.ports.all(p, p.port > 0 && p.port < 65536)", ""),
    ("exists() over 10", NARROW, "self.ports.exists(p, p.name == 'p9')", ""),
    ("matches()", NARROW, "self.name.matches('^[a-z0-9-]+$')", "12.5"),
    ("has() and size()", NARROW, "!has(self.name) || self.name.size() <= 63", ""),
    ("in a list of constants", NARROW, "self.name in ['web-0', 'web-1']", ""),
]


def best(run: Callable[[], Any], number: int, rounds: int = 7) -> float:
    """Microseconds a call."""
    found = float("inf")
    for _ in range(rounds):
        start = time.process_time_ns()
        for _ in range(number):
            run()
        found = min(found, (time.process_time_ns() - start) / number / 1000)
    return found


def program_of(node: dict[str, Any], rule: str) -> tuple[Program, Any]:
    declared = schema.declare(node, False)
    assert declared is not None
    compiled = rule_environments.Environments(declared).compile(rule, False)
    assert isinstance(compiled, Program), compiled
    return compiled, celvalue.read_value(OBJECT, readers.reader_of(node, False))


def evaluations() -> None:
    for name, node, rule, upstream in EVALUATIONS:
        program, own = program_of(node, rule)
        run = program.kernel.run
        values = [own, None] + [None] * (program.kernel.slots - 2)
        took = best(lambda run=run, values=values: run(values, 1_000_000), 20_000)
        print(f"{name:28} {took:8.3f} µs   (kube-apiserver {upstream or '-'})")
        if name == "matches()":
            # As the server runs it: what has been used some hundred times becomes an automaton.
            regex.set_table_builder(patterns.table_of)
            program, _ = program_of(node, rule.replace("+", "*"))
            run = program.kernel.run
            took = best(lambda run=run, values=values: run(values, 1_000_000), 20_000)
            print(f"{'matches(), in use':28} {took:8.3f} µs   (kube-apiserver {upstream or '-'})")


def compilations() -> None:
    declared = schema.declare(NARROW, False)
    assert declared is not None
    envs = rule_environments.Environments(declared)
    for name, rule in (
        ("one more rule, scalar", "self.a <= self.b"),
        ("one more rule, all()", "self.ports.all(p, p.port > 0 && p.port < 65536)"),
        ("one more rule, has()", "!has(self.name) || self.name.size() <= 63"),
    ):
        print(
            f"{name:28} {best(lambda rule=rule: envs.compile(rule, False), 2_000):8.1f} µs   (kube-apiserver 164-256)"
        )
    whole = {**NARROW, "x-kubernetes-validations": [{"rule": "self.a <= self.b"}]}
    took = best(lambda: compile_rules(whole, is_root=False, path="x"), 1_000)
    print(f"{'first rule of a node':28} {took:8.1f} µs   (kube-apiserver 437-569)")


def validation() -> None:
    node = {
        "type": "object",
        "properties": {"spec": {**NARROW, "x-kubernetes-validations": [{"rule": "self.a <= self.b"}]}},
    }
    rules = compile_rules(node, is_root=True, path="x")
    obj = {"metadata": {"name": "x"}, "spec": OBJECT}
    print(f"{'an object with one rule':28} {best(lambda: rules.validate(obj, obj), 5_000):8.2f} µs")
    long = {"type": "array", "maxItems": 2000, "items": {"type": "integer"},
            "x-kubernetes-validations": [{"rule": "self.all(x, self.all(y, x != y || x == y))"}]}  # fmt: skip
    rules = compile_rules(long, is_root=False, path="x")
    values = [0] * 2000
    start = time.process_time_ns()
    result = rules.validate(values)
    took = (time.process_time_ns() - start) / 1e6
    print(f"{'cost limit reached in':28} {took:8.2f} ms   ({result.errors[0].detail[:40]}…)")


def memory(corpus: Path) -> None:
    crds = [c for f in sorted(corpus.glob("*/crds.json.gz")) for c in json.loads(gzip.decompress(f.read_bytes()))]
    kept = []
    rules = 0
    schemas = []
    for crd in crds:
        for version in crd["spec"].get("versions") or ():
            node = (version.get("schema") or {}).get("openAPIV3Schema")
            if node and has_rules(node):
                schemas.append(node)
    gc.collect()
    start = time.process_time()
    for node in schemas:
        compile_rules(node, is_root=True, path="x")
    took = time.process_time() - start
    tracemalloc.start()
    for node in schemas:
        kept.append(compile_rules(node, is_root=True, path="x"))
    gc.collect()
    size, _ = tracemalloc.get_traced_memory()
    for compiled in kept:
        stack = [compiled.root]
        while stack:
            at = stack.pop()
            if at is not None:
                rules += len(at.rules)
                stack += [at.items, at.values, *(at.properties or {}).values(), *at.all_of]
    errors = sum(len(c.errors) for c in kept)
    print(
        f"{len(schemas)} schemas, {rules} rules, {errors} errors, {took:.2f} s, {size / max(rules, 1):.0f} bytes a rule"
    )


if __name__ == "__main__":
    if "--memory" in sys.argv:
        from support import data

        folder = data.find("corpus")
        memory(folder) if folder is not None else print("no corpus")
    else:
        evaluations()
        compilations()
        validation()
