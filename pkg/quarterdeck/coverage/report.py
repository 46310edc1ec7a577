"""What was noted, beside what there is to be noted of: fields and rules of all that is declared, webhooks that are
configured, whether anybody has come to them or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from quarterdeck.coverage.bindings import Binding
from quarterdeck.coverage.data import CoverageData
from quarterdeck.coverage.fields import FIELDS_MAX, VersionFields
from quarterdeck.coverage.rules import DEFINITION, Count, Owner, RuleLocation, find_rules
from quarterdeck.coverage.webhooks import OUTCOMES, Calls, Webhook

Told = dict[str, Any]
_NEVER = Count()
_NOT_CALLED = Calls()


class Surface(NamedTuple):
    """What there is to be used of a schema."""

    number_of_fields: int
    rules: tuple[RuleLocation, ...]


class Version(NamedTuple):
    """A served version of a definition."""

    definition: str
    version: str
    kind: str
    surface: Surface


def read_schema(schema: Mapping[str, Any]) -> Surface:
    return Surface(VersionFields("", schema, FIELDS_MAX).number, tuple(find_rules(schema)))


@dataclass(slots=True)
class Declared:
    """What the server holds: served versions, rules of policies and webhooks, webhooks, bindings of policies."""

    versions: list[Version] = field(default_factory=list)
    rules: list[tuple[Owner, RuleLocation]] = field(default_factory=list)
    webhooks: list[Webhook] = field(default_factory=list)
    bindings: list[Binding] = field(default_factory=list)


def build(noted: CoverageData, declared: Declared, fields: list[Told], users: str, agents: str) -> Told:
    """`fields` are as described. `users` and `agents` choose whose requests are told; the rest is told of all."""
    told = noted.usage.report(users, agents)
    told["fields"] = fields
    told["rules"] = _rules(noted, declared)
    told["conditions"] = [
        {**subject._asdict(), "status": status, "reason": reason, "count": count}
        for subject, status, reason, count in noted.conditions.all()
    ]
    told["webhooks"] = _webhooks(noted, declared)
    told["bindings"] = _bindings(noted, declared)
    told["notKept"] = {
        "fields": noted.fields.left_out + sum(each.left_out for _, _, each in noted.fields.all()),
        "rules": noted.rules.left_out,
        "conditions": noted.conditions.left_out,
        "webhooks": noted.webhooks.left_out,
        "bindings": noted.bindings.left_out,
    }
    return told


def describe_fields(declared: list[Version], noted: list[tuple[str, str, VersionFields]]) -> list[Told]:
    """The paths of a version that nobody has written to are not told: none of them was set. Takes long where there are
    many; another thread may go on counting."""
    found: dict[tuple[str, str], Told] = {}
    for each in declared:
        named = {"definition": each.definition, "version": each.version, "kind": each.kind}
        found[each[:2]] = {**named, "writes": 0, "set": 0, "of": each.surface.number_of_fields, "paths": {}}
    for definition, version, fields in noted:
        told = found.setdefault(
            (definition, version), {"definition": definition, "version": version, "kind": "", "gone": True}
        )
        paths = dict(fields.counts())
        told |= {"writes": fields.writes, "set": sum(map(bool, paths.values())), "of": len(paths), "paths": paths}
    return [found[key] for key in sorted(found)]


def _rules(noted: CoverageData, declared: Declared) -> list[Told]:
    """Of what is not there any more, what has lost its owner too is told: other rules have been replaced."""
    places, owners = set(declared.rules), {owner for owner, _ in declared.rules}
    for each in declared.versions:
        owner = Owner(DEFINITION, each.definition, each.version)
        owners.add(owner)
        places |= {(owner, place) for place in each.surface.rules}
    counts = noted.rules.used()
    places |= {key for key in counts if key[0] not in owners}
    return [_describe_rule(*key, counts.get(key, _NEVER)) for key in sorted(places)]


def _describe_rule(owner: Owner, place: RuleLocation, count: Count) -> Told:
    told: Told = {"kind": owner.kind, "name": owner.name}
    if owner.version:
        told["version"] = owner.version
    told |= {"path": place.path, "rule": place.text}
    return told | {"evaluated": count.evaluated, "false": count.false, "errors": count.errors}


def _webhooks(noted: CoverageData, declared: Declared) -> list[Told]:
    called = noted.webhooks.used()
    told = []
    for webhook in sorted({*declared.webhooks, *called}):
        calls = called.get(webhook, _NOT_CALLED)
        outcomes = {name: getattr(calls, name) for name in OUTCOMES}
        told.append({**webhook._asdict(), "called": calls.called, **outcomes})
    return told


def _bindings(noted: CoverageData, declared: Declared) -> list[Told]:
    used = noted.bindings.used()
    found = sorted({*declared.bindings, *used})
    return [{**binding._asdict(), "evaluated": used.get(binding, _NEVER).evaluated} for binding in found]
