"""`python -m simulator --port 9000`: bookmakers and Discord, with no internet."""

import argparse
import signal
import socket
import sys
from types import FrameType

from simulator.server import serve


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m simulator", description=__doc__)
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument("--port", default=9000, type=port, help="0 takes a free one (default: %(default)s)")
    parser.add_argument("--seed", default=1, type=int, help="another seed is another world (default: %(default)s)")
    given = parser.parse_args()
    # uvicorn raises the signal once more after its clean end, which would make that end look like a death.
    signal.signal(signal.SIGTERM, leave)
    signal.signal(signal.SIGINT, leave)
    family = socket.AF_INET6 if ":" in given.host else socket.AF_INET
    try:
        listener = socket.create_server((given.host, given.port), family=family, backlog=512)
    except OSError as error:
        print(f"simulator: cannot listen on {given.host} port {given.port}: {error.strerror}", file=sys.stderr)
        return 2
    with listener:
        host = f"[{given.host}]" if ":" in given.host else given.host
        url = f"http://{host}:{listener.getsockname()[1]}"
        serve(listener, given.seed, lambda: print(f"simulator: listening on {url}", flush=True))
    return 0


def port(text: str) -> int:
    if not text.isdecimal() or int(text) > 65535:
        raise argparse.ArgumentTypeError(f"a port is a number from 0 to 65535, not {text!r}")
    return int(text)


def leave(_sig: int, _frame: FrameType | None) -> None:
    sys.exit(0)


if __name__ == "__main__":
    sys.exit(main())
