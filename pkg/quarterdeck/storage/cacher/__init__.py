"""The watch cache (apiserver/pkg/storage/cacher): the store's state and recent changes in memory, and who watches them.

Cacher ─ ResourceCache ─┬─ State      the current objects in key order
                        ├─ History    the recent changes
                        └─ Hub        the kernel that gives changes to watchers (ext/watch.pyx)
"""

from quarterdeck.storage.cacher.cacher import Cacher, Limits, build_prefix
from quarterdeck.storage.cacher.form_queue import AwaitedForm, prepare
from quarterdeck.storage.cacher.forms import EncodingError, Form, StoredForm, encode
from quarterdeck.storage.cacher.objects import Change, Entry, Selection
from quarterdeck.storage.cacher.options import Attributes, Listing, ListOptions, WatchOptions
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
    "Limits",
    "ListOptions",
    "Listing",
    "ResourceCache",
    "Selection",
    "StoredForm",
    "Watch",
    "WatchOptions",
    "build_prefix",
    "build_selection",
    "encode",
    "prepare",
]
