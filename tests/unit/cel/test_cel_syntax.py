"""What is said of expressions that cannot be read: cel-go's words, places and excerpts."""

import pytest

from quarterdeck.cel import environment, types
from quarterdeck.cel.environment import Failure

ENV = environment.Environment({"self": types.struct("T", {"a": types.STRING, "n": types.INT})})
STARTS = (
    "{'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}"
)


def failure(expression):
    found = environment.compile_expression(expression, ENV)
    assert isinstance(found, Failure)
    return found.text


@pytest.mark.parametrize(
    ("expression", "errors"),
    [
        ("self.a ==", [("1:10", f"Syntax error: mismatched input '<EOF>' expecting {STARTS}")]),
        (
            "*@a | b",
            [
                ("1:1", f"Syntax error: extraneous input '*' expecting {STARTS}"),
                ("1:2", "Syntax error: token recognition error at: '@'"),
                ("1:5", "Syntax error: token recognition error at: '| '"),
                ("1:7", "Syntax error: extraneous input 'b' expecting <EOF>"),
            ],
        ),
        (
            "1 + +",
            [
                ("1:5", f"Syntax error: mismatched input '+' expecting {STARTS}"),
                ("1:6", f"Syntax error: mismatched input '<EOF>' expecting {STARTS}"),
            ],
        ),
        ("1 + 2\n3 +", [("2:1", "Syntax error: mismatched input '3' expecting <EOF>")]),
        ('{"a": 1}."a"', [("1:10", "Syntax error: no viable alternative at input '.\"a\"'")]),
        ("self.true == 1", [("1:6", "Syntax error: mismatched input 'true' expecting IDENTIFIER")]),
        ("self..n", [("1:6", "Syntax error: no viable alternative at input '..'")]),
        ("self[self. = ]", [("1:12", "Syntax error: token recognition error at: '= '"),
                            ("1:14", "Syntax error: no viable alternative at input '. ]'")]),
        ("self. # n", [("1:7", "Syntax error: token recognition error at: '#'")]),
        ("(1", [("1:3", "Syntax error: missing ')' at '<EOF>'")]),
        ("a | b", [("1:3", "Syntax error: token recognition error at: '| '"),
                   ("1:5", "Syntax error: extraneous input 'b' expecting <EOF>")]),
        ("-", [("1:2", "Syntax error: no viable alternative at input '-'"),
               ("1:2", f"Syntax error: mismatched input '<EOF>' expecting {STARTS}")]),
        ("--", [("1:3", "Syntax error: no viable alternative at input '-'"),
                ("1:3", f"Syntax error: mismatched input '<EOF>' expecting {STARTS}")]),
        ("true && .", [("1:10", "Syntax error: no viable alternative at input '.'")]),
        ("name{{a}}", [("1:6", "Syntax error: extraneous input '{' expecting {'}', ',', '?', IDENTIFIER, "
                               "ESC_IDENTIFIER}"),
                       ("1:8", "Syntax error: mismatched input '}' expecting ':'"),
                       ("1:9", "Syntax error: extraneous input '}' expecting <EOF>")]),
        ("{1:305 2:569}", [("1:8", "Syntax error: mismatched input '2' expecting {'}', ','}")]),
        ("size(])", [("1:6", "Syntax error: extraneous input ']' expecting " + STARTS.replace("'(', ", "'(', ')', ")),
                     ]),
        ("self.a.matches('^[^\\S]+$')", [
            ("1:16", "Syntax error: token recognition error at: ''^[^\\S'"),
            ("1:22", "Syntax error: mismatched input ']' expecting " + STARTS.replace("'(', ", "'(', ')', ")),
            ("1:24", "Syntax error: token recognition error at: '$'"),
            ("1:25", "Syntax error: token recognition error at: '')'"),
            ("1:27", f"Syntax error: mismatched input '<EOF>' expecting {STARTS}"),
        ]),
        ("[1].map(a.b, 1)", [("1:10", "argument is not an identifier")]),
        ("[1].map(var, var)", [("1:9", "reserved identifier: var"), ("1:9", "argument is not an identifier"),
                               ("1:14", "reserved identifier: var")]),
        ("self.n in [1, 2,", [("1:17", "Syntax error: missing ']' at '<EOF>'")]),
        ("{'a': 1,", [("1:9", "Syntax error: missing '}' at '<EOF>'")]),
        ("[1, 2", [("1:6", "Syntax error: mismatched input '<EOF>' expecting {']', ','}")]),
        ("[1,,2]", [("1:4", "Syntax error: mismatched input ',' expecting ']'")]),
        ("[1, )]", [("1:5", "Syntax error: extraneous input ')' expecting ']'")]),
        ("1.all(2, 3)", [("1:7", "argument must be a simple name")]),
        ("has(self)", [("1:5", "invalid argument to has() macro")]),
        ("while", [("1:1", "reserved identifier: while")]),
        (r"'\ud800'", [("1:1", "invalid unicode code point")]),
        (r"'\U00110000'", [("1:1", "invalid unicode code point")]),
        (r"b'\u00e9'", [("1:1", "unable to unescape string")]),
        ("has(self.`a-b`)", [("1:10", "unsupported syntax: '`'")]),
        ("google.protobuf.Duration{seconds: 1, `nanos`: 1}", [("1:26", "unsupported syntax: '`'")]),
        ("google.protobuf.Duration{?`seconds`: optional.of(1)}", [("1:26", "unsupported syntax: '`'")]),
        ("self.?1", [
            ("1:7", "Syntax error: mismatched input '1' expecting {IDENTIFIER, ESC_IDENTIFIER}"),
            ("1:7", "unsupported ident kind"),
        ]),
        (".?()", [
            ("1:2", "Syntax error: no viable alternative at input '.?'"),
            ("1:3", "Syntax error: mismatched input '(' expecting {IDENTIFIER, ESC_IDENTIFIER}"),
            ("1:3", "unsupported ident kind"),
        ]),
        ("self. // b.c", [("1:13", "Syntax error: no viable alternative at input '. // b.c'")]),
        ("self.?.a", [("1:7", "Syntax error: extraneous input '.' expecting {IDENTIFIER, ESC_IDENTIFIER}")]),
        ("9223372036854775808", [("1:1", "invalid int literal")]),
        ("1.99e90000009", [("1:1", "invalid double literal")]),
        (
            "Object{",
            [("1:8", "Syntax error: mismatched input '<EOF>' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}")],
        ),
    ],
)  # fmt: skip
def test_syntax_errors_are_those_of_cel_go(expression, errors):
    lines = [line for line in failure(expression).split("\n") if line.startswith("ERROR: ")]
    assert lines == [f"ERROR: <input>:{place}: {message}" for place, message in errors]


def test_an_error_shows_its_line_and_place():
    assert failure("self.n == 1 &&\n\tself.a == 5") == (
        "ERROR: <input>:2:9: found no matching overload for '_==_' applied to '(string, int)'\n"
        " |  self.a == 5\n"
        " | ........^"
    )


def test_wide_characters_have_wide_dots_before_the_caret():
    assert failure("'日' == 5").endswith("\n | '日' == 5\n | .．. ^".replace(" ^", ".^"))


@pytest.mark.parametrize(
    ("opening", "inner", "closing", "levels"),
    [
        ("", "true", " == true", 250),
        ("", "'a'", ".trim()", 250),
        ("!(true && ", "true", ")", 249),
        ("[1].all(x, ", "true", ")", 249),
        ("1 + (", "1", ")", 124),
        ("1 + 1 * (", "1", ")", 83),
        ("(", "1", ") + 1", 249),
        ("true == (", "true", ")", 124),
        ("[0][", "0", "]", 249),
        ("[1, ", "1", "]", 249),
    ],
)
def test_rules_of_the_grammar_within_themselves_are_limited_each(opening, inner, closing, levels):
    within = environment.compile_expression(nested(opening, inner, closing, levels), ENV)
    assert "recursion" not in str(within)
    limit = "expression recursion limit exceeded: 250" if opening else "max recursion depth exceeded"
    assert failure(nested(opening, inner, closing, levels + 1)) == f"ERROR: <input>:-1:0: {limit}"


def nested(opening, inner, closing, levels):
    return opening * levels + inner + closing * levels


def test_nesting_is_limited():
    deep = "(" * 300 + "1" + ")" * 300
    assert failure(deep) == "ERROR: <input>:-1:0: expression recursion limit exceeded: 250"
    chain = "1" + " + 1" * 300
    assert failure(chain) == "ERROR: <input>:-1:0: max recursion depth exceeded"
    assert not isinstance(environment.compile_expression("true" + " && true" * 3000, ENV), Failure)
    assert not isinstance(environment.compile_expression("(" * 200 + "true" + ")" * 200, ENV), Failure)


def test_length_is_limited():
    text = "true" + " " * 100_000
    assert "expression code point size exceeds limit: size: 100004, limit 100000" in failure(text)


@pytest.mark.parametrize(
    ("literal", "value"),
    [
        (r"'a\n\t\\\'\u00e9\U0001F600\x41\101'", "a\n\t\\'é😀AA"),
        (r"r'\d\n'", r"\d\n"),
        ("'''two\nlines'''", "two\nlines"),
        (r"b'\xff\377é'", b"\xff\xff\xc3\xa9"),
        ("0x1F", 31),
        ("-9223372036854775808", -(2**63)),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("7u", 7),
    ],
)
def test_a_literal_has_its_value(literal, value):
    assert environment.compile_expression(literal, ENV).evaluate({}).value == value


@pytest.mark.parametrize("expression", ["[1,] == [1]", "[,] == []", "{'a': 1,} == {'a': 1}", "{,} == {}"])
def test_a_literal_may_end_with_a_comma(expression):
    assert environment.compile_expression(expression, ENV).evaluate({}).value is True
