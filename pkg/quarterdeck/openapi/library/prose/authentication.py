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
"""
