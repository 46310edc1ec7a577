"""Authorizers that are other servers: each question is sent to them as a SubjectAccessReview."""
