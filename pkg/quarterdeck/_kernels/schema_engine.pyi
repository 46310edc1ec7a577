"""The common way of an object through its schema, in one crossing. Body: ext/schema_engine.pyx."""

from collections.abc import Sequence
from typing import Any

from quarterdeck._kernels.schema import Program

class EngineBase:
    """What a schema engine does of itself where nothing is wrong; the subclass does the rest.

    `compiled` is None until the schema is needed; the subclass' `program` compiles it.
    """

    compiled: Program | None
    is_resource_root: bool

    @property
    def program(self) -> Program:
        """To be defined by the subclass."""

    def find_errors(self, obj: dict[str, Any], old: dict[str, Any] | None) -> list[Any]:
        """To be defined by the subclass: what is wrong with an object, if anything is."""

    def coerce(
        self, obj: dict[str, Any], unknown: Sequence[str], embedded: Sequence[tuple[str, dict[str, Any]]]
    ) -> list[str]:
        """To be defined by the subclass: decodes metadata; all paths of unknown fields."""

    def coerce_leniently(self, embedded: Sequence[tuple[str, dict[str, Any]]]) -> bool:
        """To be defined by the subclass: drops what cannot be decoded of embedded metadata; whether there was any."""

    def holds_more(self, embedded: Sequence[tuple[str, dict[str, Any]]]) -> bool:
        """To be defined by the subclass: whether decoding embedded metadata would drop something."""

    def settle(self, obj: dict[str, Any]) -> bool:
        """To be defined by the subclass: decodes the object's own metadata, which an apply or admission made. Whether
        what is dropped of it would be stored."""

    def validate(self, obj: dict[str, Any], old: dict[str, Any] | None = None) -> list[Any]:
        """Values, list types and embedded resources; with `old`, what an unchanged value does wrong is forgiven.

        Gives the subclass' field errors.
        """

    def prune_and_default(self, obj: dict[str, Any], *, report_unknown: bool) -> list[str]:
        """What upstream does to a decoded body, in place; the paths of unknown fields when they are asked for.

        Raises what `coerce` raises where metadata (or that of an embedded resource) cannot be decoded.
        """

    def default(self, obj: dict[str, Any]) -> bool:
        """What upstream does to a stored object when it is read; whether anything changed.

        Unknown fields are pruned too (the schema may have changed since), and metadata that cannot be decoded is
        dropped rather than refused.
        """

    def default_applied(self, obj: dict[str, Any]) -> tuple[bool, bool]:
        """What upstream does to an object that server-side apply made: it gets defaults, but nobody decodes it.

        A null that the schema does not allow, a field of an object of which it has no fields, and metadata of embedded
        resources as it is, stay for validation to refuse, and are a change of the object; of the object's own metadata
        what cannot be read counts as absent. (Whether there is such a thing, which whoever reads the object drops;
        whether upstream stores members of the object's own metadata that are empty or of no use.)
        """
