"""Find the file system of a folder, and what it can do."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Sequence

# Write-ahead logging needs shared memory and locks that only local file systems provide.
LOCAL_FILE_SYSTEMS = frozenset(
    [
        "apfs",
        "bcachefs",
        "btrfs",
        "ext2",
        "ext3",
        "ext4",
        "f2fs",
        "hfs",
        "jfs",
        "overlay",
        "ramfs",
        "reiserfs",
        "tmpfs",
        "xfs",
        "zfs",
    ]
)


def file_system(folder: str) -> str:
    """Return the type of the file system of a folder, or "unknown"."""
    try:
        if sys.platform == "darwin":
            import subprocess

            told = subprocess.run(["/sbin/mount"], capture_output=True, text=True, timeout=5, check=False).stdout
            return from_mount(told, os.path.realpath(folder))
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            return from_mountinfo(file.read(), os.path.realpath(folder))
    except OSError:
        return "unknown"


def folders_without_events(folders: Sequence[str], kind: Callable[[str], str] | None = None) -> dict[str, str]:
    """Return the folders without reliable file events, each with the reason."""
    kinds = {folder: (kind or file_system)(folder) for folder in folders}
    return {
        folder: f"{folder} is on a {kind} file system, which may not tell of changes"
        for folder, kind in kinds.items()
        if kind not in LOCAL_FILE_SYSTEMS and os.path.isdir(folder)
    }


def from_mountinfo(text: str, folder: str) -> str:
    """Linux: return the type of the innermost mount that contains the folder; of two on one point, the later."""
    best, kind = "", "unknown"
    for line in text.split("\n"):
        left, _, right = line.partition(" - ")
        fields = left.split(" ")
        if len(fields) < 5 or not right:
            continue
        point = _unescaped(fields[4])
        if _holds(point, folder) and len(point) >= len(best):
            best, kind = point, right.split(" ")[0]
    return kind


def _unescaped(point: str) -> str:
    """Decode the four characters that the kernel writes in octal."""
    for escape, character in (("\\040", " "), ("\\011", "\t"), ("\\012", "\n"), ("\\134", "\\")):
        point = point.replace(escape, character)
    return point


def from_mount(text: str, folder: str) -> str:
    """macOS: the same from lines such as `/dev/disk3s5 on /System/Volumes/Data (apfs, local, journaled)`."""
    best, kind = "", "unknown"
    for line in text.splitlines():
        place, _, options = line.rpartition(" (")
        point = place.partition(" on ")[2]
        if point and _holds(point, folder) and len(point) >= len(best):
            best, kind = point, options.split(",")[0].rstrip(")").strip()
    return kind


def _holds(point: str, folder: str) -> bool:
    return point == "/" or folder == point or folder.startswith(point.rstrip("/") + "/")
