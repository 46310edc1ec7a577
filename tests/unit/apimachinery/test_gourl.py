"""URLs as net/url of Go 1.26 reads and writes them: what it answered for each text here."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from quarterdeck.apimachinery import gourl


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("\t", "net/url: invalid control character in URL"),
        ("", "empty url"),
        (":a", "missing protocol scheme"),
        ("a/b", "invalid URI for request"),
        ("#a", "invalid URI for request"),
        ("/%2", 'invalid URL escape "%2"'),
        ("/%2%41", 'invalid URL escape "%2%"'),
        ("/%2é", 'invalid URL escape "%2\\xc3"'),
        ("http://a:80:80/", 'invalid port ":80:80" after host'),
        ("http://[::1", "missing ']' in host"),
        ("http://[::1]a", 'invalid port "a" after host'),
        ("http://a[::1]", "invalid IP-literal"),
        ("http://[1.2.3.4]", "invalid IP-literal"),
        ("http://[a]", 'invalid host: ParseAddr("a"): unable to parse IP'),
        ("http://a b", 'invalid character " " in host name'),
        ("http://%41", 'invalid URL escape "%41"'),
        ("http://[::1%25%80]", 'invalid URL escape "%80"'),
        ("http://u^@a", "net/url: invalid userinfo"),
        ("http://%2@a", 'invalid URL escape "%2"'),
    ],
)
def test_what_is_no_request_uri_is_told_in_gos_words(text, fault):
    with pytest.raises(gourl.URLError) as caught:
        gourl.parse_request_uri(text)
    assert str(caught.value).endswith(f": {fault}")
    assert not gourl.is_request_uri(text)


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("*", "*"),
        ("HTTP://A/", "http://A/"),
        ("http:a?b#c", "http:a?b#c"),
        ("http:", "http:"),
        ("http:/", "http:/"),
        ("http://", "http:"),
        ("http:///", "http:///"),
        ("http://a?", "http://a?"),
        ("http://a??", "http://a??"),
        ("http://a#", "http://a"),
        ("http://a/ b%2F#x y", "http://a/%20b/#x%20y"),
        ("http://é/é|", "http://%C3%A9/%C3%A9%7C"),
        ("http://u:p%40@a:1/", "http://u:p%40@a:1/"),
        ("http://[fe80::1%25%65n%20]/", "http://[fe80::1%25en%20]/"),
        ("mongodb://a:1,b:2/", "mongodb://a:1,b:2/"),
        ("///a:b", "///a:b"),
        ("./a:b", "./a:b"),
        ("/%2A", "/%2A"),
        ("/a!b", "/a!b"),
    ],
)
def test_a_url_is_written_as_go_does(text, written):
    assert str(gourl.parse(text)) == written


@pytest.mark.parametrize(
    ("host", "name", "port"),
    [("a:80", "a", "80"), ("a:", "a", ""), ("a", "a", ""), ("[::1]", "::1", ""), ("[::1]:80", "::1", "80")],
)
def test_a_host_has_a_name_and_a_port(host, name, port):
    url = gourl.parse(f"https://{host}/")
    assert (url.host, url.hostname(), url.port()) == (host, name, port)


def test_a_fault_of_the_fragment_shows_the_whole_text_and_another_what_is_before_it():
    for text, shown in (("http://a#%z", "http://a#%z"), ("http://a b#%z", "http://a b")):
        with pytest.raises(gourl.URLError) as caught:
            gourl.parse(text)
        assert str(caught.value).startswith(f'parse "{shown}": ')


@given(st.text(alphabet="ab:/?#%25[]@é !*.\\", max_size=12))
def test_what_is_written_is_read_as_the_same(text):
    try:
        url = gourl.parse(text)
    except gourl.URLError:
        return
    assert str(gourl.parse(str(url))) == str(url)
