"""Names that the kinds of apps are told apart by."""

from __future__ import annotations

from typing import Final

# An annotation of daemon sets that shows the generation of their template; it is hidden in parts of objects.
GENERATION: Final = "deprecated.daemonset.template.generation"
# An annotation of deployments: the revision that they are to be rolled back to; it is hidden so too.
ROLLBACK: Final = "deprecated.deployment.rollback.to"
