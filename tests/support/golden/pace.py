"""The pace of a definition's controllers: what they write a moment after a client's write.

kube-apiserver's recordings tell by chance whether a request came before or after such a write. Here each replay waits
until they have written, so that it always comes after. Nearly all recordings came after as well; of one that came
before, the names that were accepted until then are right, too (`explains`).
"""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"


def is_write(step: Object, code: int) -> bool:
    """Whether controllers look at a definition again after this step."""
    path, _, query = step["path"].partition("?")
    is_stored = step.get("method", "GET") in ("POST", "PUT", "PATCH") and "dryRun=All" not in query
    return is_stored and path.startswith(DEFINITIONS) and 200 <= code < 300


def is_settled(definition: Object) -> bool:
    """Whether its controllers have nothing left to write; where names are taken, their judgement is not awaited."""
    conditions = (definition.get("status") or {}).get("conditions") or []
    statuses = {each.get("type"): each.get("status") for each in conditions}
    if "deletionTimestamp" in definition["metadata"] or statuses.get("NamesAccepted") == "False":
        return True
    return "Established" in statuses and _accepted(definition) == _wanted(definition)


def explains(recorded: list[Any], position: int, actual: Any) -> bool:
    """Whether this recorded answer and the actual one show a definition before and after its names were accepted, and
    are equal otherwise: recorded are the names of the answer before, actual those that the definition asks for."""
    expected, before = recorded[position]["body"], _last_definition(recorded[:position])
    if not (before and _is_definition(expected) and _is_definition(actual["body"])):
        return False
    is_pace = _accepted(expected) == _accepted(before) and _accepted(actual["body"]) == _wanted(actual["body"])
    return is_pace and _without_accepted(recorded[position]) == _without_accepted(actual)


def _last_definition(answers: list[Any]) -> Object | None:
    bodies = [answer["body"] for answer in answers if _is_definition(answer["body"])]
    return bodies[-1] if bodies else None


def _is_definition(body: Any) -> bool:
    is_one = isinstance(body, dict) and body.get("kind") == "CustomResourceDefinition"
    return is_one and isinstance(body.get("status"), dict) and isinstance(body.get("spec"), dict)


def _without_accepted(answer: Object) -> Object:
    body = answer["body"]
    status = {name: value for name, value in body["status"].items() if name != "acceptedNames"}
    return {**answer, "body": {**body, "status": status}}


def _accepted(definition: Object) -> Object:
    return _told((definition.get("status") or {}).get("acceptedNames") or {})


def _wanted(definition: Object) -> Object:
    return _told(definition["spec"]["names"])


def _told(names: Object) -> Object:
    return {member: value for member, value in names.items() if value}
