"""The pace of controllers: what they write to a definition or an APIService a moment after a client's write.

Whether a request came before or after such a write is chance in kube-apiserver's recordings. Here each replay waits
until they have written, so that it always comes after. Nearly all recordings came after as well; of one that came
before, the names that were accepted until then are right, too (`explains`).
"""

from __future__ import annotations

from typing import Any

Object = dict[str, Any]

DEFINITIONS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
_API_SERVICES = "/apis/apiregistration.k8s.io/v1/apiservices"


def written_among(step: Object, code: int) -> str:
    """The path of the resource if controllers react to the object that this step wrote, else ""."""
    path, _, query = step["path"].partition("?")
    if step.get("method", "GET") not in ("POST", "PUT", "PATCH") or "dryRun=All" in query or not 200 <= code < 300:
        return ""
    return next((each for each in (DEFINITIONS, _API_SERVICES) if path.startswith(each)), "")


def is_settled(written: Object) -> bool:
    """Whether controllers have nothing left to write; where names are taken, their judgement is not awaited."""
    conditions = (written.get("status") or {}).get("conditions") or []
    statuses = {each.get("type"): each.get("status") for each in conditions}
    if written.get("kind") == "APIService":
        return "Available" in statuses or "deletionTimestamp" in written["metadata"]
    if "deletionTimestamp" in written["metadata"] or statuses.get("NamesAccepted") == "False":
        return True
    return "Established" in statuses and _accepted(written) == _wanted(written)


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
    return _names_of((definition.get("status") or {}).get("acceptedNames") or {})


def _wanted(definition: Object) -> Object:
    return _names_of(definition["spec"]["names"])


def _names_of(names: Object) -> Object:
    return {member: value for member, value in names.items() if value}
