"""The watch cache (apiserver/pkg/storage/cacher): the store's state and recent changes in memory, and who watches them.

Cacher                         takes in the store's feed
 ├─ Shared                     how far it has come; the dispatcher and the timer of all watches
 └─ ResourceCache              the watches of one resource, its changes going out
     └─ StoredObjects          its objects
         ├─ State              the current ones in key order
         └─ History ─ Past     the recent changes; older states
    Hub (ext/watch.pyx)        the kernel that gives changes to watchers

Lists are in lists.py, the beginning of a watch in replay.py, forms that have to be awaited in form_queue.py.
"""

from quarterdeck.storage.cacher import refusals
from quarterdeck.storage.cacher.attributes import Attributes
from quarterdeck.storage.cacher.cacher import Cacher, Limits
from quarterdeck.storage.cacher.encoding import encode
from quarterdeck.storage.cacher.form_queue import AwaitedForm, awaited_form, prepare
from quarterdeck.storage.cacher.forms import EncodingError, Form, StoredForm
from quarterdeck.storage.cacher.kept import KeptList
from quarterdeck.storage.cacher.known import KnownRecords
from quarterdeck.storage.cacher.lists import waits_for_newest
from quarterdeck.storage.cacher.objects import Change, Entry, Selection
from quarterdeck.storage.cacher.options import ListOptions, ListResult, WatchOptions
from quarterdeck.storage.cacher.prefixes import build_prefix
from quarterdeck.storage.cacher.resource import ResourceCache
from quarterdeck.storage.cacher.selection import build_selection
from quarterdeck.storage.cacher.watching import Watch

__all__ = [
    "Attributes",
    "AwaitedForm",
    "Cacher",
    "Change",
    "EncodingError",
    "Entry",
    "Form",
    "KeptList",
    "KnownRecords",
    "Limits",
    "ListOptions",
    "ListResult",
    "ResourceCache",
    "Selection",
    "StoredForm",
    "Watch",
    "WatchOptions",
    "awaited_form",
    "build_prefix",
    "build_selection",
    "encode",
    "prepare",
    "refusals",
    "waits_for_newest",
]
