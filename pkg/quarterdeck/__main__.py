"""The entry point: `quarterdeck` and `python -m quarterdeck`."""

import sys

from quarterdeck.cmd.main import main

if __name__ == "__main__":
    sys.exit(main())
