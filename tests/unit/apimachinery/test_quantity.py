"""Quantities: canonical forms, comparison, refusals. Cases follow apimachinery's quantity_test.go."""

import pytest

from quarterdeck.apimachinery import quantity


@pytest.mark.parametrize(
    "text, canonical",
    [
        ("0", "0"),
        ("0Ki", "0"),
        ("100m", "100m"),
        ("0.1", "100m"),
        (".5", "500m"),
        ("1.", "1."),
        ("1.5", "1500m"),
        ("1000", "1k"),
        ("1500", "1500"),
        ("1024", "1024"),
        ("1024Ki", "1Mi"),
        ("1.5Gi", "1536Mi"),
        ("0.5Ki", "512"),
        ("1e3000", "1e3000"),
        ("-20e3001", "-200e3000"),
        ("1e4294967297", "10"),  # exponents have 32 bits
        ("1e000000000000000000000003", "1e000000000000000000000003"),
        ("1.1Ki", "1126400m"),
        ("1e3", "1e3"),
        ("12E6", "12E6"),
        ("1000e3", "1e6"),
        ("1E", "1E"),
        ("1000E", "1"),  # as upstream: 10^21 has no suffix, and the exponent is lost
        ("1000e18", "1e21"),
        ("0.1n", "1n"),
        ("1e-10", "1e-9"),
        ("-1.5", "-1500m"),
        ("10000Ei", "9223372036854775807"),
        ("2000m", "2"),
        ("1.001", "1.001"),
        ("m", "0"),
    ],
)
def test_canonical_form(text, canonical):
    assert str(quantity.parse(text)) == canonical
    assert str(quantity.parse(canonical)) == canonical


@pytest.mark.parametrize(
    "text, message",
    [
        ("", quantity.FORMAT_ERROR),
        ("abc", quantity.FORMAT_ERROR),
        ("1x", quantity.FORMAT_ERROR),
        ("1.1.1", quantity.FORMAT_ERROR),
        (" 1", quantity.FORMAT_ERROR),
        ("１", quantity.FORMAT_ERROR),
        ("1" * 2000, quantity.FORMAT_ERROR),
        ("1Kii", quantity.SUFFIX_ERROR),
        ("1ee3", quantity.SUFFIX_ERROR),
        ("1e", quantity.SUFFIX_ERROR),
        (".Ei", "unable to parse numeric part of quantity"),
        ("e-12", "unable to parse numeric part of quantity"),
    ],
)
def test_what_is_no_quantity_is_refused(text, message):
    with pytest.raises(quantity.ParseError) as caught:
        quantity.parse(text)
    assert str(caught.value) == message


@pytest.mark.parametrize("left, right, order", [("1Gi", "1024Mi", 0), ("1", "1001m", -1), ("1k", "1", 1)])
def test_quantities_compare_by_their_amounts(left, right, order):
    assert quantity.compare(left, right) == order


def test_rounding_and_sums():
    assert quantity.parse("1.5").whole() == 2
    assert quantity.parse("-1.5").whole() == -2
    assert quantity.parse("-100m").whole() == -1
    assert quantity.parse("9223372036854775807").whole() == 2**63 - 1
    assert (quantity.parse("1e19").whole(), quantity.parse("-1e17").milli()) == (0, 0)  # more than 64 bits hold
    assert quantity.parse("1.0001").milli() == 1001
    assert str(quantity.parse("1Gi").add(quantity.parse("1Gi"))) == "2Gi"
    assert str(quantity.parse("0").add(quantity.parse("1Ki"))) == "1Ki"
    assert str(quantity.parse("1").sub(quantity.parse("100m"))) == "900m"


def test_huge_exponents_cost_nothing():
    assert str(quantity.parse("1e-2000000000")) == "1e-9"
    assert quantity.parse("1e2000000000") > quantity.parse("1E")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1n", 1),
        ("-500m", -1),
        ("-1500m", -2),
        ("-5Gi", -(5 << 30)),
        ("-1e30", 0),  # an int64 and an exponent, whose product is none
        ("-10E", 0),
        ("9223372036854775808", -(2**63)),  # of more than 18 digits the lowest bits count
        ("-9223372036854775809", -1),
        ("18446744073709551615.5", 0),
        ("-1.5000000000000000001", 0),
        ("-100Ei", -(2**63 - 1)),
    ],
)
def test_amounts_in_64_bits(text, number):
    assert quantity.parse(text).whole() == number


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1.5", 1500),
        ("1n", 1),
        ("-1.5", -1500),
        ("999999999999999999", 10**21 - 1000),
        ("-1e17", 0),  # multiplied digit by digit
        ("999999999999999999999", 10**24 - 1000),
        ("0.9999999999999999999", 1000),
        ("-1.5000000000000000001", -1499),
        ("100Ei", -1000),
    ],
)
def test_thousandths_in_64_bits(text, number):
    low = (number + 2**63) % 2**64 - 2**63
    assert quantity.parse(text).milli() == low


def test_sums_count_as_their_parts_do():
    total = quantity.parse("1").add(quantity.parse("999999999999999999999"))
    assert total.is_wide
    assert total.milli() % 1000
