"""Cluster addresses and the families that they are of: those of which the server has a range, the primary one first.

Source: pkg/registry/core/service/storage/alloc.go (initIPFamilyFields), pkg/apis/core/validation/validation.go
(ValidateServiceClusterIPsRelatedFields, validateUpgradeDowngrade…).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from quarterdeck.apimachinery import addresses, field
from quarterdeck.apimachinery.field import FieldError
from quarterdeck.registry.builtin.core.service.allocation import HEADLESS
from quarterdeck.registry.builtin.core.service.fields import EXTERNAL_NAME, Spec, is_headless, is_same, show
from quarterdeck.registry.builtin.core.service.ranges import FAMILIES, family_of
from quarterdeck.registry.strategy import Object

_SINGLE: Final = "SingleStack"
_PREFER_DUAL: Final = "PreferDualStack"
_DUAL: Final = "RequireDualStack"
_POLICIES: Final = (_PREFER_DUAL, _DUAL, _SINGLE)
_IPS: Final = "spec.clusterIPs"
_FAMILY_LIST: Final = "spec.ipFamilies"
_POLICY: Final = "spec.ipFamilyPolicy"
_SET_ONCE: Final = "may not change once set"


def choose_families(spec: Spec, old: Spec | None, served: Sequence[str]) -> list[FieldError]:
    """Sets ipFamilyPolicy and ipFamilies where the client did not. What cannot be chosen is answered. `served`: the
    families of the server's own ranges."""
    if spec["type"] == EXTERNAL_NAME or (old is not None and _prefers_dual_as_before(spec, old)):
        return []
    is_open = spec.get("clusterIP") == HEADLESS and not spec.get("selector")
    if spec.get("ipFamilyPolicy") is None:
        known = (old or {}).get("ipFamilyPolicy")
        spec["ipFamilyPolicy"] = known or (_DUAL if is_open else _SINGLE)
    problems = check_addresses(spec, old) or _settle_counts(spec, old) + _infer_families(spec, served)
    if problems:
        return problems
    families = spec.get("ipFamilies") or []
    if is_open:
        spec["ipFamilies"] = _complete(families or [served[0]], spec["ipFamilyPolicy"])
        return []
    if spec["ipFamilyPolicy"] == _DUAL and len(served) == 1:
        problems.append(field.invalid(_POLICY, _DUAL, "this cluster is not configured for dual-stack services"))
    problems += [
        field.invalid(field.index(_FAMILY_LIST, position), family, "not configured on this cluster")
        for position, family in enumerate(families)
        if family not in served
    ]
    if not problems:
        families = families or [served[0]]
        spec["ipFamilies"] = families if len(served) == 1 else _complete(families, spec["ipFamilyPolicy"])
    return problems


def _complete(families: list[str], policy: str) -> list[str]:
    """With the other family, unless one is asked for."""
    if len(families) > 1 or policy == _SINGLE:
        return families
    return [*families, FAMILIES[1 - FAMILIES.index(families[0])]]


def complete_stored(obj: Object, families: Sequence[str]) -> None:
    """A service that was stored by a server that did not know families. `families`: the server's own."""
    spec = obj["spec"]
    show(spec)
    if spec["type"] == EXTERNAL_NAME or spec.get("ipFamilies"):
        return
    if spec.get("clusterIP") == HEADLESS:
        policy = _SINGLE if spec.get("selector") else _DUAL
        found = _complete([families[0]], policy)
    else:
        found = [family_of(address) for address in spec.get("clusterIPs") or []]
        policy = _SINGLE if len(found) == 1 else _DUAL
    if found:
        spec["ipFamilies"], spec["ipFamilyPolicy"] = found, policy


def _prefers_dual_as_before(spec: Spec, old: Spec) -> bool:
    """Such a service is neither upgraded nor downgraded when the cluster's families change."""
    return (
        old["type"] == spec["type"]
        and spec.get("ipFamilyPolicy") == _PREFER_DUAL
        and old.get("ipFamilyPolicy") in (None, _PREFER_DUAL)
        and is_same(spec, old, "clusterIPs")
        and is_same(spec, old, "ipFamilies")
    )


def _settle_counts(spec: Spec, old: Spec | None) -> list[FieldError]:
    """How many addresses and families the policy allows."""
    problems: list[FieldError] = []
    is_single = spec["ipFamilyPolicy"] == _SINGLE
    for name, noun in (("clusterIPs", "cluster IP"), ("ipFamilies", "IP family")):
        given = spec.get(name) or []
        if old is not None:
            known = old.get(name) or []
            if is_single and given == known and len(given) > 1:
                given = spec[name] = given[:1]
            elif not is_single and given and len(given) < len(known):
                text = f"must be 'SingleStack' to release the secondary {noun}"
                problems.append(field.invalid(_POLICY, spec["ipFamilyPolicy"], text))
        if is_single and len(given) == 2:
            nouns = {"cluster IP": "cluster IPs", "IP family": "IP families"}[noun]
            text = f"must be 'RequireDualStack' or 'PreferDualStack' when multiple {nouns} are specified"
            problems.append(field.invalid(_POLICY, _SINGLE, text))
    return problems


def _infer_families(spec: Spec, served: Sequence[str]) -> list[FieldError]:
    """From the addresses that are given."""
    problems: list[FieldError] = []
    given = spec.get("clusterIPs") or []
    families = list(spec.get("ipFamilies") or [])
    for position, address in enumerate(given):
        if address == HEADLESS:
            break
        if position < len(families):
            continue
        family = family_of(address)
        if family in served:
            families.append(family)
        else:
            text = f"{family} is not configured on this cluster"
            problems.append(field.invalid(field.index(_IPS, position), given, text))
    if families:
        spec["ipFamilies"] = families
    return problems


def check_addresses(spec: Spec, old: Spec | None) -> list[FieldError]:
    """clusterIP, clusterIPs, ipFamilies and ipFamilyPolicy among themselves."""
    if spec["type"] == EXTERNAL_NAME:
        return []
    given = spec.get("clusterIPs") or []
    problems = _check_singular(spec, given)
    seen: set[str] = set()
    for position, family in enumerate(spec.get("ipFamilies") or []):
        path = field.index(_FAMILY_LIST, position)
        if family not in FAMILIES:
            problems.append(field.not_among(path, family, list(FAMILIES)))
        if family in seen:
            problems.append(field.duplicate(path, field.named(family)))
        seen.add(family)
    policy = spec.get("ipFamilyPolicy")
    if policy is not None and policy not in _POLICIES:
        problems.append(field.not_among(_POLICY, policy, list(_POLICIES)))
    misplaced = _check_each(given, (old or {}).get("clusterIPs") or [])
    problems += misplaced
    if len(given) > 2:
        problems.append(field.invalid(_IPS, given, "may only hold up to 2 values"))
    if misplaced:
        return problems
    families = [family_of(address) for address in given]
    if len(given) > 1 and set(families) != set(FAMILIES):
        problems.append(field.invalid(_IPS, given, "may specify no more than one IP for each IP family"))
    if not is_headless(spec):
        for position, (address, wanted) in enumerate(zip(given, spec.get("ipFamilies") or [], strict=False)):
            if wanted in FAMILIES and families[position] != wanted:
                text = f"expected an {wanted} value as indicated by `ipFamilies[{position}]`"
                problems.append(field.invalid(field.index(_IPS, position), address, text))
    return problems


def _check_singular(spec: Spec, given: list[str]) -> list[FieldError]:
    singular = spec.get("clusterIP")
    if singular and not given:
        return [field.required(_IPS)]
    if singular and given[0] != singular:
        return [field.invalid(_IPS, given, "first value must match `clusterIP`")]
    if not singular and given:
        return [field.invalid(_IPS, given, "must be empty when `clusterIP` is not specified")]
    return []


def _check_each(given: list[str], known: list[str]) -> list[FieldError]:
    problems: list[FieldError] = []
    for position, address in enumerate(given):
        if position == 0 and address == HEADLESS:
            if len(given) > 1:
                problems.append(field.invalid(_IPS, given, "'None' must be the first and only value"))
        elif address not in known:
            problems += addresses.validate_ip(address, field.index(_IPS, position))
    return problems


def check_addresses_kept(new: Spec, old: Spec) -> list[FieldError]:
    """The first address and the first family stay; the second may come and go."""
    if EXTERNAL_NAME in (new["type"], old["type"]):
        return []
    problems: list[FieldError] = []
    if not (is_headless(old) and is_headless(new)):
        problems += _check_list_kept(new, old, "clusterIPs", "clusterIP")
    if not is_headless(old) and not is_headless(new):
        problems += _check_list_kept(new, old, "ipFamilies", "ipFamily")
    return problems


def _check_list_kept(new: Spec, old: Spec, name: str, singular: str) -> list[FieldError]:
    given, known = new.get(name) or [], old.get(name) or []
    path, first = f"spec.{name}", f"spec.{name}[0]"
    if len(given) == len(known):
        # Upstream counts the addresses alone.
        return [
            field.invalid(field.index(path, position if name == "clusterIPs" else 0), given, _SET_ONCE)
            for position, (one, other) in enumerate(zip(given, known, strict=True))
            if one != other
        ]
    addresses_given = new.get("clusterIPs") or []  # what upstream shows and looks at, whichever list it is
    problems: list[FieldError] = []
    if len(given) < len(known) and not addresses_given:
        problems.append(field.invalid(first, given, f"primary {singular} can not be unset"))
    if given and known and given[0] != known[0]:
        problems.append(field.invalid(first, addresses_given, _SET_ONCE))
    if len(given) == 1 and len(known) > 1 and new.get("ipFamilyPolicy") != _SINGLE:
        text = f"must be set to 'SingleStack' when releasing the secondary {singular}"
        problems.append(field.invalid(_POLICY, new.get("ipFamilyPolicy"), text))
    return problems
