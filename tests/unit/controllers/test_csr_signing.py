"""Approved requests of Kubernetes' own signers get certificates; those that have served their time go."""

from __future__ import annotations

import base64
import datetime
from typing import Any

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.time import format_rfc3339
from quarterdeck.apimachinery.user import User
from quarterdeck.authorization.authorizer import Attributes
from quarterdeck.controllers import names
from quarterdeck.controllers.optional import csrcleaner
from quarterdeck.controllers.optional.issuing import Authority
from quarterdeck.registry.strategy import Object
from support.control import World

KEY = ec.generate_private_key(ec.SECP256R1())
CLIENT = "kubernetes.io/kube-apiserver-client"


def build_authority(world: World) -> Authority:
    name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ca")])
    begin = datetime.datetime.fromtimestamp(world.clock.wall_s(), datetime.UTC)
    builder = x509.CertificateBuilder().subject_name(name).issuer_name(name).public_key(KEY.public_key())
    builder = builder.serial_number(1).not_valid_before(begin).not_valid_after(begin + datetime.timedelta(days=900))
    return Authority(builder.sign(KEY, hashes.SHA256()), KEY)


async def start(controller: str) -> World:
    world = World(None, controller)
    authority = build_authority(world)
    world.load_authority = lambda: authority  # type: ignore[method-assign]
    await world.start()
    world.controllers.take_up_when_ready()
    await world.settle()
    return world


async def ask(world: World, name: str, signer: str = CLIENT, usages: tuple[str, ...] = ("client auth",)) -> None:
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "ann")])
    request = x509.CertificateSigningRequestBuilder().subject_name(subject).sign(KEY, hashes.SHA256())
    pem = base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()
    obj: dict[str, Any] = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name, "creationTimestamp": format_rfc3339(world.clock.wall_s())},
        "spec": {"request": pem, "signerName": signer, "usages": list(usages)},
    }
    await world.create(world.builtin["certificates.k8s.io", "v1", "certificatesigningrequests"][""], obj)


async def decide(world: World, name: str, kind: str) -> None:
    def change(obj: Object) -> None:
        now = format_rfc3339(world.clock.wall_s())
        condition = {"type": kind, "status": "True", "reason": "r", "lastUpdateTime": now, "lastTransitionTime": now}
        obj["status"] = {**(obj.get("status") or {}), "conditions": [condition]}

    approval = world.builtin["certificates.k8s.io", "v1", "certificatesigningrequests"]["approval"]
    await world.change(approval, "", name, change)
    await world.settle()


def status(world: World, name: str) -> dict[str, Any]:
    scope = world.builtin["certificates.k8s.io", "v1", "certificatesigningrequests"][""]
    entry = scope.store.cache.get("", name)
    assert entry is not None
    found: dict[str, Any] = json_codec.load(entry.data).get("status") or {}
    return found


async def test_an_approved_request_gets_its_certificate() -> None:
    world = await start(names.SIGNING)
    await ask(world, "good")
    await world.settle()
    assert "certificate" not in status(world, "good")
    await decide(world, "good", "Approved")
    found = x509.load_pem_x509_certificate(base64.b64decode(status(world, "good")["certificate"]))
    found.verify_directly_issued_by(world.load_authority().certificate)
    assert found.subject.rfc4514_string() == "CN=ann"


async def test_a_request_that_its_signer_does_not_take_fails() -> None:
    world = await start(names.SIGNING)
    await ask(world, "bad", usages=("server auth",))
    await decide(world, "bad", "Approved")
    found = status(world, "bad")
    assert "certificate" not in found
    assert [(each["type"], each.get("message", "")) for each in found["conditions"]] == [
        ("Approved", ""),
        ("Failed", "invalid usage for client certificate: server auth"),
    ]


@pytest.mark.parametrize(("signer", "decision"), [("example.com/other", "Approved"), (CLIENT, "Denied")])
async def test_others_are_left_alone(signer: str, decision: str) -> None:
    world = await start(names.SIGNING)
    await ask(world, "one", signer)
    await decide(world, "one", decision)
    assert "certificate" not in status(world, "one")
    assert len(status(world, "one")["conditions"]) == 1


NODE = "system:node:n1"
KUBELET = "kubernetes.io/kube-apiserver-client-kubelet"
USAGES = ("client auth", "digital signature")


async def ask_as(world: World, name: str, username: str, **more: Any) -> None:
    """For the certificate of a node, by whoever that is."""
    subject = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, "system:nodes")]
    subject.append(x509.NameAttribute(NameOID.COMMON_NAME, more.get("common_name", NODE)))
    request = x509.CertificateSigningRequestBuilder().subject_name(x509.Name(subject)).sign(KEY, hashes.SHA256())
    pem = base64.b64encode(request.public_bytes(serialization.Encoding.PEM)).decode()
    spec = {"request": pem, "signerName": more.get("signer", KUBELET), "usages": more.get("usages", USAGES)}
    spec |= {"username": username, "groups": ["system:nodes"], "extra": {"k": ["v"]}, "usages": list(spec["usages"])}
    obj = {
        "apiVersion": "certificates.k8s.io/v1",
        "kind": "CertificateSigningRequest",
        "metadata": {"name": name},
        "spec": spec,
    }
    await world.create(world.builtin["certificates.k8s.io", "v1", "certificatesigningrequests"][""], obj)
    await world.settle()


async def start_approving(rights: set[tuple[str, str]]) -> World:
    """`rights`: who may create which subresource."""
    world = World(None, names.APPROVING)

    def allows(user: User, attributes: Attributes) -> bool:
        assert (attributes.verb, attributes.resource) == ("create", "certificatesigningrequests")
        assert (user.groups, user.extra) == (("system:nodes",), {"k": ("v",)})
        return (user.name, attributes.subresource) in rights

    world.allows = allows  # type: ignore[method-assign]
    await world.start()
    world.controllers.take_up_when_ready()
    return world


async def test_a_node_gets_its_own_certificate_approved_and_others_for_it() -> None:
    world = await start_approving({(NODE, "selfnodeclient"), ("boot", "nodeclient")})
    await ask_as(world, "own", NODE)
    await ask_as(world, "joining", "boot")
    (condition,) = status(world, "own")["conditions"]
    assert (condition["type"], condition["status"], condition["reason"]) == ("Approved", "True", "AutoApproved")
    assert condition["message"] == "Auto approving self kubelet client certificate after SubjectAccessReview."
    (condition,) = status(world, "joining")["conditions"]
    assert condition["message"] == "Auto approving kubelet client certificate after SubjectAccessReview."


async def test_rights_may_come_later() -> None:
    rights: set[tuple[str, str]] = set()
    world = await start_approving(rights)
    await ask_as(world, "own", NODE)
    assert not status(world, "own")
    rights.add((NODE, "selfnodeclient"))
    await world.settle(100)
    assert status(world, "own")["conditions"][0]["type"] == "Approved"


@pytest.mark.parametrize(
    "more",
    [
        {"signer": "example.com/other"},
        {"signer": CLIENT, "usages": ("client auth",)},
        {"usages": ("client auth", "digital signature", "server auth")},
        {"common_name": "somebody"},
    ],
)
async def test_requests_that_are_no_nodes_wait_for_somebody(more: dict[str, Any]) -> None:
    world = await start_approving({(NODE, "selfnodeclient"), (NODE, "nodeclient")})
    await ask_as(world, "one", NODE, **more)
    assert not status(world, "one")


NOW_S = 1_800_000_000.0


def request(**state: Any) -> dict[str, Any]:
    made = format_rfc3339(NOW_S - state.pop("age_s"))
    conditions = [
        {"type": kind, "lastUpdateTime": format_rfc3339(NOW_S - age_s)} for kind, age_s in state.pop("decided", ())
    ]
    return {"metadata": {"creationTimestamp": made}, "status": {"conditions": conditions, **state}}


@pytest.mark.parametrize(
    ("found", "goes"),
    [
        (request(age_s=23 * 3600), False),
        (request(age_s=25 * 3600), True),
        (request(age_s=9 * 3600, decided=[("Denied", 1800)]), False),
        (request(age_s=9 * 3600, decided=[("Denied", 3700)]), True),
        (request(age_s=9 * 3600, decided=[("Approved", 3700), ("Failed", 3700)]), True),
        (request(age_s=99 * 3600, decided=[("Approved", 98 * 3600)]), False),
        (request(age_s=9 * 3600, decided=[("Approved", 3700)], certificate="eA=="), True),
    ],
)
def test_requests_go_after_their_time(found: dict[str, Any], goes: bool) -> None:
    assert csrcleaner.is_done(found, NOW_S) is goes


async def test_the_cleaner_looks_every_hour() -> None:
    world = await start(names.REQUEST_CLEANER)
    await ask(world, "old")
    await world.settle(csrcleaner.PENDING_S + csrcleaner.INTERVAL_S)
    scope = world.builtin["certificates.k8s.io", "v1", "certificatesigningrequests"][""]
    assert scope.store.cache.get("", "old") is None
