"""A user's kubeconfig that is none stays as it is."""

from __future__ import annotations

from pathlib import Path

import pytest

from quarterdeck.cmd.local import contexts
from quarterdeck.cmd.local.clusters import Cluster, ClusterError


@pytest.mark.parametrize("text", ["[]", "a", "{contexts: {a: b}}", "{users: [a]}", "{clusters: 1}", "{", "\x00"])
def test_what_is_no_kubeconfig_is_refused(tmp_path: Path, text: str) -> None:
    path = tmp_path / "config"
    path.write_text(text)
    with pytest.raises(ClusterError):
        contexts.remove(Cluster("mine"), path)
    assert path.read_text() == text
    assert list(tmp_path.iterdir()) == [path]
