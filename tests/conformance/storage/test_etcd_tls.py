"""etcd over TLS: it is known by its authority and its address, and knows its clients by theirs."""

from __future__ import annotations

import ipaddress
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from cryptography import x509

from quarterdeck.storage.etcd3 import messages
from quarterdeck.storage.etcd3.client import Client, EtcdError
from quarterdeck.storage.etcd3.settings import Settings
from quarterdeck.storage.etcd3.store import EtcdStorage
from support import etcd
from support.certificates import CLIENT, SERVER, Certificate

KEY = "/registry/pods/ns/foo"


def _authority(name: str, folder: Path) -> tuple[Certificate, Path]:
    made = Certificate(name, is_authority=True, key_cert_sign=True)
    return made, made.write(folder)[0]


@pytest.fixture(scope="module")
def secured(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Settings]:
    """What a client of a running etcd needs."""
    folder = tmp_path_factory.mktemp("certificates")
    authority, file = _authority("authority", folder)
    address = x509.IPAddress(ipaddress.ip_address("127.0.0.1"))
    # etcd's own gateway is one of its clients
    member = Certificate("member", issuer=authority, usages=(SERVER, CLIENT), names=(address,)).write(folder)
    certificate, key = Certificate("client", issuer=authority, usages=(CLIENT,)).write(folder)
    with etcd.cluster(certificates=etcd.Certificates(file, *member)) as cluster:
        yield Settings(cluster.urls, compaction_interval_s=0, authority_file=file, cert_file=certificate, key_file=key)


async def test_it_is_served(secured: Settings) -> None:
    store = await EtcdStorage.open(secured)
    revision = await store.create(KEY, b"1" * 1_000_000)
    found = await store.get(KEY)
    await store.close()
    assert found is not None
    assert (found.revision, found.value) == (revision, b"1" * 1_000_000)


@pytest.mark.parametrize("missing", ["authority", "client certificate", "client's authority", "address"])
async def test_who_is_not_trusted_is_not_there(secured: Settings, missing: str, tmp_path: Path) -> None:
    other, other_file = _authority("other", tmp_path)
    if missing == "authority":
        settings = replace(secured, authority_file=other_file)
    elif missing == "client certificate":
        settings = replace(secured, cert_file=None, key_file=None)
    elif missing == "client's authority":
        certificate, key = Certificate("stranger", issuer=other, usages=(CLIENT,)).write(tmp_path)
        settings = replace(secured, cert_file=certificate, key_file=key)
    else:
        settings = replace(secured, servers=tuple(url.replace("127.0.0.1", "localhost") for url in secured.servers))
    client = Client(settings)
    with pytest.raises(EtcdError) as raised:
        await client.range(messages.encode_range(KEY.encode()), 0.5)
    await client.close()
    assert raised.value.code == "UNAVAILABLE"
