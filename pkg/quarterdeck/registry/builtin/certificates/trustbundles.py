"""Trust anchors that a signer publishes, or anybody.

Source: pkg/registry/certificates/clustertrustbundle/strategy.go, pkg/apis/certificates/validation/validation.go
(ValidateClusterTrustBundle), pkg/apis/core/validation/names.go.
"""

from __future__ import annotations

from functools import partial
from typing import Final

from quarterdeck.apimachinery import field, names, pem
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin import checks
from quarterdeck.registry.builtin.certificates.validation import check_signer_name
from quarterdeck.registry.builtin.strategy import BuiltinStrategy
from quarterdeck.registry.strategy import Object
from quarterdeck.schema import objectmeta

BUNDLE_BYTES_MAX: Final = 1024 * 1024
_BUNDLE: Final = "spec.trustBundle"
_OMITTED: Final = "<value omitted>"


def select_bundle_fields(obj: Object) -> dict[str, str]:
    return {"spec.signerName": _signer_of(obj)}


class TrustBundleStrategy(BuiltinStrategy):
    allow_unconditional_update = False

    def validate(self, obj: Object, warnings: list[str]) -> list[FieldError]:
        return self._validate(obj) + _validate_bundle(obj["spec"].get("trustBundle") or "")

    def validate_update(self, new: Object, old: Object, warnings: list[str]) -> list[FieldError]:
        """A bundle that stays as it is is not read."""
        bundle = new["spec"].get("trustBundle") or ""
        problems = objectmeta.validate_common_fields(new["metadata"], old["metadata"], False) + self._validate(new)
        if bundle != (old["spec"].get("trustBundle") or ""):
            problems += _validate_bundle(bundle)
        problems += self._validate_changed_metadata(new, old)
        if (signer := _signer_of(new)) != _signer_of(old):
            problems.append(field.invalid("spec.signerName", signer, checks.IMMUTABLE))
        return problems

    def _validate(self, obj: Object) -> list[FieldError]:
        metadata, signer = obj["metadata"], _signer_of(obj)
        problems = objectmeta.validate_object_meta(metadata, False, "metadata", partial(_validate_name, signer))
        problems += self._validate_finalizers(metadata)
        return problems + (check_signer_name("spec.signerName", signer) if signer else [])


def _signer_of(obj: Object) -> str:
    found: str = obj["spec"].get("signerName") or ""
    return found


def _validate_name(signer: str, value: str, is_prefix: bool = False) -> list[str]:
    if not signer:
        if ":" in value:
            return ['ClusterTrustBundle without signer name must not have ":" in its name']
        return names.name_is_dns1123_subdomain(value, is_prefix)
    prefix = signer.replace("/", ":") + ":"
    if not value.startswith(prefix):
        return [f"ClusterTrustBundle for signerName {signer} must be named with prefix {prefix}"]
    return names.name_is_dns1123_subdomain(value.removeprefix(prefix), is_prefix)


def _validate_bundle(text: str) -> list[FieldError]:
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > BUNDLE_BYTES_MAX:
        return [field.too_long(_BUNDLE, BUNDLE_BYTES_MAX)]
    problems: list[FieldError] = []
    places: dict[bytes, list[int]] = {}
    for position, block in enumerate(pem.blocks(data)):
        if fault := _find_fault(block):
            problems.append(field.invalid(_BUNDLE, _OMITTED, f"entry {position} {fault}"))
        else:
            places.setdefault(block.content, []).append(position)
    if problems:
        return problems
    if not places:
        return [field.invalid(_BUNDLE, _OMITTED, "at least one trust anchor must be provided")]
    repeated = (" ".join(map(str, found)) for found in places.values() if len(found) > 1)
    return [field.invalid(_BUNDLE, _OMITTED, f"duplicate trust anchor (indices [{each}])") for each in repeated]


def _find_fault(block: pem.Block) -> str:
    """Why it is no trust anchor; "" where it is one."""
    from cryptography import x509  # takes long to import

    if block.kind != "CERTIFICATE":
        return f"has bad block type: {block.kind}"
    if block.has_headers:
        return "has PEM block headers"
    try:
        found = x509.load_der_x509_certificate(block.content).extensions
        is_authority = found.get_extension_for_class(x509.BasicConstraints).value.ca
    except x509.ExtensionNotFound:
        is_authority = False
    except (ValueError, x509.DuplicateExtension, x509.InvalidVersion, x509.UnsupportedGeneralNameType):
        # Differs from upstream: names of kinds that this parser does not know are not passed over.
        return "does not parse as X.509"
    return "" if is_authority else "does not have the CA bit set"
