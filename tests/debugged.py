"""Chromium with its debugging port open to other containers, which it does not do by itself: run inside a container."""

import asyncio
import sys

OPEN, OWN = 9222, 9223
COMMAND = (
    "chromium-headless-shell", "--no-sandbox", "--disable-gpu", f"--remote-debugging-port={OWN}", "about:blank",
)  # fmt: skip


async def copy(source: asyncio.StreamReader, target: asyncio.StreamWriter) -> None:
    try:
        while piece := await source.read(65536):
            target.write(piece)
            await target.drain()
    except OSError:
        pass
    finally:
        target.close()


async def join(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    try:
        own_reader, own_writer = await asyncio.open_connection("127.0.0.1", OWN)
    except OSError:  # not up yet
        writer.close()
        return
    await asyncio.gather(copy(reader, own_writer), copy(own_reader, writer))


async def main() -> int:
    browser = await asyncio.create_subprocess_exec(*COMMAND)
    async with await asyncio.start_server(join, "0.0.0.0", OPEN):
        return await browser.wait()


if __name__ == "__main__":
    sys.exit(asyncio.run(main()))
