"""Logs: colours on a terminal, one JSON object per line in a container; scraper, cycle and epoch go with each."""

import sys
from typing import TYPE_CHECKING, TextIO

import msgspec
from loguru import logger

from common.settings import LogSettings

if TYPE_CHECKING:
    from loguru import Message, Record

TERMINAL = "<dim>{time:HH:mm:ss}</dim> <level>{level: <7}</level> {extra[_bound]}{message}"


def configure(settings: LogSettings, stream: TextIO = sys.stderr) -> None:
    logger.remove()
    as_json = settings.log_format == "json" or (settings.log_format == "auto" and not stream.isatty())

    def write_line(message: "Message") -> None:
        stream.write(json_line(message.record) + "\n")
        stream.flush()

    if as_json:
        logger.add(write_line, level=settings.log_level, format="{message}", backtrace=False, diagnose=False)
    else:
        logger.configure(patcher=add_bound_text)
        logger.add(stream, level=settings.log_level, format=TERMINAL, backtrace=False, diagnose=False)


def json_line(record: "Record") -> str:
    line: dict[str, object] = {
        "time": record["time"].isoformat(timespec="milliseconds"),
        "level": record["level"].name.lower(),
        "event": record["message"],
        **record["extra"],
    }
    if record["exception"] is not None:
        line["exception"] = repr(record["exception"].value)
    return msgspec.json.encode(line, enc_hook=str).decode()


def add_bound_text(record: "Record") -> None:
    bound = " ".join(f"{key}={value}" for key, value in record["extra"].items() if not key.startswith("_"))
    record["extra"]["_bound"] = f"[{bound}] " if bound else ""
