"""Tokens of OpenID Connect issuers: their configuration, their keys, and how claims become users."""
