"""`python -m memoro` is the command `memoro`."""

import sys

from memoro.cli import main

sys.exit(main())
