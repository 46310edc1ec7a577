"""The smallest roles that would have allowed what was asked, and nothing else.

What a wider permission allows is left out. Rules that differ in one member alone become one, as long as what is
multiplied out stays the same.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

from quarterdeck.coverage.usage import NAMELESS, Entry, RequestKey

_API: Final = "rbac.authorization.k8s.io"
_ACCOUNT: Final = "system:serviceaccount:"
_NO_NAMES: Final[frozenset[str]] = frozenset()

Names = frozenset[str]  # none: whatever the name
Object = dict[str, Any]
# By namespace ("": of the whole cluster), then by verb, group and resource.
Wanted = dict[str, dict[tuple[str, str, str], Names]]


@dataclass(frozen=True, slots=True)
class Choice:
    """`name` is that of all objects. `subject`: the user that they are bound to, if any. Names and namespaces can be
    left away, for an operator that is to work with others than those of a test."""

    name: str = "coverage"
    subject: str = ""
    has_names: bool = True
    has_namespaces: bool = True


def build(requests: Iterable[tuple[RequestKey, Entry]], choice: Choice) -> list[Object]:
    """ClusterRole and Roles, with their bindings."""
    requests = list(requests)
    wanted = _collect(requests, choice)
    _drop_covered(wanted)
    objects: list[Object] = []
    rules = _merge(wanted.pop("", {})) + _merge_paths(requests)
    if rules:
        objects += _with_binding("ClusterRole", rules, "", choice)
    for namespace, held in sorted(wanted.items()):
        if held:
            objects += _with_binding("Role", _merge(held), namespace, choice)
    return objects


def _collect(requests: Iterable[tuple[RequestKey, Entry]], choice: Choice) -> Wanted:
    wanted: Wanted = {}
    for asked, entry in requests:
        if asked.path:
            continue
        # A role in a namespace is gone with it: who deletes namespaces has theirs from the cluster's.
        is_namespace = not asked.group and asked.resource.partition("/")[0] == "namespaces"
        namespace = asked.namespace if choice.has_namespaces and not is_namespace else ""
        names = frozenset(entry.names) if choice.has_names and NAMELESS not in entry.names else _NO_NAMES
        held = wanted.setdefault(namespace, {})
        key = (asked.verb, asked.group, asked.resource)
        before = held.get(key)
        held[key] = names if before is None else before | names if before and names else _NO_NAMES
    return wanted


def _drop_covered(wanted: Wanted) -> None:
    """What the whole cluster's role allows need not be allowed in a namespace."""
    everywhere = wanted.get("", {})
    for namespace, held in wanted.items():
        if not namespace:
            continue
        for key, names in list(held.items()):
            wider = everywhere.get(key)
            if wider is None:
                continue
            if not wider or (names and names <= wider):
                del held[key]
            elif names:
                held[key] = names - wider


def _merge(held: dict[tuple[str, str, str], Names]) -> list[Object]:
    verbs: dict[tuple[str, str, Names], set[str]] = {}
    for (verb, group, resource), names in held.items():
        verbs.setdefault((group, resource, names), set()).add(verb)
    resources: dict[tuple[str, frozenset[str], Names], set[str]] = {}
    for (group, resource, names), allowed in verbs.items():
        resources.setdefault((group, frozenset(allowed), names), set()).add(resource)
    groups: dict[tuple[frozenset[str], frozenset[str], Names], set[str]] = {}
    for (group, verbs_of, names), named in resources.items():
        groups.setdefault((frozenset(named), verbs_of, names), set()).add(group)
    rules = []
    for (named_of, verbs_of, names), groups_of in groups.items():
        rule: Object = {"apiGroups": sorted(groups_of), "resources": sorted(named_of), "verbs": sorted(verbs_of)}
        rules.append(rule | ({"resourceNames": sorted(names)} if names else {}))
    members = ("apiGroups", "resources", "verbs", "resourceNames")
    return sorted(rules, key=lambda rule: [rule.get(member, []) for member in members])


def _merge_paths(requests: Iterable[tuple[RequestKey, Entry]]) -> list[Object]:
    verbs: dict[str, set[str]] = {}
    for asked, _ in requests:
        if asked.path:
            verbs.setdefault(asked.path, set()).add(asked.verb)
    paths: dict[frozenset[str], list[str]] = {}
    for path, allowed in verbs.items():
        paths.setdefault(frozenset(allowed), []).append(path)
    rules = [{"nonResourceURLs": sorted(named), "verbs": sorted(allowed)} for allowed, named in paths.items()]
    return sorted(rules, key=lambda rule: rule["nonResourceURLs"])


def _with_binding(kind: str, rules: list[Object], namespace: str, choice: Choice) -> list[Object]:
    metadata = {"name": choice.name, "namespace": namespace} if namespace else {"name": choice.name}
    role = {"apiVersion": f"{_API}/v1", "kind": kind, "metadata": metadata, "rules": rules}
    if not choice.subject:
        return [role]
    binding = {
        "apiVersion": f"{_API}/v1",
        "kind": f"{kind}Binding",
        "metadata": metadata,
        "subjects": [_subject(choice.subject)],
        "roleRef": {"apiGroup": _API, "kind": kind, "name": choice.name},
    }
    return [role, binding]


def _subject(user: str) -> Object:
    namespace, _, name = user.removeprefix(_ACCOUNT).partition(":")
    if user.startswith(_ACCOUNT) and name:
        return {"kind": "ServiceAccount", "namespace": namespace, "name": name}
    return {"apiGroup": _API, "kind": "User", "name": user}
