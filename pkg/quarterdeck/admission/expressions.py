"""What the expressions of webhooks and policies see of a request beside its objects.

Source: apiserver/pkg/admission/plugin/cel/{activation,condition}.go.
"""

from __future__ import annotations

from typing import Any

from quarterdeck.admission.attributes import Attributes
from quarterdeck.admission.matching import Matched
from quarterdeck.admission.webhooks.reviews import describe_request
from quarterdeck.admission.webhooks.versioned import VersionedAttributes
from quarterdeck.cel.lib_authz import Check


def describe(seen: VersionedAttributes, matched: Matched) -> dict[str, Any]:
    """The variable `request`."""
    attributes = seen.attributes
    return {
        # Go writes these whatever they are, and no object is shown.
        "uid": "",
        "object": None,
        "oldObject": None,
        **describe_request(seen, matched),
        "dryRun": attributes.dry_run,
        "options": attributes.options.describe(attributes.operation),
    }


def check_of(attributes: Attributes) -> Check:
    """The check that `authorizer.requestResource` begins with."""
    resource = attributes.resource
    return Check(
        "",
        group=resource.group,
        resource=resource.name,
        subresource=attributes.subresource,
        namespace=attributes.namespace,
        name=attributes.name,
    )
