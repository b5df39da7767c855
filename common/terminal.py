"""Where commands print: as wide as the terminal, or wide enough for our tables where there is none."""

from rich.console import Console

WIDE = 140


def console() -> Console:
    terminal = Console()
    return terminal if terminal.is_terminal else Console(width=WIDE)
