"""All syntax errors of a text, as the parser generated for cel-go tells them: what it expects, how it goes on."""

import pytest

from quarterdeck.cel import parser, source, syntax_errors
from quarterdeck.cel.lexer import tokenize

STARTS = (
    "'[', '{', '(', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER"
)
CASES = {
    "": ["0: mismatched input '<EOF>' expecting {STARTS}"],
    "a ==": ["4: mismatched input '<EOF>' expecting {STARTS}"],
    "a b": ["2: extraneous input 'b' expecting <EOF>"],
    "1)": ["1: extraneous input ')' expecting <EOF>"],
    "a..b": ["2: no viable alternative at input '..'"],
    "a. in b": ["3: no viable alternative at input '. in'"],
    "a.true": ["2: mismatched input 'true' expecting IDENTIFIER"],
    "a.'b": ["4: no viable alternative at input '.'"],
    "-": ["1: no viable alternative at input '-'", "1: mismatched input '<EOF>' expecting {STARTS}"],
    "--)": ["2: no viable alternative at input '-)'", "2: mismatched input ')' expecting {STARTS}"],
    "!-": ["2: no viable alternative at input '-'", "2: mismatched input '<EOF>' expecting {STARTS}"],
    "!=": ["0: mismatched input '!=' expecting {STARTS}", "2: mismatched input '<EOF>' expecting {STARTS}"],
    "[1, 2), 3].f()": ["5: extraneous input ')' expecting {']', ','}", "8: extraneous input '3' expecting ']'"],
    "{1:2 3:4}": ["5: mismatched input '3' expecting {'}', ','}"],
    "f(g(x": ["5: mismatched input '<EOF>' expecting ')'"],
    "f(x": ["3: missing ')' at '<EOF>'"],
    "g.f([?a.?b,": ["11: mismatched input '<EOF>' expecting ']'"],
    "a.m(in() < b": [
        "4: extraneous input 'in' expecting {'[', '{', '(', ')', '.', '-', '!', 'true', 'false', 'null', NUM_FLOAT, "
        "NUM_INT, NUM_UINT, STRING, BYTES, IDENTIFIER}",
        "7: mismatched input ')' expecting {STARTS}",
        "12: missing ')' at '<EOF>'",
    ],
    "(a ? b ? c > 3 : true : d)": [
        "7: mismatched input '?' expecting ':'",
        "22: mismatched input ':' expecting <EOF>",
    ],
    "'%s'.format([{s,elf.?o: self.ls[0]}])": [
        "15: mismatched input ',' expecting ':'",
        "16: mismatched input 'elf' expecting '}'",
        "22: mismatched input ':' expecting {']', ','}",
        "34: mismatched input '}' expecting ')'",
    ],
    "'%s'.format([([5].(sort() + b)])": [
        "18: no viable alternative at input '.('",
        "29: mismatched input ')' expecting <EOF>",
    ],
    "f(x.mask = ed().masked())])": [
        "11: mismatched input 'ed' expecting ')'",
        "24: mismatched input ')' expecting <EOF>",
    ],
    "A{b c}": ["4: missing ':' at 'c'"],
    "A{1: 2}": ["2: mismatched input '1' expecting {'}', ',', '?', IDENTIFIER, ESC_IDENTIFIER}"],
    "a.b.": ["4: no viable alternative at input '.'"],
}


@pytest.mark.parametrize("text", CASES)
def test_errors_and_where_they_are(text):
    tokens, _ = tokenize(text)
    found = [f"{issue.pos}: {issue.message}" for issue in syntax_errors.find(text, tokens)]
    assert found == [
        case.replace("{STARTS}", "{" + STARTS + "}").replace(": ", ": Syntax error: ", 1) for case in CASES[text]
    ]


@pytest.mark.parametrize("text", ["== " * 60, "[" * 50 + " =="])
def test_recovery_ends_after_thirty_attempts(text):
    tokens, _ = tokenize(text)
    messages = [issue.message for issue in syntax_errors.find(text, tokens)]
    assert messages[-1] == "Syntax error: error recovery attempt limit exceeded: 30"


@pytest.mark.parametrize(("count", "left_out"), [(99, 0), (100, 1), (131, 1)])
def test_a_text_is_read_up_to_its_hundredth_error(count, left_out):
    with pytest.raises(source.CompileError) as caught:
        parser.parse("é" * count, {})
    lines = str(caught.value).split("\n")
    assert lines[-1].endswith("1 more errors were truncated") == bool(left_out)
    assert sum(line.startswith("ERROR") for line in lines) == 100


@pytest.mark.parametrize(("length", "is_shown"), [(16382, True), (16383, False)])
def test_long_lines_are_not_shown(length, is_shown):
    with pytest.raises(source.CompileError) as caught:
        parser.parse("a" * length + " b", {})
    assert (" | " in str(caught.value)) == is_shown


def test_right_texts_have_no_errors():
    for text in (
        "a.b.c{d: 1, ?e: 2,}",
        "[?a, b,]",
        "{?'a': 1}",
        "-1 - -a",
        "!!a && (b || c) ? d[?1] : e.?f",
        ".a.b(c)("[:-1],
    ):
        tokens, _ = tokenize(text)
        assert syntax_errors.find(text, tokens) == [], text
