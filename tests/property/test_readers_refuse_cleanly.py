"""Whatever bytes come in, the readers refuse with their own errors: a short run of the fuzz target's functions."""

import importlib.util
import sys
import types
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st


def load_target():
    """The fuzz target, without atheris, which is installed only for fuzzing."""
    stub = types.ModuleType("atheris")
    stub.instrument_imports = lambda: __import__("contextlib").nullcontext()  # type: ignore[attr-defined]
    path = Path(__file__).resolve().parents[1] / "fuzz/fuzz_json.py"
    spec = importlib.util.spec_from_file_location("fuzz_json", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    known = sys.modules.get("atheris")
    sys.modules["atheris"] = stub
    try:
        spec.loader.exec_module(module)
    finally:
        if known is None:
            del sys.modules["atheris"]
        else:
            sys.modules["atheris"] = known
    return module


TARGET = load_target()
SEEDS = [
    b'{"a":[1,{"b":"\\u00e9"}],"$patch":"delete"}',
    b'{"spec":{"containers":[{"name":"a","env":[]},{"$patch":"replace"}],"$retainKeys":["containers"]}}',
    b'[{"op":"add","path":"/spec/x/0","value":{}},{"op":"move","from":"/a","path":"/-"}]',
    b"a: &x [1, *x]\n<<: {b: c}\n? d\n: !!binary aGk=\n",
    b"\x0a\x0f\x0a\x02v1\x12\x09ConfigMap\x12\x06\x12\x04\x0a\x01k\x12",
    b"a in (b,c),!d,e>5,f=g",
    b"1.5Ki",
]


@st.composite
def inputs(draw):
    data = bytearray(draw(st.sampled_from(SEEDS)) if draw(st.booleans()) else draw(st.binary(max_size=60)))
    for _ in range(draw(st.integers(0, 6))):
        position = draw(st.integers(0, len(data)))
        data[position : position + draw(st.integers(0, 3))] = draw(st.binary(max_size=3))
    return bytes(data)


@pytest.mark.parametrize("reader", TARGET.READERS, ids=lambda reader: reader.__name__)
def test_readers_refuse_with_their_own_errors(reader):
    @settings(max_examples=150, deadline=None)
    @given(inputs())
    def run(data):
        reader(data)

    run()
