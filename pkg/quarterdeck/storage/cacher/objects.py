"""The kernel's objects of the cache under the names that other packages use."""

from quarterdeck._kernels import watch

Change = watch.Change
Entry = watch.Entry
Selection = watch.Selection
