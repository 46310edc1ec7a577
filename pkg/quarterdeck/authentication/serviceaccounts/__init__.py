"""Tokens of service accounts: the keys, the tokens, and what OpenID clients are told of them."""
