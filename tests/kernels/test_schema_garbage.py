"""Programs of schemas within cycles: the garbage collector takes their references away before it frees them."""

import os
import subprocess
import sys

# Python's debugging allocator ends the process where memory is freed twice, or by somebody who does not own it.
_SHARED_IN_A_CYCLE = """
import gc
from quarterdeck.schema.engine import Engine

schema = {"type": "object", "properties": {"status": {"type": "object"}}}
for _ in range(20):
    program = Engine(schema).program
    held = [program, program.child("status")]
    held.append(held)
    del program, held
    gc.collect()
print("done")
"""


def test_a_program_within_another_is_not_freed_twice():
    run = [sys.executable, "-c", _SHARED_IN_A_CYCLE]
    ended = subprocess.run(run, env=os.environ | {"PYTHONMALLOC": "debug"}, capture_output=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, b"done\n"), ended.stderr[-2000:]
