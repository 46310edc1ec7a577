"""The watch cache (apiserver/pkg/storage/cacher): the store's state and recent changes in memory, and who watches them.

Cacher ─ ResourceCache ─┬─ State      the current objects in key order
                        ├─ History    the recent changes
                        └─ Hub        the kernel that gives changes to watchers (ext/watch.pyx)
"""
