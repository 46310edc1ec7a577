"""DenyServiceExternalIPs: nobody gives a service addresses from outside the cluster any more (CVE-2020-8554).

Source: plugin/pkg/admission/network/denyserviceexternalips/admission.go.
"""

from __future__ import annotations

from typing import Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes, shown_name
from quarterdeck.apimachinery import errors

_DENIED: Final = "Use of external IPs is denied by admission control"


class DenyServiceExternalIPs:
    """Of services alone. Addresses that a service has already it may keep."""

    def validate(self, attributes: Attributes) -> None:
        obj = attributes.obj
        if attributes.subresource or obj is None or attributes.operation not in (CREATE, UPDATE):
            return
        known = set(attributes.old["spec"].get("externalIPs") or ()) if attributes.old is not None else set()
        if not known.issuperset(obj["spec"].get("externalIPs") or ()):
            raise errors.Forbidden.of("", "services", shown_name(attributes), _DENIED)
