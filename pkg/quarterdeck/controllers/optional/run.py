"""Which optional controllers there are, by kube-controller-manager's names. One line a controller.

Each is imported where it is wanted: a server without them starts without them.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from typing import Final, cast

from quarterdeck.controllers import names
from quarterdeck.controllers.optional.context import ControllerContext, OptionalController

_PLACES: Final = {
    names.AGGREGATION: "rbac.aggregation.AggregationController",
    names.APPROVING: "optional.csrapproving.CSRApprovingController",
    names.ATTRIBUTES_CLASS_PROTECTION: "optional.volumeprotection.AttributesClassProtection",
    names.BOOTSTRAP_SIGNER: "optional.bootstrapsigner.BootstrapSigner",
    names.CLAIM_PROTECTION: "optional.volumeprotection.ClaimProtection",
    names.ENDPOINT_SLICE: "optional.endpointslices.EndpointSliceController",
    names.POD_GARBAGE_COLLECTOR: "optional.podgc.PodGarbageCollector",
    names.POLICY_STATUS: "optional.admissionpolicystatus.PolicyStatusController",
    names.REQUEST_CLEANER: "optional.csrcleaner.CSRCleaner",
    names.RESOURCE_QUOTA: "optional.quotas.ResourceQuotaController",
    names.ROOT_CA_PUBLISHER: "optional.rootcapublisher.RootCAPublisher",
    names.SERVICE_ACCOUNT: "optional.serviceaccounts.ServiceAccountController",
    names.SERVICE_ACCOUNT_TOKEN: "optional.serviceaccounttokens.ServiceAccountTokensController",
    names.SERVICE_CIDR: "optional.servicecidrs.ServiceCIDRController",
    names.SIGNING: "optional.csrsigning.CSRSigningController",
    names.TOKEN_CLEANER: "optional.tokencleaner.TokenCleaner",
    names.TTL_AFTER_FINISHED: "optional.ttlafterfinished.TTLAfterFinishedController",
    names.VOLUME_PROTECTION: "optional.volumeprotection.VolumeProtection",
}


def build(wanted: Sequence[str], context: ControllerContext) -> tuple[OptionalController, ...]:
    """Those that `wanted`, which is resolved, names."""
    return tuple(_make(place, context) for name, place in _PLACES.items() if names.is_enabled(name, wanted))


def _make(place: str, context: ControllerContext) -> OptionalController:
    module, _, kind = place.rpartition(".")
    made = getattr(import_module(f"quarterdeck.controllers.{module}"), kind)(context)
    return cast("OptionalController", made)
