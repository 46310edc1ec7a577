"""What is said of the types of authorization."""

TEXT = """
authorization.LocalSubjectAccessReview # Asks whether somebody may do something in one namespace.
  metadata # Standard object metadata.
  spec # Who would do what; its namespace is that of the request.
  status # The answer. Read-only.

authorization.SelfSubjectAccessReview # Asks whether the client may do something.
  metadata # Standard object metadata.
  spec # What the client would do.
  status # The answer. Read-only.

authorization.SelfSubjectRulesReview # Asks what the client may do in a namespace.
  metadata # Standard object metadata.
  spec # The namespace.
  status # What the client may do, as far as it is known. Read-only.

authorization.SubjectAccessReview # Asks whether somebody may do something.
  metadata # Standard object metadata.
  spec # Who would do what.
  status # The answer. Read-only.

authorization.SubjectAccessReviewStatus # The answer.
  allowed # Whether it is allowed.
  denied # Whether it is denied, whatever others would say.
  evaluationError # What went wrong on the way; there may be an answer all the same.
  reason # Why.
"""
