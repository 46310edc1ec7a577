"""The watch cache (apiserver/pkg/storage/cacher): the store's state and recent changes in memory, and who watches them.

    Cacher ─ ResourceCache ─┬─ State      the current objects in key order
                            ├─ History    the recent changes
                            └─ Hub        the kernel that gives changes to watchers (ext/watch.pyx)
"""

from typing import TypeAlias

from quarterdeck._kernels import watch
from quarterdeck.storage.cacher.cacher import Cacher, Limits, build_prefix
from quarterdeck.storage.cacher.forms import EncodingError, Form, StoredForm, encode
from quarterdeck.storage.cacher.options import Attributes, Listing, ListOptions, WatchOptions
from quarterdeck.storage.cacher.resource import ResourceCache
from quarterdeck.storage.cacher.selection import build_selection
from quarterdeck.storage.cacher.watching import Watch

Change: TypeAlias = watch.Change
Entry: TypeAlias = watch.Entry
Selection: TypeAlias = watch.Selection

__all__ = [
    "Attributes",
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
]

from quarterdeck._kernels import watch as _kernel
from quarterdeck.storage.cacher.cacher import Cacher
from quarterdeck.storage.cacher.forms import EncodingError, Form, StoredForm
from quarterdeck.storage.cacher.options import Attributes
from quarterdeck.storage.cacher.resource import ResourceCache

Change = _kernel.Change
Entry = _kernel.Entry

__all__ = ["Attributes", "Cacher", "Change", "EncodingError", "Entry", "Form", "ResourceCache", "StoredForm"]
