"""Selectors of access reviews: what is refused, and what is told not to have been read."""

from __future__ import annotations

from typing import Any

import pytest

from quarterdeck.apimachinery.errors import Invalid
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import ALLOWED, Attributes, Decision, Rules
from quarterdeck.authorization.chain import AuthorizerChain, Named
from quarterdeck.endpoints.handlers import review_selectors
from quarterdeck.endpoints.handlers.reviews import AccessReviews
from quarterdeck.metrics.registry import Registry

PATH = "spec.resourceAttributes"


@pytest.mark.parametrize(("given", "told"), [("", "*"), ("v1", "v1")])
def test_a_review_without_a_version_asks_about_all(given: str, told: str) -> None:
    asked = []

    class Noting:
        def quick(self, user: User, attributes: Attributes) -> Decision:
            return self.authorize(user, attributes)

        def authorize(self, _user: User, attributes: Attributes) -> Decision:
            asked.append(attributes.version)
            return ALLOWED

        def rules_of(self, _user: User, _namespace: str) -> Rules:
            raise NotImplementedError

    reviews = AccessReviews(AuthorizerChain(Registry(), [Named("X", "x", Noting())]))
    spec = {"user": "bob", "resourceAttributes": {"verb": "get", "resource": "pods", "version": given}}
    answered = reviews.answer_for_somebody(User("root"), {"metadata": {}, "spec": spec})
    assert answered["status"]["allowed"]
    assert asked == [told]


@pytest.mark.parametrize(
    ("selector", "told"),
    [
        ({"rawSelector": "a=b"}, []),
        ({}, [f"requirements: Required value: when {PATH}.KIND is specified, requirements or rawSelector is required"]),
        (
            {"rawSelector": "a=b", "requirements": [{"key": "a", "operator": "Exists"}]},
            ['rawSelector: Invalid value: "a=b": may not specified at the same time as requirements'],
        ),
        (
            {"requirements": [{"key": "a", "operator": "In"}]},
            ["requirements[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'"],
        ),
        (
            {"requirements": [{"key": "a", "operator": "Exists", "values": ["x"]}]},
            [
                "requirements[0].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
            ],
        ),
        ({"requirements": [{"key": "a", "operator": "Newer"}]}, []),
    ],
)
@pytest.mark.parametrize("kind", ["fieldSelector", "labelSelector"])
def test_what_is_refused(kind: str, selector: dict[str, Any], told: list[str]) -> None:
    problems = review_selectors.validate({kind: selector})
    assert [str(each) for each in problems] == [f"{PATH}.{kind}.{text.replace('KIND', kind)}" for text in told]


@pytest.mark.parametrize(
    ("selector", "word"),
    [
        ({"rawSelector": "a=b"}, None),
        ({"rawSelector": "a in ("}, "ignored"),
        ({"requirements": [{"key": "a", "operator": "Newer"}]}, "ignored"),
        (
            {"requirements": [{"key": "a", "operator": "Newer"}, {"key": "a", "operator": "In", "values": ["x"]}]},
            "partially ignored",
        ),
    ],
)
def test_what_is_told_not_to_have_been_read(selector: dict[str, Any], word: str | None) -> None:
    told = review_selectors.explain_unread(review_selectors.read({"labelSelector": selector}))
    assert told == ([f"{PATH}.labelSelector {word} due to parse error"] if word else [])


def test_there_may_be_no_selector() -> None:
    assert review_selectors.validate(None) == []
    assert review_selectors.explain_unread(review_selectors.read({})) == []


@pytest.mark.parametrize("kind", ["SubjectAccessReview", "SelfSubjectAccessReview", "LocalSubjectAccessReview"])
def test_metadata_is_told_last_but_for_what_a_local_review_compares(kind: str) -> None:
    attributes = {"namespace": "n", "fieldSelector": {}}
    review = {"metadata": {"name": "x", "namespace": "m"}, "spec": {"resourceAttributes": attributes}}
    reviews = AccessReviews(AuthorizerChain(Registry()))
    answer = {
        "SubjectAccessReview": reviews.answer_for_somebody,
        "SelfSubjectAccessReview": reviews.answer_for_oneself,
        "LocalSubjectAccessReview": reviews.answer_in_namespace,
    }[kind]
    with pytest.raises(Invalid) as refused:
        answer(User("asks"), review)
    paths = [each["field"] for each in refused.value.details["causes"]]
    who = [] if kind == "SelfSubjectAccessReview" else ["spec.user"]
    where = [f"{PATH}.namespace"] if kind == "LocalSubjectAccessReview" else []
    assert paths == [*who, f"{PATH}.fieldSelector.requirements", "metadata", *where]
