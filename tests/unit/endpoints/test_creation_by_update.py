"""Who makes an object by an update needs leave to create it."""

from __future__ import annotations

import pytest

from quarterdeck.apimachinery import errors
from quarterdeck.apimachinery.user import User
from quarterdeck.apis.resource import APIResource
from quarterdeck.authorization.authorizer import Attributes, Decision, Rules
from quarterdeck.endpoints.context import RequestContext
from quarterdeck.endpoints.handlers import creation
from quarterdeck.registry.builtin.reviews import Definition, build_scope
from quarterdeck.schema import gotypes
from quarterdeck.transport.messages import ConnectionInfo, Request

RESOURCE = APIResource("", "v1", "configmaps", "configmap", "ConfigMap", "ConfigMapList", namespaced=True, verbs=())
SCOPE = build_scope(Definition(RESOURCE, gotypes.struct_of("v1", "ConfigMap")))


class Refusing:
    def allows(self, user: User, attributes: Attributes) -> bool:
        return False

    def authorize(self, user: User, attributes: Attributes) -> Decision:
        return Decision(False, "")

    def rules_of(self, user: User, namespace: str) -> Rules:
        raise NotImplementedError


def test_the_refusal_has_no_more_headers_than_others_of_a_handler() -> None:
    path = "/api/v1/namespaces/n/configmaps/c"
    request = RequestContext(Request("PUT", path, "", {}, b"", ConnectionInfo("127.0.0.1", is_secure=True)), "id", 0.0)
    request.user = User("alice")
    confirm = creation.confirmation(Refusing(), request, request.info, SCOPE)
    assert confirm is not None
    with pytest.raises(errors.Forbidden, match='User "alice" cannot create resource "configmaps"') as refused:
        confirm()
    assert not refused.value.nosniff
