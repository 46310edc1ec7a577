"""Who asks for a certificate is who sends the request, whatever the object says.

The last of the mutating plugins: upstream's strategy does it, which knows the user of a request.
Source: pkg/registry/certificates/certificates/strategy.go (PrepareForCreate).
"""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.attributes import CREATE, Attributes

_OF_USER: Final = ("username", "uid", "groups", "extra")


class Requester:
    def admit(self, attributes: Attributes) -> None:
        obj, user = attributes.obj, attributes.user
        if attributes.operation != CREATE or attributes.subresource or obj is None:
            return
        spec = {name: value for name, value in obj["spec"].items() if name not in _OF_USER}
        told = {"username": user.name, "uid": user.uid, "groups": list(user.groups)}
        spec |= {name: value for name, value in told.items() if value}
        if user.extra:
            spec["extra"] = {name: list(values) for name, values in user.extra.items()}
        obj["spec"] = spec
