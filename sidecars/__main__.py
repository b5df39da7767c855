"""python -m sidecars: the loops beside the scrapers, and the schema of what they publish."""

import argparse
import asyncio
import sys

import common.early  # noqa: F401 - before anything that takes time
from common import logs, settings


def main() -> int:
    arguments = parse_arguments()
    try:
        if arguments.command == "schema":
            return show_schema()
        logs.configure(settings.read(settings.LogSettings))
        if arguments.command == "json-generator":
            return generate(arguments.interval)
        return clean(arguments.interval, dry=arguments.dry_run)
    except settings.BadSetting as bad:
        print(f"oddsfleet: {bad}", file=sys.stderr)
        return 2


def parse_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m sidecars", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    generator = commands.add_parser("json-generator", help="publish odds.json and odds.csv while odds change")
    generator.add_argument("--interval", type=float, default=15.0, help="seconds (default: %(default)s)")
    cleanup = commands.add_parser("cleanup", help="delete what the RETENTION settings say is old")
    cleanup.add_argument("--interval", type=float, default=300.0, help="seconds (default: %(default)s)")
    cleanup.add_argument("--dry-run", action="store_true", help="only count what would be deleted, once")
    commands.add_parser("schema", help="print the JSON Schema of odds.json")
    arguments = parser.parse_args()
    if not 0.1 <= getattr(arguments, "interval", 1.0) <= 86400:
        parser.error("--interval must be between 0.1 and 86400 seconds")
    return arguments


def generate(interval: float) -> int:
    from loguru import logger

    from sidecars.json_generator import SERVICE, run

    logger.configure(extra={"service": SERVICE})
    asyncio.run(
        run(
            settings.read(settings.GeneratorSettings),
            settings.read(settings.AlertSettings),
            settings.read(settings.ServiceSettings),
            settings.read(settings.StoreSettings),
            interval,
        )
    )
    return 0


def clean(interval: float, *, dry: bool) -> int:
    from loguru import logger

    from sidecars.cleanup import SERVICE, preview, run

    logger.configure(extra={"service": SERVICE})
    keep, store = settings.read(settings.CleanupSettings), settings.read(settings.StoreSettings)
    if dry:
        return asyncio.run(preview(keep, store))
    asyncio.run(run(keep, settings.read(settings.ServiceSettings), store, interval))
    return 0


def show_schema() -> int:
    import json

    from sidecars.feed import schema

    print(json.dumps(schema(), indent=2))
    return 0


if __name__ == "__main__":
    sys.exit(main())
