"""Tags of images: what is pulled always is what has none, or `latest`."""

import pytest

from quarterdeck.apimachinery.images import tag_of


@pytest.mark.parametrize(
    ("image", "tag"),
    [
        ("img", "latest"),
        ("img:1", "1"),
        ("a.io/b/c", "latest"),
        ("localhost:5000/c:x", "x"),
        ("img@sha256:" + "0" * 64, ""),
        ("img:1@sha256:" + "0" * 64, "1"),
        ("Never", ""),
        ("a b", ""),
        ("", ""),
        ("A/b", "latest"),
        ("a" * 64, ""),
        ("-", ""),
        ("a" * 247, "latest"),  # library/ and 247 characters
        ("a" * 248, ""),
        ("a.io/" + "b" * 255, "latest"),
        ("a.io/" + "b" * 256, ""),
        ("img:1@sha256:" + "0" * 63, ""),
        ("img:1@sha256:" + "A" * 64, ""),
        ("img:1@sha512:" + "0" * 128, "1"),
        ("img:1@md5:" + "0" * 32, ""),
    ],
)
def test_the_tag_of_an_image(image: str, tag: str) -> None:
    assert tag_of(image) == tag
