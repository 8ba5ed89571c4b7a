"""Plants the fault in processes that a guard starts: Python imports this wherever the folder is on PYTHONPATH."""

import os
import sys

if name := os.environ.get("PLANTED_FAULT"):
    sys.path.insert(0, os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__)))))
    from tests.planted import plant

    plant(name)
