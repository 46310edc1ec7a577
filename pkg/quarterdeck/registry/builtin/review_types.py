"""The Go types of reviews and token requests, which are answered and never stored.

Source: k8s.io/api/{authentication,authorization}/v1/types.go (1.36).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.schema.gotype import BOOL, INT64, STRING, TIME, Field, ListOf, MapOf, Scalar, Struct

_text = Field(STRING)
_texts = Field(ListOf(STRING))
_extra = Field(MapOf(ListOf(STRING, "v1.ExtraValue")))
_uid = Field(Scalar("types.UID", "string"))

USER_INFO: Final = Struct("UserInfo", {"username": _text, "uid": _text, "groups": _texts, "extra": _extra})

SELF_SUBJECT_REVIEW: Final = Struct(
    "SelfSubjectReview",
    {"status": Field(Struct("SelfSubjectReviewStatus", {"userInfo": Field(USER_INFO, always=True)}), always=True)},
)

TOKEN_REVIEW: Final = Struct(
    "TokenReview",
    {
        "spec": Field(Struct("TokenReviewSpec", {"token": _text, "audiences": _texts}), always=True),
        "status": Field(
            Struct(
                "TokenReviewStatus",
                {
                    "authenticated": Field(BOOL),
                    "user": Field(USER_INFO, always=True),
                    "audiences": _texts,
                    "error": _text,
                },
            ),
            always=True,
        ),
    },
)

TOKEN_REQUEST: Final = Struct(
    "TokenRequest",
    {
        "spec": Field(
            Struct(
                "TokenRequestSpec",
                {
                    "audiences": Field(ListOf(STRING), always=True),
                    "expirationSeconds": Field(INT64, pointer=True, always=True),
                    "boundObjectRef": Field(
                        Struct(
                            "BoundObjectReference",
                            {"kind": _text, "apiVersion": _text, "name": _text, "uid": _uid},
                        ),
                        pointer=True,
                        always=True,
                    ),
                },
            ),
            always=True,
        ),
        "status": Field(
            Struct(
                "TokenRequestStatus",
                {"token": Field(STRING, always=True), "expirationTimestamp": Field(TIME, always=True)},
            ),
            always=True,
        ),
    },
)


def _selector(name: str) -> Field:
    requirement = Struct(
        f"{name}SelectorRequirement",
        {
            "key": Field(STRING, always=True),
            "operator": Field(Scalar(f"v1.{name}SelectorOperator", "string"), always=True),
            "values": _texts,
        },
    )
    attributes = {"rawSelector": _text, "requirements": Field(ListOf(requirement))}
    return Field(Struct(f"{name}SelectorAttributes", attributes), pointer=True)


_RESOURCE_ATTRIBUTES: Final = Field(
    Struct(
        "ResourceAttributes",
        {
            "namespace": _text,
            "verb": _text,
            "group": _text,
            "version": _text,
            "resource": _text,
            "subresource": _text,
            "name": _text,
            "fieldSelector": _selector("Field"),
            "labelSelector": _selector("Label"),
        },
    ),
    pointer=True,
)
_OTHER_ATTRIBUTES: Final = Field(Struct("NonResourceAttributes", {"path": _text, "verb": _text}), pointer=True)
_WHAT: Final = {"resourceAttributes": _RESOURCE_ATTRIBUTES, "nonResourceAttributes": _OTHER_ATTRIBUTES}
_WHO: Final = {"user": _text, "groups": _texts, "extra": _extra, "uid": _text}
_ACCESS_STATUS: Final = Field(
    Struct(
        "SubjectAccessReviewStatus",
        {
            "allowed": Field(BOOL, always=True),
            "denied": Field(BOOL),
            "reason": _text,
            "evaluationError": _text,
        },
    ),
    always=True,
)
_ACCESS_SPEC: Final = Field(Struct("SubjectAccessReviewSpec", {**_WHAT, **_WHO}), always=True)

SUBJECT_ACCESS_REVIEW: Final = Struct("SubjectAccessReview", {"spec": _ACCESS_SPEC, "status": _ACCESS_STATUS})
LOCAL_SUBJECT_ACCESS_REVIEW: Final = Struct(
    "LocalSubjectAccessReview", {"spec": _ACCESS_SPEC, "status": _ACCESS_STATUS}
)
SELF_SUBJECT_ACCESS_REVIEW: Final = Struct(
    "SelfSubjectAccessReview",
    {"spec": Field(Struct("SelfSubjectAccessReviewSpec", _WHAT), always=True), "status": _ACCESS_STATUS},
)
SELF_SUBJECT_RULES_REVIEW: Final = Struct(
    "SelfSubjectRulesReview",
    {
        "spec": Field(Struct("SelfSubjectRulesReviewSpec", {"namespace": _text}), always=True),
        "status": Field(
            Struct(
                "SubjectRulesReviewStatus",
                {
                    "resourceRules": Field(
                        ListOf(
                            Struct(
                                "ResourceRule",
                                {
                                    "verbs": Field(ListOf(STRING), always=True),
                                    "apiGroups": _texts,
                                    "resources": _texts,
                                    "resourceNames": _texts,
                                },
                            )
                        ),
                        always=True,
                    ),
                    "nonResourceRules": Field(
                        ListOf(
                            Struct(
                                "NonResourceRule",
                                {"verbs": Field(ListOf(STRING), always=True), "nonResourceURLs": _texts},
                            )
                        ),
                        always=True,
                    ),
                    "incomplete": Field(BOOL, always=True),
                    "evaluationError": _text,
                },
            ),
            always=True,
        ),
    },
)
