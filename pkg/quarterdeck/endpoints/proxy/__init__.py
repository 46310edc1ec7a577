"""Requests that another server answers: what is changed on their way, answers in pieces, upgraded connections."""
