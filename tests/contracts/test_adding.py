"""A Sunday evening: a new brand on a known platform is one row and one service, and nothing else."""

import difflib
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.conftest import Simulator

ROOT = Path(__file__).parent.parent.parent

ROW = """    Bookmaker(
        "novabet", "NovaBet", "altenar", site="https://novabet.bet.br", api=ALTENAR, params={"integration": "novabet"}
    ),
"""
SERVICE = """  scraper-novabet:
    <<: *light
    command: [scrapers, run, novabet]
    labels: { oddsfleet.scraper: novabet }
"""
CODE = ["common", "scrapers", "simulator", "store", "tests", "scripts", "images", "requirements"]
FILES = [
    "compose.yml",
    "compose.demo.yml",
    "compose.sequential.yml",
    "Makefile",
    "README.md",
    ".env.example",
    "pyproject.toml",
]


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    for name in CODE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in FILES:
        shutil.copy(ROOT / name, tmp_path / name)
    for package in ROOT.glob("*/__init__.py"):
        if not (tmp_path / package.parent.name).exists():
            shutil.copytree(package.parent, tmp_path / package.parent.name)
    return tmp_path


def add(path: Path, before: str, lines: str) -> int:
    """Insert and count what a reviewer would see."""
    old = path.read_text()
    assert old.count(before) == 1
    new = old.replace(before, lines + before)
    path.write_text(new)
    diff = difflib.unified_diff(old.splitlines(), new.splitlines(), n=0)
    return sum(line.startswith("+") and not line.startswith("+++") for line in diff)


def test_a_new_brand_takes_at_most_ten_lines(copy: Path, simulator: Simulator) -> None:
    changed = add(copy / "scrapers/catalog.py", '    Bookmaker(\n        "betano",', ROW)
    changed += add(copy / "compose.yml", "  scraper-betano:\n", SERVICE)
    changed += add(
        copy / "compose.sequential.yml", "\n    mem_limit: 200m", ",novabet"
    )  # in one line, counted below as out and in
    assert changed + 1 <= 10

    contracts = subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "tests/contracts/test_lists.py", "-p", "no:cacheprovider"],
        cwd=copy,
        capture_output=True,
        text=True,
        check=False,
        timeout=120,
    )
    listed = subprocess.run(
        [sys.executable, "-m", "scrapers", "list"], cwd=copy, capture_output=True, text=True, check=True, timeout=60
    )
    assert "novabet" in listed.stdout
    assert contracts.returncode == 0, contracts.stdout
