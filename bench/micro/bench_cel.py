"""What the compiled rules of the corpus' definitions take: time, and bytes a rule.

    python bench/micro/bench_cel.py

bench/suite/test_cel.py compiles and evaluates single rules.
"""

from __future__ import annotations

import gc
import gzip
import json
import sys
import time
import tracemalloc
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests"))

from quarterdeck.apiextensions.rules import has_rules
from quarterdeck.cel.crd_rules import compile_rules
from support import data


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
    folder = data.find("corpus")
    memory(folder) if folder is not None else print("no corpus")
