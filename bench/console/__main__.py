"""Runs `python -m askwire.bench.console`."""

import sys

from askwire.bench.console.measure import main

sys.exit(main())
