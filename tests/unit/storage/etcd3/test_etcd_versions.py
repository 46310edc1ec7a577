"""Which versions of etcd a server warns of."""

from __future__ import annotations

import pytest

from quarterdeck.storage.etcd3.versions import find_fault


@pytest.mark.parametrize("version", ["3.5.0", "3.5.1", "3.5.2"])
def test_a_version_that_loses_writes_is_warned_of(version: str) -> None:
    fault = find_fault(version)
    assert fault is not None
    assert fault.startswith(f"etcd {version} can lose acknowledged writes")


@pytest.mark.parametrize("version", ["", "3.4.23", "3.5.3", "3.5.10", "3.5.21", "3.6.0"])
def test_others_are_not(version: str) -> None:
    assert find_fault(version) is None
