"""Generated well-typed expressions, compared with cel-expr-python, Google's own evaluator, where it is installed.

It is built from cel-cpp: what it accepts, and the values it gives, are the language's. Kubernetes' rules of its own (no
literals of mixed types, no `1 == 1.0`) do not come up in what is generated here. The error texts are other ones.
"""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from quarterdeck._kernels import celvalue
from quarterdeck.cel import environment, types
from quarterdeck.cel.environment import Failure, compile_expression

try:
    from cel_expr_python import cel
except ImportError:
    cel = None

pytestmark = pytest.mark.skipif(cel is None, reason="cel-expr-python is not installed")

BINDINGS = {"x": 3, "y": -7, "d": 2.5, "s": "héllo", "l": [1, 2, 3], "m": {"a": 1, "b": 2}, "b": True}
ENV = environment.Environment(
    {
        "x": types.INT,
        "y": types.INT,
        "d": types.DOUBLE,
        "s": types.STRING,
        "l": types.list_of(types.INT),
        "m": types.map_of(types.STRING, types.INT),
        "b": types.BOOL,
    }
)
ORACLE = cel and cel.NewEnv(
    variables={
        "x": cel.Type.INT,
        "y": cel.Type.INT,
        "d": cel.Type.DOUBLE,
        "s": cel.Type.STRING,
        "l": cel.Type.List(cel.Type.INT),
        "m": cel.Type.Map(cel.Type.STRING, cel.Type.INT),
        "b": cel.Type.BOOL,
    }
)
INTS = st.sampled_from(["x", "y", "0", "1", "2", "-1", "9223372036854775807", "(-9223372036854775807 - 1)"])
DOUBLES = st.sampled_from(["d", "0.0", "1.5", "-2.0", "1e308"])
STRINGS = st.sampled_from(["s", "''", "'a'", '"l\\u00e9"', "r'\\n'", "'😀'"])
BOOLS = st.sampled_from(["b", "true", "false"])


def deeper(parts):
    """Expressions of each type from those one level less deep."""
    ints, doubles, strings, bools, lists = parts
    pair = lambda a, op, b: st.tuples(a, st.sampled_from(op), b).map(lambda t: f"({t[0]} {t[1]} {t[2]})")  # noqa: E731
    choice = lambda of: st.tuples(bools, of, of).map(lambda t: f"({t[0]} ? {t[1]} : {t[2]})")  # noqa: E731
    form = lambda text, *of: st.tuples(*of).map(lambda t: text.format(*t))  # noqa: E731
    return (
        st.one_of(
            ints, pair(ints, "+-*/%", ints), choice(ints), form("size({})", strings), form("{}.size()", lists),
            form("{}[{}]", lists, ints), form("int({})", doubles), form("int(string({}))", ints),
            form("m[{}]", strings), form("-({})", ints),
        ),
        st.one_of(doubles, pair(doubles, "+-*/", doubles), choice(doubles), form("double({})", ints)),
        st.one_of(
            strings, pair(strings, "+", strings), choice(strings), form("string({})", ints), form("string({})", bools),
        ),
        st.one_of(
            bools, pair(ints, ["<", "<=", "==", "!=", ">", ">="], ints), pair(doubles, ["<", ">=", "=="], doubles),
            pair(strings, ["<", "<=", "=="], strings), pair(bools, ["&&", "||", "=="], bools), form("!({})", bools),
            form("({}).contains({})", strings, strings), form("({}).startsWith({})", strings, strings),
            form("({} in {})", ints, lists), form("({} in m)", strings), form("{}.all(v, v > {})", lists, ints),
            form("{}.exists(v, {} / v > 1)", lists, ints), form("{}.exists_one(v, v == {})", lists, ints),
            form("({}).matches('^[a-zé]*$')", strings), form("({} == {})", lists, lists), form("has(m.a) && {}", bools),
            form("m.all(k, k < {} || {})", strings, bools),
        ),
        st.one_of(
            lists, form("[{}, {}]", ints, ints), form("({} + {})", lists, lists), choice(lists),
            form("{}.map(v, v + {})", lists, ints), form("{}.filter(v, v != {})", lists, ints),
            form("{}.map(v, v > {}, v)", lists, ints), form("[[{}], {}][0]", ints, lists),
        ),
    )  # fmt: skip


def expressions():
    parts = (INTS, DOUBLES, STRINGS, BOOLS, st.sampled_from(["l", "[0]", "[3, 1]"]))
    for _ in range(3):
        parts = deeper(parts)
    return st.one_of(*parts)


def plain(value):
    items = celvalue.items_of(value)
    return [plain(item) for item in items] if items is not None else value


def same(ours, theirs):
    if isinstance(ours, float) and isinstance(theirs, float):
        return ours == theirs or (ours != ours and theirs != theirs)
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(same, ours, theirs))
    return type(ours) is type(theirs) and ours == theirs


@settings(max_examples=300, deadline=None)
@given(expressions())
def test_values_agree_with_googles_evaluator(text):
    program = compile_expression(text, ENV)
    theirs = ORACLE.compile(text).eval(data=BINDINGS)
    if isinstance(program, Failure):
        # Conversions of constants are computed when the program is made, as cel-go does.
        assert program.at_program, f"{text}: {program}"
        assert theirs.type() == cel.Type.ERROR or " ? " in text or "||" in text or "&&" in text, text
        return
    ours = program.evaluate(BINDINGS, 10_000_000)
    if theirs.type() == cel.Type.ERROR:
        assert ours.error is not None, f"{text}: {ours.value}, there {theirs.value()}"
    else:
        assert ours.error is None, f"{text}: {ours.error}, there {theirs.plain_value()}"
        assert same(plain(ours.value), theirs.plain_value()), f"{text}: {ours.value!r}, there {theirs.plain_value()!r}"


BAD = st.tuples(
    expressions(),
    st.sampled_from(["+ 's'", "&& 1", ".foo", "[", ")", "? 1", "== {}", ".size(1)", "in 3", ". all(v, v)"]),
)


@settings(max_examples=150, deadline=None)
@given(BAD)
def test_what_googles_checker_refuses_is_refused(parts):
    text = " ".join(parts)
    try:
        ORACLE.compile(text)
    except RuntimeError:
        refused = True
    else:
        refused = False
    assert isinstance(compile_expression(text, ENV), Failure) == refused
