"""`python -m askwire.bench`."""

import sys

from askwire.bench.cli import main

sys.exit(main())
