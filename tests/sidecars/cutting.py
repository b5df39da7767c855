"""A proxy in front of Supabase that tells when so many bytes have passed: to be there in the middle of an upload."""

import socket
import threading
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self
from urllib.parse import urlsplit


class CuttingProxy:
    def __init__(self, target: str, after: float = float("inf")) -> None:
        parts = urlsplit(target)
        assert parts.hostname
        assert parts.port
        self._target = (parts.hostname, parts.port)
        self._after = after
        self._cut: Callable[[], None] | None = None
        self._told = threading.Event()
        self._lock = threading.Lock()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.passed = 0
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def then(self, cut: Callable[[], None]) -> None:
        """What happens when so many bytes have passed; until this is known, the connection is held."""
        self._cut = cut
        self._told.set()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                server = socket.create_connection(self._target)
                threading.Thread(target=self._pump, args=(client, server, True), daemon=True).start()
                threading.Thread(target=self._pump, args=(server, client, False), daemon=True).start()

    def _pump(self, source: socket.socket, sink: socket.socket, counted: bool) -> None:
        with suppress(OSError), source, sink:
            while data := source.recv(4096):
                if counted and self._reached(len(data)):
                    self._told.wait()
                    if self._cut:
                        self._cut()
                    return
                sink.sendall(data)

    def _reached(self, size: int) -> bool:
        with self._lock:
            before, self.passed = self.passed, self.passed + size
            return before < self._after <= self.passed

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._listener.close()
