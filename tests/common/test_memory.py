from pathlib import Path

from common.memory import Memory, read_memory

MB = 1024 * 1024


def control_group(folder: Path, **files: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("__", ".")).write_text(text)
    return folder


def test_version_2(tmp_path: Path) -> None:
    control_group(
        tmp_path, memory__current=f"{90 * MB}\n", memory__max=f"{100 * MB}\n", memory__stat=f"inactive_file {10 * MB}\n"
    )
    assert read_memory(tmp_path) == Memory(80 * MB, 100 * MB)
    assert Memory(80 * MB, 100 * MB).share == 0.8


def test_version_1(tmp_path: Path) -> None:
    control_group(
        tmp_path / "memory",
        memory__usage_in_bytes=f"{90 * MB}\n",
        memory__limit_in_bytes=f"{100 * MB}\n",
        memory__stat=f"cache 5\ninactive_file {3 * MB}\ntotal_inactive_file {10 * MB}\n",
    )
    assert read_memory(tmp_path) == Memory(80 * MB, 100 * MB)


def test_no_limit_is_none(tmp_path: Path) -> None:
    assert read_memory(tmp_path) is None
    control_group(tmp_path, memory__current="5\n", memory__max="max\n", memory__stat="")
    assert read_memory(tmp_path) is None
    control_group(
        tmp_path / "memory",
        memory__usage_in_bytes="5\n",
        memory__limit_in_bytes="9223372036854771712\n",
        memory__stat="",
    )
    assert read_memory(tmp_path) is None
