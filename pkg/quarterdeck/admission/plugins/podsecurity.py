"""PodSecurity: pods have to fit the level that their namespace's labels ask for, or else the settings.

Source: pod-security-admission/admission/admission.go, plugin/pkg/admission/security/podsecurity/admission.go.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from quarterdeck.admission.attributes import CREATE, UPDATE, Attributes, shown_name
from quarterdeck.admission.pluginsettings import DEFAULT, PodSecuritySettings
from quarterdeck.admission.podsecurity import evaluator
from quarterdeck.admission.podsecurity.counts import Counts
from quarterdeck.admission.podsecurity.levels import LEVELS, MODES, PREFIX, LevelVersion, Policy, is_stricter, parse
from quarterdeck.apimachinery import errors, field, gofmt
from quarterdeck.apimachinery.field import FieldError

Object = dict[str, Any]
LabelsOf = Callable[[str], Mapping[str, str] | None]
PodsOf = Callable[[str], list[Object]]  # of a namespace

_IGNORED: Final = frozenset(("exec", "attach", "binding", "eviction", "log", "portforward", "proxy", "status"))
_ENFORCED: Final = "enforce-policy"
_EXEMPT: Final = "exempt"
_PRIVILEGED: Final = str(LevelVersion())
_KINDS: Final = ("containers", "initContainers")
_PODS_CHECKED_MAX: Final = 3000
_TEMPLATES: Final[Mapping[tuple[str, str], tuple[str, ...]]] = {
    ("", "podtemplates"): ("template",),
    ("", "replicationcontrollers"): ("spec", "template"),
    ("apps", "replicasets"): ("spec", "template"),
    ("apps", "deployments"): ("spec", "template"),
    ("apps", "statefulsets"): ("spec", "template"),
    ("apps", "daemonsets"): ("spec", "template"),
    ("batch", "jobs"): ("spec", "template"),
    ("batch", "cronjobs"): ("spec", "jobTemplate", "spec", "template"),
}
RESOURCES: Final = frozenset((*_TEMPLATES, ("", "pods"), ("", "namespaces")))


class PodSecurity:
    """`labels_of` a namespace; None where it is not there."""

    def __init__(
        self,
        labels_of: LabelsOf,
        pods_of: PodsOf,
        counts: Counts,
        settings: PodSecuritySettings = DEFAULT.pod_security,
    ) -> None:
        self._labels_of = labels_of
        self._pods_of = pods_of
        self._counts = counts
        self._settings = settings

    def validate(self, attributes: Attributes) -> None:
        resource, obj = attributes.resource, attributes.obj
        address = (resource.group, resource.name)
        if address not in RESOURCES or attributes.operation not in (CREATE, UPDATE) or obj is None:
            return
        if address == ("", "pods"):
            self._validate_pod(attributes, obj)
        elif attributes.subresource:
            return
        elif address == ("", "namespaces"):
            self._validate_namespace(attributes, obj)
        else:
            self._warn_of_template(attributes, obj, _TEMPLATES[address])

    def _validate_pod(self, attributes: Attributes, pod: Object) -> None:
        if attributes.subresource in _IGNORED or self._is_exempt(attributes):
            return
        labels = self._labels_of(attributes.namespace)
        if labels is None:
            self._counts.failed(attributes, is_fatal=True)
            _annotate(attributes, "error", f"namespace {gofmt.quote(attributes.namespace)} not found")
            raise errors.InternalError.of(f"failed to lookup namespace {gofmt.quote(attributes.namespace)}")
        policy, problems = parse(labels, self._settings.defaults)
        if policy.is_privileged and not problems:
            self._counts.passed(attributes)
            _annotate(attributes, _ENFORCED, _PRIVILEGED)
            return
        if attributes.old is not None and not _is_significant(pod, attributes.old):
            return
        metadata, spec = pod["metadata"], pod["spec"]
        if self._is_exempt_class(attributes, spec):
            return
        _annotate(attributes, _ENFORCED, str(policy.enforce))
        found = evaluator.evaluate(policy.enforce, metadata, spec)
        self._counts.evaluated(attributes, policy.enforce, MODES[0], is_allowed=not found)
        self._tell_of_violations(attributes, policy.audit, problems, metadata, spec)
        if found:
            detail = f'violates PodSecurity "{policy.enforce}": {evaluator.details(found)}'
            raise errors.Forbidden.of("", "pods", shown_name(attributes), detail)
        self._warn(attributes, policy.warn, metadata, spec)

    def _warn_of_template(self, attributes: Attributes, obj: Object, path: tuple[str, ...]) -> None:
        if self._is_exempt(attributes):
            return
        labels = self._labels_of(attributes.namespace)
        if labels is None:
            self._counts.failed(attributes, is_fatal=True)
            name = gofmt.quote(attributes.namespace)
            _annotate(attributes, "error", f"failed to lookup namespace {name}: namespaces {name} not found")
            return
        policy, problems = parse(labels, self._settings.defaults)
        if not problems and policy.warn.level == policy.audit.level == LEVELS[0]:
            return
        template: Any = obj
        for name in path:
            template = (template or {}).get(name)
        if template is None:
            return
        metadata, spec = template.get("metadata") or {}, template.get("spec") or {}
        if self._is_exempt_class(attributes, spec):
            return
        self._tell_of_violations(attributes, policy.audit, problems, metadata, spec)
        self._warn(attributes, policy.warn, metadata, spec)

    def _validate_namespace(self, attributes: Attributes, namespace: Object) -> None:
        defaults, metadata = self._settings.defaults, namespace["metadata"]
        name, labels = metadata["name"], metadata.get("labels") or {}
        policy, problems = parse(labels, defaults)
        old = {} if attributes.old is None else attributes.old["metadata"].get("labels") or {}
        before, earlier = parse(old, defaults)
        texts = [str(problem) for problem in problems]
        if problems and texts != [str(problem) for problem in earlier]:
            raise errors.Invalid.of("", "Namespace", attributes.name, problems)
        if attributes.old is None:
            self._warn_of_exemption(attributes, name, policy, labels)
            return
        if policy.enforce == before.enforce or policy.enforce.level == LEVELS[0]:
            return
        if policy.enforce.version == before.enforce.version and not is_stricter(
            policy.enforce.level, before.enforce.level
        ):
            return
        if not self._warn_of_exemption(attributes, name, policy, labels):
            attributes.warnings.extend(self._warn_of_pods(name, policy.enforce))

    def _warn_of_exemption(self, attributes: Attributes, name: str, policy: Policy, labels: Mapping[str, str]) -> bool:
        """Whether the namespace is exempt: it is told where its labels ask for something all the same."""
        if name not in self._settings.namespaces:
            return False
        are_like = (one.is_like(other) for one, other in zip(policy, self._settings.defaults, strict=True))
        if not policy.is_privileged and not all(are_like):
            shown = ", ".join(_asked_by_labels(policy, labels))
            text = f"is exempt from Pod Security, and the policy ({shown}) will be ignored"
            attributes.warnings.append(f"namespace {gofmt.quote(name)} {text}")
        return True

    def _is_exempt(self, attributes: Attributes) -> bool:
        settings = self._settings
        if attributes.namespace in settings.namespaces:
            _annotate(attributes, _EXEMPT, "namespace")
        elif attributes.user.name in settings.users:
            _annotate(attributes, _EXEMPT, "user")
        else:
            return False
        self._counts.exempted(attributes)
        return True

    def _is_exempt_class(self, attributes: Attributes, spec: Object) -> bool:
        if spec.get("runtimeClassName") not in self._settings.runtime_classes:
            return False
        self._counts.exempted(attributes)
        _annotate(attributes, _EXEMPT, "runtimeClass")
        return True

    def _tell_of_violations(
        self,
        attributes: Attributes,
        asked: LevelVersion,
        problems: list[FieldError],
        metadata: Object,
        spec: Object,
    ) -> None:
        """To the audit alone."""
        if problems:
            self._counts.failed(attributes, is_fatal=False)
            _annotate(attributes, "error", f"Failed to parse policy: {field.aggregate_message(problems)}")
        if found := evaluator.evaluate(asked, metadata, spec):
            self._counts.evaluated(attributes, asked, MODES[1], is_allowed=False)
            text = f'would violate PodSecurity "{asked}": {evaluator.details(found)}'
            _annotate(attributes, "audit-violations", text)

    def _warn(self, attributes: Attributes, asked: LevelVersion, metadata: Object, spec: Object) -> None:
        if found := evaluator.evaluate(asked, metadata, spec):
            self._counts.evaluated(attributes, asked, MODES[2], is_allowed=False)
            attributes.warnings.append(f'would violate PodSecurity "{asked}": {evaluator.details(found)}')

    def _warn_of_pods(self, namespace: str, enforced: LevelVersion) -> list[str]:
        """Pods that are there already are let be."""
        exempt = self._settings.runtime_classes
        judged = [pod for pod in self._pods_of(namespace) if pod["spec"].get("runtimeClassName") not in exempt]
        pods = _one_of_each_controller_first(judged)
        checked = pods[:_PODS_CHECKED_MAX]
        by_reason: dict[str, list[str]] = {}
        for pod in checked:
            if found := evaluator.evaluate(enforced, pod["metadata"], pod["spec"]):
                by_reason.setdefault(evaluator.reasons(found), []).append(pod["metadata"]["name"])
        warnings: list[str] = []
        if len(checked) < len(pods):
            shown = f"{len(checked)} of {len(pods)}"
            warnings.append(f"new PodSecurity enforce level only checked against the first {shown} existing pods")
        if by_reason:
            level = f'violate the new PodSecurity enforce level "{enforced}"'
            warnings.append(f"existing pods in namespace {gofmt.quote(namespace)} {level}")
        return warnings + sorted(_describe(reason, names) for reason, names in by_reason.items())


def _asked_by_labels(policy: Policy, labels: Mapping[str, str]) -> list[str]:
    return [
        f"{mode}={asked}"
        for mode, asked in zip(MODES, policy, strict=True)
        if asked.level != LEVELS[0] and (f"{PREFIX}{mode}" in labels or f"{PREFIX}{mode}-version" in labels)
    ]


def _describe(reason: str, names: list[str]) -> str:
    others = len(names) - 1
    more = f" (and {others} other {'pod' if others == 1 else 'pods'})" if others else ""
    return f"{min(names)}{more}: {reason}"


def _annotate(attributes: Attributes, name: str, value: str) -> None:
    attributes.annotations.setdefault(f"{PREFIX}{name}", value)


def _is_significant(pod: Object, old: Object) -> bool:
    """Whether something that is looked at may have changed: images, and what is added."""
    spec, before = pod["spec"], old["spec"]
    for kind in _KINDS:
        images, earlier = ([each.get("image") for each in (of.get(kind) or ())] for of in (spec, before))
        if images != earlier:
            return True
    known = {each.get("name"): each.get("image") for each in before.get("ephemeralContainers") or ()}
    return any(
        each.get("name") not in known or known[each.get("name")] != each.get("image")
        for each in spec.get("ephemeralContainers") or ()
    )


def _one_of_each_controller_first(pods: list[Object]) -> list[Object]:
    first: list[Object] = []
    others: list[Object] = []
    seen: set[str] = set()
    for pod in pods:
        owners = pod["metadata"].get("ownerReferences") or ()
        controller = next((each.get("uid", "") for each in owners if each.get("controller")), None)
        if controller is not None and controller in seen:
            others.append(pod)
            continue
        first.append(pod)
        if controller is not None:
            seen.add(controller)
    return first + others
