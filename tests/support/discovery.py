"""What discovery says of a group, read as a client would."""

from __future__ import annotations

import json

from quarterdeck.discovery.served import DiscoveryDocuments


def versions_in_discovery(discovery: DiscoveryDocuments, group: str) -> dict[str, list[str]]:
    """The versions that have a document of their own, with the names of their resources."""
    built = discovery._group(group)
    lists = built.resource_lists if built is not None else {}
    return {version: [one["name"] for one in json.loads(data)["resources"]] for version, data in lists.items()}
