"""libyaml reads a large text in pieces: it finds in it what it finds in the whole."""

import pytest
import yaml
from yaml._yaml import CParser

from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.codec import yamlinput
from support import recorded


def read(source):
    """The events, with their places, and the error at the end."""
    parser, events = CParser(source), []
    try:
        while (event := parser.get_event()) is not None:
            events.append((repr(event), event.start_mark.line, event.start_mark.column, event.end_mark.index))
    except yaml.YAMLError as error:
        # After the first line, where PyYAML tells that it reads from a file.
        return events, str(error).replace("<file>", "<byte string>")
    finally:
        parser.dispose()
    return events, ""


@pytest.mark.parametrize("row", recorded.load("yaml-decode.json"), ids=lambda row: repr(row["text"])[:40])
def test_texts_are_read_alike(row):
    data = row["text"].encode() or b"\n"
    assert read(yamlinput.Pieces(data)) == read(data)


def test_a_text_of_many_pieces_is_read_alike():
    data = b"".join(b"key-%d: [%s, 'a\xc3\xa9', {b: c}]\n" % (n, b"x" * (n % 700)) for n in range(1000))
    assert len(data) > offload.LARGE_BYTES
    assert isinstance(yamlinput.source_of(data), yamlinput.Pieces)
    assert read(yamlinput.source_of(data)) == read(data)


def test_a_scalar_of_megabytes_is_read_whole():
    data = b"a: '" + b"x" * 2_000_000 + b"'\n"
    events, error = read(yamlinput.source_of(data))
    assert error == ""
    assert "x" * 2_000_000 in events[4][0]
