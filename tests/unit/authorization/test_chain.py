"""Several authorizers, one after the other."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.always import AlwaysAllow, AlwaysDeny
from quarterdeck.authorization.authorizer import Attributes, Decision, Mode, Rules
from quarterdeck.authorization.chain import AuthorizerChain, Named
from quarterdeck.metrics import exposition
from quarterdeck.metrics.registry import Registry

BOB = User("bob", groups=("system:authenticated",))
ASKED = Attributes("get", resource="pods", name="a")


class Fixed:
    """Always the same decision."""

    def __init__(self, decision: Decision, rules: Rules | None = None) -> None:
        self._decision = decision
        self._rules = rules or Rules([], [])

    def quick(self, _user: User, _attributes: Attributes) -> Decision:
        return self._decision

    authorize = quick

    def rules_of(self, _user: User, _namespace: str) -> Rules:
        return self._rules


def chain(*members: Mode) -> AuthorizerChain:
    return AuthorizerChain(Registry(), [Named("Webhook", f"w{n}", member) for n, member in enumerate(members)])


NOTHING = Fixed(Decision(False))
DENIED = Fixed(Decision(False, "no", is_denied=True))


@pytest.mark.parametrize(
    ("members", "decision"),
    [
        ((), Decision(False)),
        ((NOTHING, AlwaysAllow()), Decision(True)),
        ((DENIED, AlwaysAllow()), Decision(False, "no", is_denied=True)),
        ((AlwaysDeny(), Fixed(Decision(False, "because"))), Decision(False, "Everything is forbidden.\nbecause")),
        ((AlwaysDeny(), AlwaysAllow()), Decision(True)),
        ((Fixed(Decision(False, error="a")), Fixed(Decision(False, error="b"))), Decision(False, error="[a, b]")),
        ((Fixed(Decision(False, "r", "a")), Fixed(Decision(True, "yes"))), Decision(True, "yes")),
    ],
)
def test_the_first_that_decides_counts_and_the_reasons_of_the_others_are_joined(
    members: tuple[Mode, ...], decision: Decision
) -> None:
    asked = chain(*members)
    assert asked.authorize(BOB, ASKED) == decision
    assert asked.allows(BOB, ASKED) is decision.is_allowed


def test_masters_may_do_everything_whatever_the_authorizers_are() -> None:
    root = User("root", groups=("system:masters",))
    assert chain(DENIED).allows(root, ASKED)
    assert chain(DENIED).authorize(root, ASKED).is_allowed
    assert not chain(DENIED).allows(User("system:masters"), ASKED)


def test_rules_of_all_are_told_together() -> None:
    first = Fixed(Decision(False), Rules([{"verbs": ["get"]}], [], "cannot tell", is_incomplete=True))
    second = Fixed(Decision(False), Rules([{"verbs": ["list"]}], [{"verbs": ["get"]}]))
    found = chain(first, second).rules_of(BOB, "n")
    assert found == Rules(
        [{"verbs": ["get"]}, {"verbs": ["list"]}], [{"verbs": ["get"]}], "cannot tell", is_incomplete=True
    )


def test_decisions_are_counted_by_who_made_them() -> None:
    registry = Registry()
    asked = AuthorizerChain(registry, [Named("Webhook", "a.example", NOTHING), Named("Webhook", "b.example", DENIED)])
    asked.authorize(BOB, ASKED)
    asked.replace([Named("AlwaysAllow", "alwaysallow", AlwaysAllow())])
    asked.allows(BOB, ASKED)
    text = b"".join(exposition.format_pieces(registry)).decode()
    name = "apiserver_authorization_decisions_total"
    assert f'{name}{{decision="denied",name="b.example",type="Webhook"}} 1' in text
    assert f'{name}{{decision="allowed",name="alwaysallow",type="AlwaysAllow"}} 1' in text
    assert "a.example" not in text
