"""What every part shares."""

import sys

# httpx brings a command line, which imports rich, pygments and click where they are installed: 5 MB per process, times
# twenty, for nothing. It is made to look absent, as httpx itself allows for.
sys.modules.setdefault("httpx._main", None)  # type: ignore[arg-type]
