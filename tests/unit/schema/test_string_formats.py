"""String formats at their edges, as kube-apiserver 1.36 answers them."""

from __future__ import annotations

import pytest

from quarterdeck.schema import formats

RIGHT = {
    "email": [
        "a@b", " a@b\t", "a@b (c)", "a@b(c (d) \\) e)", "a@b (=?utf-8?q?x?=)", "x: a@b;", "x:a@b ; (c)", "a@ b",
        "a (c) <a@b>", '0"J. D" <a@b>', '"a".b <a@b>', ". Public <a@b>", "<a@b>", "J. =?utf-8?q?x?= <a@b>",
        "a =?x?q?y?= <a@b>", '"a b"@[::1]', "é@ü",
    ],
    "uri": [
        "http://a", "HTTP://[::1]:80/", "zttp://::1", "htt6://a:999:9", "http://[fe80::1%25a%20b]", "http:opaque%",
        "http://u:p@a", "/a", "http://a?%",
    ],
    "creditcard": ["4111 1111 1111 1111"],
    "duration": ["9223372036854775807ns", "-9223372036854775808ns", "2562047h47m", "0.99999999999999999999s", "3 days"],
    "ipv4": ["1.2.3.4", "01.2.3.4", "::ffff:01.2.3.4"],
    "cidr": ["::ffff:01.2.3.4/96", "00001::/64", "01.2.3.4/8"],
}  # fmt: skip
WRONG = {
    "email": [
        "", "a", "a@", '""@b', "a@b, c@d", "x: a@b, c@d;", "x:;", "x: y: a@b;;", "a@b (c", "a..b@c", ".a@b", "a@b.",
        "=?x?q?y?= <a@b>", "a@b (=?x?q?y?=)", "a <a@b", "a@[1.2.3]", "<a@b> c", "a (c <a@b>",
    ],
    "uri": [
        "", "a", "http://a[b", "http://é[1.2.3.4]", "http://[1.2.3.4]", "http://::1", "http://a:9:9", "http://a%41",
        "http://[fe80::1%25%2F]", "http://[fe80::1%25]", "zttp://a:b", "/%",
    ],
    "creditcard": ["2223 0000 4841 0010", "6221 2345 6789 0123 450"],
    "duration": ["9223372036854775808ns", "-9223372036854775809ns", "1"],
    "ipv4": ["256.1.1.1", "::ffff:256.2.3.4", "::1"],
    "cidr": ["1.2.3.4/33", "::ffff:1.2.3.4", "10000f::/64"],
}  # fmt: skip


@pytest.mark.parametrize("name", RIGHT)
def test_what_a_format_takes(name: str) -> None:
    check = formats.CHECKERS[name]
    assert [text for text in RIGHT[name] if not check(text)] == []


@pytest.mark.parametrize("name", WRONG)
def test_what_a_format_refuses(name: str) -> None:
    check = formats.CHECKERS[name]
    assert [text for text in WRONG[name] if check(text)] == []
