"""What is said of the types of authentication."""

TEXT = """
authentication.SelfSubjectReview # Whom the server takes the client for.
  metadata # Standard object metadata.
  status # The user, as the server found out. Read-only.

authentication.TokenReview # Asks whose token this is.
  metadata # Standard object metadata.
  spec # The token, and whom it has to be for.
  status # The answer. Read-only.

authentication.TokenRequest # Asks for a token of a service account.
  metadata # Standard object metadata.
  spec # Whom the token is for, and how long.
  status # The token. Read-only.

authentication.TokenReviewSpec # A token and whom it has to be for.
  audiences # The servers that the token may be for; without any, this server.
  token # The bearer token.

authentication.TokenRequestSpec # What a token is to be.
  audiences # Whom the token is for.
  boundObjectRef # The object with which the token ends.
  expirationSeconds # How long the token is wanted; it may be shorter.

authentication.UserInfo # A user, as somebody authenticated it.
  extra # What else is known of the user.
  groups # The groups that the user is in.
  uid # Unique in time for one user.
  username # The name, unique among users.

authentication.BoundObjectReference # The object that a token lives and dies with.
  kind # Its kind: Pod, Secret or Node.
  apiVersion # Its group and version.
  name # Its name.
  uid # Its UID; a successor of the same name does not count.

authentication.SelfSubjectReviewStatus # Whom the server takes the caller for.
  userInfo # The caller.

authentication.TokenRequestStatus # The token that was made.
  token # The token itself, to send as bearer.
  expirationTimestamp # Until when it is good.

authentication.TokenReviewStatus # What the server makes of a token.
  authenticated # Whether it is good.
  user # Whom it stands for.
  audiences # Those of the asked audiences that it is good for; empty says the API server's own.
  error # Why it could not be checked.
"""
