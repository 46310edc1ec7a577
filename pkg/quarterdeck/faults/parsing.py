"""Rules of JSON or YAML. Each has one action; docs/testing-faults.md has them all."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Final

from quarterdeck.apimachinery.codec import json, yaml
from quarterdeck.faults import actions
from quarterdeck.faults.actions import Action, Ending, Moment
from quarterdeck.faults.reading import BadRule, Members
from quarterdeck.faults.rule import NAME_CHARS_MAX, Match, Rule, Schedule

_LONG_S: Final = 3600.0
_CENTURY_S: Final = 36525 * 86400.0
_MANY: Final = 1_000_000
_REVISION_MAX: Final = (1 << 63) - 1
_OF_CALLS: Final = ("verbs", "groups", "resources", "namespaces", "names", "users", "userAgents", "nonResourceURLs")
_COUNTS: Final = ("matched", "fired")


def parse_rule(value: object, path: str, name: Callable[[], str]) -> Rule:
    """`name` gives one where the rule has none. Raises BadRule."""
    members = Members(value, path)
    own_name = members.text("name") or name()
    if len(own_name) > NAME_CHARS_MAX or "/" in own_name:
        raise BadRule(f"{path}.name: must have at most {NAME_CHARS_MAX} characters and no slash")
    written = dict(value) if isinstance(value, Mapping) else {}
    for known in ("name", *_COUNTS):
        written.pop(known, None)
    for known in _COUNTS:
        members.whole(known, 0, 0, _REVISION_MAX)  # of a rule that was read from a server
    match = _parse_match(members.members("match"))
    schedule = _parse_schedule(members)
    found = [each for each in members.names() if each in _ACTIONS]
    if len(found) != 1:
        raise BadRule(f"{path}: must have exactly one of {', '.join(_ACTIONS)}")
    action_members = members.members(found[0])
    action = _ACTIONS[found[0]](action_members)
    action_members.end()
    members.end()
    _check(match, action, path)
    return Rule(own_name, match, schedule, action, written)


def parse_rules(value: object, name: Callable[[], str]) -> list[Rule]:
    """Of `{"rules": […]}`, or of one rule. Raises BadRule."""
    if not isinstance(value, Mapping) or "rules" not in value:
        return [parse_rule(value, "rule", name)]
    rules = value["rules"]
    if len(value) != 1 or not isinstance(rules, list):
        raise BadRule("rules: must be a list, and nothing beside it")
    return [parse_rule(each, f"rules[{position}]", name) for position, each in enumerate(rules)]


def decode(data: bytes) -> object:
    """JSON or YAML. Raises BadRule."""
    try:
        if data.lstrip()[:1] in (b"{", b"["):
            return json.decode(data).value
        return yaml.decode(data).value
    except (json.DecodeError, yaml.DecodeError) as error:
        raise BadRule(f"neither JSON nor YAML: {error}") from error


def load(path: Path, name: Callable[[], str]) -> list[Rule]:
    """Raises BadRule."""
    try:
        return parse_rules(decode(path.read_bytes()), name)
    except OSError as error:
        raise BadRule(f"cannot read {path}: {error.strerror}") from error
    except BadRule as error:
        raise BadRule(f"{path}: {error}") from error


def _check(match: Match, action: Action, path: str) -> None:
    if isinstance(action, actions.WebhookTimeout):
        if any(match[: len(_OF_CALLS)]):
            raise BadRule(f"{path}.match: calls of webhooks are matched by webhooks alone")
    elif match.webhooks:
        raise BadRule(f"{path}.match.webhooks: only with webhookTimeout")


def _parse_match(members: Members) -> Match:
    match = Match(*(members.texts(each) for each in (*_OF_CALLS, "webhooks")))
    members.end()
    return match


def _parse_schedule(members: Members) -> Schedule:
    return Schedule(
        members.whole("after", 0, 0, _MANY),
        members.whole("every", 1, 1, _MANY),
        members.whole("times", 0, 0, _MANY),
        members.number("probability", 1.0, 0.0, 1.0),
        members.whole("seed", 0, 0, _REVISION_MAX),
    )


def _parse_error(members: Members) -> Action:
    code = members.whole("code", 500, 400, 599)
    if code not in actions.CODES:
        raise BadRule(f"error.code: must be one of {', '.join(map(str, actions.CODES))}")
    return actions.Error(
        code,
        members.choice("when", Moment.BEFORE, (Moment.BEFORE, Moment.AFTER)),
        members.text("message"),
        members.whole("retryAfterSeconds", 0, 0, _MANY),
    )


def _parse_delay(members: Members) -> Action:
    seconds = members.number("seconds", 1.0, 0.0, _LONG_S)
    return actions.Delay(seconds, members.choice("when", Moment.BEFORE, (Moment.BEFORE, Moment.AFTER)))


def _parse_watch(members: Members) -> Action:
    is_ended = "events" in members.names() or "end" in members.names()
    events = members.whole("events", 0, 0, _MANY)
    return actions.Watch(
        events if is_ended else None,
        members.choice("end", Ending.CUT, tuple(Ending)),
        members.number("lateSeconds", 0.0, 0.0, _LONG_S),
        members.flag("bookmarks", default=True),
    )


def _parse_stale(members: Members) -> Action:
    revision = members.whole("revision", 0, 0, _REVISION_MAX)
    return actions.Stale(revision, members.whole("revisionsBehind", 0, 0, _MANY))


def _parse_clock_step(members: Members) -> Action:
    seconds = members.number("seconds", 0.0, -_CENTURY_S, _CENTURY_S)
    if not seconds:
        raise BadRule("clockStep.seconds: must be given, and not be 0")
    return actions.ClockStep(seconds)


_ACTIONS: Final[dict[str, Callable[[Members], Action]]] = {
    "conflict": lambda _: actions.Conflict(),
    "tooManyRequests": lambda members: actions.TooManyRequests(members.whole("retryAfterSeconds", 1, 0, _MANY)),
    "error": _parse_error,
    "delay": _parse_delay,
    "drop": lambda members: actions.Drop(members.choice("when", Moment.BEFORE, tuple(Moment))),
    "watch": _parse_watch,
    "stale": _parse_stale,
    "clockStep": _parse_clock_step,
    "webhookTimeout": lambda _: actions.WebhookTimeout(),
}
