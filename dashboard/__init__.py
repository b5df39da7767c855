"""The status page, /health and /metrics."""

import sys
from types import ModuleType

# httpx brings its command line along, and with it rich and pygments: megabytes that no server needs. An empty module in
# its place is, to httpx, a command line that is not installed.
sys.modules.setdefault("httpx._main", ModuleType("httpx._main"))
