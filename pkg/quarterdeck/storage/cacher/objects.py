"""The kernel's objects of the cache under the names that other packages use."""

from quarterdeck._kernels import watchobject

Change = watchobject.Change
Entry = watchobject.Entry
Selection = watchobject.Selection
