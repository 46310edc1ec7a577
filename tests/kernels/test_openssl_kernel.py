"""The kernel that reaches into an SSL context: it changes the right thing, or nothing."""

from __future__ import annotations

import _ssl
import ssl

import pytest

from quarterdeck._kernels import openssl

LIBRARY = getattr(_ssl, "__file__", None)


def build_context(mode: ssl.VerifyMode = ssl.CERT_OPTIONAL) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.verify_mode = mode
    return context


def test_what_does_not_agree_with_python_is_left_alone() -> None:
    context = build_context()
    assert openssl.prepare_server(context, LIBRARY, context.options ^ ssl.OP_NO_TICKET) is False
    context = build_context(ssl.CERT_NONE)
    assert openssl.prepare_server(context, LIBRARY, context.options) is False


def test_a_library_without_openssl_is_no_help() -> None:
    context = build_context()
    assert openssl.prepare_server(context, "/nowhere/_ssl.so", context.options) is False


def test_other_objects_are_a_type_error() -> None:
    for thing in (None, 5, "SSLContext", object()):
        with pytest.raises(TypeError):
            openssl.prepare_server(thing, LIBRARY, 0)  # type: ignore[arg-type]
