"""The live page: what a server has and does, as it changes, for a browser of the same machine (docs/live-page.md).

    application.py ── a port of its own: the page's files, and reads of the API for who has the token
       ├── files.py ── the files in page/, as they are served
       └── the application, whose answers the page is made of; beside the API's own:
             figures.py ── /quarterdeck/v1/figures, what /metrics counts, in sums
             watches.py ── /quarterdeck/v1/watches, who watches what, and what they have still to get
    address.py ── where it is, and its token: the same when the server starts again
    identity.py ── faults, coverage and recordings pass over what the page asks

Loaded by a server with `--ui` alone.
"""
