"""`python -m repoproof`."""

import sys

from .cli import main

sys.exit(main())
