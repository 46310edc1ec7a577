"""What is wrong with the syntax of an expression, as the parser that ANTLR generates for cel-go says it.

That parser reports more than the first error, and what it reports next depends on how it recovers: it deletes one
token, imagines one, or skips tokens up to what may follow any rule that is open. So a text that is no expression is
read once more here as that parser reads it: rule by rule over the states of syntax_grammar.py, with its sets of
expected tokens.

Source: ANTLR 4.13's DefaultErrorStrategy; cel-go's parser/parser.go (limits).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.cel.lexer import EOF, Token
from quarterdeck.cel.source import NO_POSITION, Issue
from quarterdeck.cel.syntax_grammar import RULE_MAY_END, first_tokens, rules, show
from quarterdeck.cel.syntax_states import Edge, State

RECOVERIES_MAX: Final = 30
SKIPPED_MAX: Final = 256
ERRORS_MAX: Final = 100
_HALVES: Final = ("=", "&", "|")  # of operators of two characters


class _Mismatch(Exception):
    """No token fits; the rule ends here."""

    def __init__(self, message: str) -> None:
        self.message = message


class _GaveUp(Exception):
    pass


class _Reader:
    """One reading of the tokens. `open_rules`: of each rule that is open, where it goes on and its precedence."""

    def __init__(self, source: str, tokens: list[Token]) -> None:
        self.source = source
        self.tokens = tokens
        self.at = 0
        self.precedence = 0
        self.open_rules: list[tuple[State, int]] = []
        self.issues: list[Issue] = []
        self.recovering = False
        self.recoveries = 0
        self.last_error: tuple[int, set[State]] = (-1, set())

    def kind(self, ahead: int = 0) -> str:
        return self.tokens[min(self.at + ahead, len(self.tokens) - 1)].kind

    def consume(self) -> None:
        if self.kind() != EOF:
            self.at += 1

    def run(self) -> None:
        starts, stops = rules()
        state = starts["start"]
        while True:
            if not state.edges:
                if not self.open_rules:
                    return
                state, self.precedence = self.open_rules.pop()
                continue
            try:
                state = self.step(state, starts)
            except _Mismatch as mismatch:
                self.report(mismatch.message)
                self.recover(state)
                state = stops[state.rule]

    def step(self, state: State, starts: dict[str, State]) -> State:
        edge = state.edges[0]
        if state.is_decision:
            self.synchronize(state)
            edge = state.edges[self.decide(state)]
        if edge.called:
            self.open_rules.append((edge.target, self.precedence))
            self.precedence = edge.precedence
            return starts[edge.called]
        if edge.tokens:
            self.match(state, edge)
        return edge.target

    def decide(self, state: State) -> int:
        if state.choose is not None:
            return state.choose(self)
        for i, edge in enumerate(state.edges):
            if self.kind() in first_tokens(edge.target):
                return i
        return len(state.edges) - 1

    # --- matching and recovery

    def match(self, state: State, edge: Edge) -> None:
        if self.kind() in edge.tokens:
            self.accept()
            self.consume()
            return
        self.count_recovery()
        if self.delete_one(state):
            self.consume()
        elif self.kind() in self.expected(edge.target):
            if not self.recovering:
                self.recovering = True
                self.tell(f"missing {show(self.expected(state))} at {self.shown()}")
        else:
            raise _Mismatch(self.mismatch(state))

    def accept(self) -> None:
        self.recovering = False
        self.last_error = (-1, set())

    def delete_one(self, state: State) -> bool:
        """Skips an unwanted token where the next one fits."""
        expected = self.expected(state)
        if self.kind(1) not in expected:
            return False
        self.unwanted(expected)
        self.consume()
        self.accept()
        return True

    def unwanted(self, expected: frozenset[str]) -> None:
        if not self.recovering:
            self.recovering = True
            self.tell(f"extraneous input {self.shown()} expecting {show(expected)}")

    def synchronize(self, state: State) -> None:
        """Before a decision: a token that fits none of its ways, nor what follows, is an error already."""
        possible = first_tokens(state)
        if self.recovering or RULE_MAY_END in possible or self.kind() in possible:
            return
        if state.is_loop_end:
            self.unwanted(self.expected(state))
            self.skip_to(self.expected(state) | self.recovery_set())
        elif not self.delete_one(state):
            raise _Mismatch(self.mismatch(state))

    def recover(self, state: State) -> None:
        self.count_recovery()
        index, states = self.last_error
        skipped = 0
        if index == self.at and state in states:  # the second error at one place: no way on without a step
            self.consume()
            skipped = 1
        if index != self.at:
            states = states if states else set()
        states.add(state)
        self.last_error = (self.at, states)
        self.skip_to(self.recovery_set(), skipped)

    def skip_to(self, wanted: frozenset[str], skipped: int = 0) -> None:
        while self.kind() != EOF and self.kind() not in wanted:
            if skipped >= SKIPPED_MAX:
                text = f"error recovery token lookahead limit exceeded: {SKIPPED_MAX}"
                self.issues.append(Issue(NO_POSITION, text))
                raise _GaveUp
            self.consume()
            skipped += 1

    def count_recovery(self) -> None:
        if self.recoveries == RECOVERIES_MAX:
            self.tell(f"error recovery attempt limit exceeded: {RECOVERIES_MAX}")
            raise _GaveUp
        self.recoveries += 1

    # --- sets of tokens

    def expected(self, state: State) -> frozenset[str]:
        """What may come at a state, with all open rules."""
        found = first_tokens(state)
        above = len(self.open_rules)
        while RULE_MAY_END in found and above:
            above -= 1
            found = (found - {RULE_MAY_END}) | first_tokens(self.open_rules[above][0])
        return found - {RULE_MAY_END}

    def recovery_set(self) -> frozenset[str]:
        return frozenset().union(*{first_tokens(state) for state, _ in self.open_rules}) - {RULE_MAY_END}

    # --- messages

    def report(self, message: str) -> None:
        if not self.recovering:
            self.recovering = True
            if message:
                self.tell(message)

    def tell(self, message: str) -> None:
        self.add(self.tokens[self.at], message)

    def add(self, token: Token, message: str) -> None:
        self.issues.append(Issue(token.pos, f"Syntax error: {message}"))
        if len(self.issues) >= ERRORS_MAX:
            raise _GaveUp

    def shown(self) -> str:
        token = self.tokens[self.at]
        return "'<EOF>'" if token.kind == EOF else f"'{_escape(token.text)}'"

    def mismatch(self, state: State) -> str:
        return f"mismatched input {self.shown()} expecting {show(self.expected(state))}"

    def no_alternative(self) -> _Mismatch:
        """The token here and the next one begin nothing together: told at the next one."""
        first, offending = self.tokens[self.at], self.tokens[self.at + 1]
        if not self.recovering:
            between = self.source[first.pos + len(first.text) : offending.pos]
            text = first.text + _readable(between)
            text += "" if offending.kind == EOF else offending.text
            message = f"no viable alternative at input '{_escape(text)}'"
            if text[1:] in ("true", "false", "null"):  # cel-go's own words
                message = f"mismatched input '{text[1:]}' expecting IDENTIFIER"
            self.add(offending, message)
            self.recovering = True
        return _Mismatch("")


def _readable(between: str) -> str:
    """What stands between two tokens without what is none: the blanks, and comments. An operator of two characters that
    has but one takes the next character with it."""
    comment = between.find("//")
    if comment >= 0:
        return _readable(between[:comment]) + between[comment:]
    unreadable = between.strip()
    begin = between.find(unreadable)
    end = begin + len(unreadable)
    return between[:begin] + between[end + (unreadable[-1:] in _HALVES) :]


def _escape(text: str) -> str:
    return text.replace("\t", "\\t").replace("\n", "\\n").replace("\r", "\\r")


def find(source: str, tokens: list[Token]) -> list[Issue]:
    """The syntax errors of a text whose tokens these are, in the order in which they are met."""
    reader = _Reader(source, tokens)
    try:
        reader.run()
    except _GaveUp:
        pass
    return reader.issues
