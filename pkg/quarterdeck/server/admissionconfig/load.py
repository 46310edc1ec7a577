"""Settings of the plugins that run, of the file and of what they do without one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from quarterdeck.admission import pluginnames
from quarterdeck.admission.pluginsettings import PluginSettings
from quarterdeck.apimachinery import gofmt
from quarterdeck.schema.configfile import BadFile
from quarterdeck.server.admissionconfig import events, file, images, pods, podsecurity, quota, webhooks

# The member of PluginSettings, and what makes it of a configuration.
_READ: Final[dict[str, tuple[str, Callable[[bytes], Any]]]] = {
    pluginnames.POD_SECURITY: ("pod_security", podsecurity.parse),
    pluginnames.POD_NODE_SELECTOR: ("node_selectors", pods.parse_selectors),
    pluginnames.POD_TOLERATIONS: ("tolerations", pods.parse_tolerations),
    pluginnames.MUTATING_WEBHOOK: ("mutating_users", webhooks.parse),
    pluginnames.VALIDATING_WEBHOOK: ("validating_users", webhooks.parse),
    pluginnames.RESOURCE_QUOTA: ("limited_resources", quota.parse),
}
# The same of those that do nothing without one.
_REQUIRED: Final[dict[str, tuple[str, Callable[[bytes | None], Any]]]] = {
    pluginnames.IMAGE_POLICY: ("image_policy", images.parse),
    pluginnames.EVENT_RATE_LIMIT: ("event_limits", events.parse),
}
_POLICIES: Final = (pluginnames.MUTATING_POLICY, pluginnames.VALIDATING_POLICY)


def load(path: Path | None, plugins: frozenset[str]) -> PluginSettings:
    """Of the plugins that run; configurations of others, also of those that take none, are ignored as upstream does.
    Raises BadFile."""
    given = {} if path is None else file.read(path, plugins)
    found: dict[str, Any] = {}
    for name in (each for each in pluginnames.KNOWN if each in plugins):
        try:
            if name in given and name in _READ:
                member, parse = _READ[name]
                found[member] = parse(given[name])
            elif name in _REQUIRED:
                member, parse_required = _REQUIRED[name]
                found[member] = parse_required(given.get(name))
            elif name in given and name in _POLICIES:
                webhooks.check_policies(given[name], name)
        except BadFile as error:
            raise BadFile(_tell(name, str(error))) from error
    return PluginSettings(**found)


def _tell(name: str, text: str) -> str:
    is_told = text.startswith("failed to initialize")
    return text if is_told else f"couldn't init admission plugin {gofmt.quote(name)}: {text}"
