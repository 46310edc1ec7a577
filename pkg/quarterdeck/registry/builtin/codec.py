"""Built-in kinds from JSON to their typed form: unknown fields dropped, types checked, one canonical form stored."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final, NamedTuple

from quarterdeck._kernels import members
from quarterdeck.apimachinery import offload
from quarterdeck.apimachinery.codec import json as json_codec
from quarterdeck.apimachinery.codec import typemeta
from quarterdeck.apimachinery.errors import BadRequest
from quarterdeck.apimachinery.meta import split_api_version
from quarterdeck.apis.resource import GroupVersionKind
from quarterdeck.cel import recursion
from quarterdeck.registry import mutated
from quarterdeck.registry.builtin import comparing, deepequal
from quarterdeck.registry.builtin.spelling import Spelling
from quarterdeck.registry.errors import too_large
from quarterdeck.registry.strategy import NotConvertible, NotDefaultable, Object
from quarterdeck.schema import gofit, gonulls, goorder, gotype, gotypes, metadecode, unstructured
from quarterdeck.schema.godecode import Decoder
from quarterdeck.schema.gonulls import Nulls
from quarterdeck.schema.goscalar import DecodeError
from quarterdeck.schema.gotype import Field, Struct
from quarterdeck.storage.interface import VALUE_BYTES_MAX

# metav1.ObjectMeta's members in the order in which Go writes them; resourceVersion is spliced in before all.
_METADATA_ORDER: Final = (
    "name",
    "generateName",
    "namespace",
    "selfLink",
    "uid",
    "generation",
    "creationTimestamp",
    "deletionTimestamp",
    "deletionGracePeriodSeconds",
    "labels",
    "annotations",
    "ownerReferences",
    "finalizers",
    "managedFields",
)

# What `normalize` reads apart from the Go type.
_OUTSIDE_OF_TYPE: Final[tuple[str, ...]] = ("apiVersion", "kind", "metadata")

# How members look that may have to be left out.
_VOID: Final = (b'"items":null', b'"items":[]')


class Versions(NamedTuple):
    """A kind of two groups or versions: `convert` gives an object in another of its versions. Objects are stored in
    `stored`, under the group `group`. `default` sets what whoever reads them in that version finds set.
    `convert_compared` where two objects are compared in another version; None: as `convert` does. `convert_onto` what
    has become of an object: an older version may have nothing to say of parts of it, which stay as they were."""

    group: str
    stored: str
    others: tuple[str, ...]
    convert: Callable[[Object, str], Object]
    default: Callable[[Object], None] | None = None
    convert_compared: Callable[[Object, str], Object] | None = None
    convert_onto: Callable[[Object, Object, str], Object] | None = None


class BuiltinCodec:
    """`default` sets what upstream's defaulting sets, in place, on the decoded object, and raises DecodeError where
    upstream cannot convert it; `note` sees what was sent.

    `spelling`: of a kind whose members Go compares as they were sent. `make_struct` gives the Go type and is asked when
    it is needed: some take long to make, and most servers never see the kind. `mark_changed`: `as_compared` of a kind
    that keeps by itself what was sent.
    """

    def __init__(
        self,
        api_version: str,
        kind: str,
        make_struct: Callable[[], Struct],
        default: Callable[[Object], None] | None,
        note: Callable[[Object], None] | None = None,
        spelling: Spelling | None = None,
        *,
        keeps_empty_lists: bool = False,
        mark_changed: Callable[[Object, Object], Object] | None = None,
    ) -> None:
        self.waits, self.awaited_version = False, ""
        self.reads_what_it_writes = False  # it has forms that are stored otherwise (as_stored)
        self.spelling = spelling
        self.versions: Versions | None = None  # of a kind with several, also where objects are stored as they are
        self._api_version = api_version
        self._kind = kind
        self._make_struct = make_struct
        self._default = default
        self._note = note
        self._keeps_empty_lists = keeps_empty_lists
        self._mark_changed = mark_changed
        self._nulls: Nulls | None = Nulls(False, {}) if keeps_empty_lists else None

    def fit(self, obj: Object) -> list[str]:
        """Make what a strategic merge patch gave an object of the kind, in place; the fields that it does not have.
        Raises BadRequest."""
        if self.spelling is not None:
            self.spelling.sort(obj)
        try:
            unknown = unstructured.fit_object(obj, self._make_struct())
        except DecodeError as error:
            raise BadRequest(str(error)) from error
        for name in typemeta.find(unknown):
            del obj[name]  # nothing reads it as JSON, for which it would say what the object is
        obj["apiVersion"], obj["kind"] = self._api_version, self._kind
        return unknown

    def normalize_applied(self, obj: Object, *, is_kept: bool = False) -> tuple[bool, bool]:
        if self.spelling is not None and not is_kept:
            self.spelling.sort(obj)
        self.check_convertible(obj)
        try:
            self.normalize(obj, report_unknown=False)
        except NotDefaultable as error:
            raise NotConvertible(error.text, "failed to convert to unversioned ({})") from error
        return False, False

    def check_convertible(self, obj: Object) -> None:
        """Make what an apply gave fit the kind, in place. Raises NotConvertible."""
        try:
            unstructured.fit_object(obj, self._make_struct())
        except DecodeError as error:
            group, version = split_api_version(self._api_version)
            text = f"unable to convert unstructured object to {group}/{version}, Kind={self._kind}: {error}"
            raise NotConvertible(text) from error

    def is_current(self, data: bytes) -> bool:
        return False  # normalize builds every object anew

    def normalize(self, obj: Object, *, report_unknown: bool) -> list[str]:
        """As Codec has it; the object is built anew in the order of its Go type. Raises NotDefaultable for what only
        defaulting finds out."""
        body = members.without(obj, _OUTSIDE_OF_TYPE)
        offload.hold(body)
        if self._note is not None:
            self._note(body)
        if self.spelling is not None:
            self.spelling.note(body)
        if not self._keeps_empty_lists:
            deepequal.note(body, self._make_struct())
        try:
            metadata, unknown = _decode_metadata(obj.get("metadata"))
            decoded = gofit.decode_fitting(body, self._make_struct())
            if decoded is None:
                decoded, found = self._decode_what_differs(body, report_unknown)
                unknown = [*unknown, *found]
        except (DecodeError, metadecode.DecodeError) as error:
            raise self._refusal(self.first_mistake(obj) or error) from error
        obj.clear()
        obj["apiVersion"], obj["kind"], obj["metadata"] = self._api_version, self._kind, metadata
        obj.update(decoded)
        if self._default is not None:
            try:
                self._default(obj)
            except DecodeError as error:
                refusal = NotDefaultable(self._refusal(error).message)
                refusal.text = str(error)
                raise refusal from error
        return unknown if report_unknown else []

    def as_compared(self, live: Object, new: Object) -> Object:
        """The live object as whoever finds out what the one that was decoded last has changed in it sees it."""
        marked = live if self.spelling is None else self.spelling.respelled(live)
        if self._mark_changed is not None:
            marked = self._mark_changed(marked, new)
        elif not self._keeps_empty_lists:
            marked = deepequal.as_compared(marked, new, self._make_struct())
        # Of a kind with one version nothing is converted.
        return marked if marked is live or self.versions is None else comparing.note_marked(marked, live)

    def _decode_what_differs(self, body: dict[str, Any], report_unknown: bool) -> tuple[dict[str, Any], list[str]]:
        """Of a body that does not fit, or has fields that are unknown."""
        if self._note is not None:
            self._note(recursion.with_room(lambda: gotype.only_declared(body, self._make_struct())))
        return recursion.with_room(lambda: self._decode(body, report_unknown))

    def _refusal(self, told: Exception) -> BadRequest:
        version = self._api_version.rpartition("/")[2]
        return BadRequest(f'{self._kind} in version "{version}" cannot be handled as a {self._kind}: {told}')

    def _decode(self, body: dict[str, Any], report_unknown: bool) -> tuple[dict[str, Any], list[str]]:
        """Raises DecodeError; the paths of unknown fields."""
        decoder = Decoder(report_unknown=report_unknown)
        return decoder.decode_struct(body, self._make_struct()), decoder.unknown

    def first_mistake(self, obj: Object) -> DecodeError | None:
        """What the decoder tells of an object that does not fit: the first mistake in the body's own order."""
        try:
            recursion.with_room(lambda: Decoder(report_unknown=False).decode_struct(obj, self.whole_struct()))
        except DecodeError as error:
            return error
        return None

    def whole_struct(self) -> Struct:
        """The Go type of the kind, with its metadata."""
        struct = self._make_struct()
        return Struct(struct.name, {"metadata": Field(gotypes.object_meta()), **struct.fields}, struct.package)

    def text_of(self, obj: Object) -> str:
        """A stored object as Go writes it: members in the order of the type."""
        ordered = recursion.with_room(lambda: goorder.order_members(obj, self.whole_struct()))
        return json_codec.encode(ordered).decode("utf-8", "surrogatepass")

    def normalize_foreign(self, obj: Object, *, report_unknown: bool) -> list[str]:
        self.normalize(obj, report_unknown=False)
        return []

    def decode(self, data: bytes, read: Object | None = None) -> Object:
        return json_codec.load_sharing(data) if read is None else read

    def encode(self, obj: Object) -> bytes:
        data = self.encode_unconverted(self.as_stored(obj))
        if self._keeps_empty_lists and any(void in data for void in _VOID):
            without = recursion.with_room(lambda: gonulls.drop_void(obj, self.whole_struct()))
            data = self.encode_unconverted({**obj, **without})
        return data

    def as_stored(self, obj: Object) -> Object:
        """With null for the empty lists and maps that are null once they are stored."""
        if self._nulls is None:
            self._nulls = gonulls.find(self._make_struct())
        return gonulls.put_nulls(obj, self._nulls)

    def default(self, obj: Object, unknown: list[str] | None = None) -> Object:
        found = self.normalize(obj, report_unknown=unknown is not None)
        if unknown is not None:
            unknown += found
        return _without_empty_owners(obj)

    def default_configured(self, obj: Object, *, drops_nulls: bool = False) -> Object:
        """Go's types tell no null from what is not there."""
        self.normalize_applied(obj)
        return _without_empty_owners(obj)

    def check_mutated(self, value: Any, kind: GroupVersionKind) -> Object:
        return mutated.check_builtin(value, kind)

    def convert(self, obj: Object, api_version: str) -> Object:
        """Of a kind with one version there is no other."""
        return obj if self.versions is None else self.versions.convert(obj, api_version)

    def bring_back(self, obj: Object, known: Object, api_version: str) -> Object:
        if self.versions is None or self.versions.convert_onto is None:
            return self.convert(obj, api_version)
        return self.versions.convert_onto(obj, known, api_version)

    def reread(self, obj: Object) -> bool:
        """What the kind does not have was not read into its type."""
        return False

    def encode_unconverted(self, obj: Object) -> bytes:
        metadata = obj["metadata"]
        ordered = {name: metadata[name] for name in _METADATA_ORDER if name in metadata}
        stored = {**obj, "metadata": ordered}
        data = json_codec.encode_stored(stored, VALUE_BYTES_MAX)
        if data is None:
            raise too_large()
        return data


def _without_empty_owners(obj: Object) -> Object:
    if not obj["metadata"].get("managedFields"):
        obj["metadata"].pop("managedFields", None)
    return obj


def _decode_metadata(sent: Any) -> tuple[Object, list[str]]:
    """An empty list of managedFields is left for the field manager, to which it says that nobody owns anything."""
    metadata, unknown = metadecode.decode_object_meta(sent, "metadata.")
    if isinstance(sent, dict) and sent.get("managedFields") == []:
        metadata["managedFields"] = []
    return metadata, unknown
