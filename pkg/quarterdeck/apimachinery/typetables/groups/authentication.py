"""The types of authentication.k8s.io/v1; see typetables/__init__.py for the notation."""

TABLE = """
BoundObjectReference: kind string? 1, apiVersion string? 2, name string? 3, uid types.UID? 4
ExtraValue = []string
SelfSubjectReview kind: metadata meta.ObjectMeta? 1, status SelfSubjectReviewStatus? 2
SelfSubjectReviewStatus: userInfo UserInfo? 1
TokenRequest kind: metadata meta.ObjectMeta? 1, spec TokenRequestSpec 2, status TokenRequestStatus? 3
TokenRequestSpec: audiences []string 1 atomic, expirationSeconds *int64 4, boundObjectRef *BoundObjectReference 3
TokenRequestStatus: token string 1, expirationTimestamp meta.Time 2
TokenReview kind: metadata meta.ObjectMeta? 1, spec TokenReviewSpec 2!, status TokenReviewStatus? 3
TokenReviewSpec: token string? 1!, audiences []string? 2 atomic
TokenReviewStatus: authenticated bool? 1, user UserInfo? 2, audiences []string? 4 atomic, error string? 3
UserInfo: username string? 1, uid string? 2, groups []string? 3 atomic, extra map[string]ExtraValue? 4
"""
