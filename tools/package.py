"""Builds the wheel and the sdist of a commit into dist/, twice, and compares: `make package`.

Both builds have the same bytes on every machine: the files are those of the commit, the only time is the commit's,
and no path of a machine is in them.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from collections.abc import Iterable, Mapping
from io import BytesIO
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What a build must not depend on: the second one gets all of these.
OTHER = {"TZ": "Pacific/Apia", "LC_ALL": "C", "PYTHONHASHSEED": "7", "LOGNAME": "other"}


class NotReproducible(Exception):
    """Two builds of one commit differ, or a package names a path of this machine."""


def build(source: Path, target: Path, *, epoch: int, kinds: Iterable[str], more: Mapping[str, str]) -> list[Path]:
    """Build packages of the files in `source` into `target`, offline, with the hatchling of this Python."""
    environment = {**os.environ, "SOURCE_DATE_EPOCH": str(epoch), **more}
    chosen = [word for kind in kinds for word in ("-t", kind)]
    command = [sys.executable, "-m", "hatchling", "build", *chosen, "-d", str(target)]
    done = subprocess.run(command, cwd=source, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        raise SystemExit(f"The packages cannot be built:\n{done.stdout}{done.stderr}")
    return sorted(target.iterdir())


def export(commit: str, folder: Path) -> None:
    """Write the files of a commit into the folder, and none that are not part of it."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, capture_output=True, check=True).stdout
    with tarfile.open(fileobj=BytesIO(archive)) as files:
        files.extractall(folder, filter="data")


def digest(file: Path) -> str:
    return hashlib.sha256(file.read_bytes()).hexdigest()


def build_twice(commit: str, target: Path) -> list[Path]:
    """Build in two folders, at two times, under two sets of variables. Raises NotReproducible where it shows."""
    commit = _git("rev-parse", commit)  # a branch may move meanwhile
    epoch = int(_git("log", "-1", "--format=%ct", commit))
    with tempfile.TemporaryDirectory(prefix="memoro-package-") as made:
        first, second = Path(made, "one"), Path(made, "two", "deeper")
        for source in (first, second):
            source.mkdir(parents=True)
            export(commit, source)
        for number, file in enumerate(second.rglob("*")):  # as if written at another time, by another person
            os.utime(file, (1_700_000_000 + number, 1_700_000_000 + number))
            file.chmod(0o700 if file.is_dir() or os.access(file, os.X_OK) else 0o600)
        built = [
            build(source, Path(made, f"built{number}"), epoch=epoch, kinds=("wheel", "sdist"), more=more)
            for number, (source, more) in enumerate(((first, {}), (second, OTHER)))
        ]
        compare(*built)
        for file in built[0]:
            refuse_paths(file, made)
        compare(built[0][:1], [_wheel_of_sdist(built[0][1], Path(made, "three"), epoch)])
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        return [Path(shutil.copy(file, target)) for file in built[0]]


def _wheel_of_sdist(sdist: Path, folder: Path, epoch: int) -> Path:
    """Build the wheel from the sdist, as an installer without a wheel would."""
    with tarfile.open(sdist) as files:
        files.extractall(folder, filter="data")
    (source,) = folder.iterdir()
    (wheel,) = build(source, folder / "built", epoch=epoch, kinds=("wheel",), more={})
    return wheel


def compare(first: list[Path], second: list[Path]) -> None:
    if [file.name for file in first] != [file.name for file in second]:
        raise NotReproducible(f"{first} and {second} are not the same packages.")
    for one, other in zip(first, second, strict=True):
        if digest(one) != digest(other):
            raise NotReproducible(f"Two builds of {one.name} differ: {digest(one)} and {digest(other)}.")


def refuse_paths(package: Path, folder: str) -> None:
    """Refuse a package that has the folder of its build in a name or in a file."""
    needle = folder.encode()
    for name, data in contents(package).items():
        if folder in name or needle in data:
            raise NotReproducible(f"{name} in {package.name} names the folder in which it was built.")


def contents(package: Path) -> dict[str, bytes]:
    if package.suffix == ".whl":
        with zipfile.ZipFile(package) as archive:
            return {name: archive.read(name) for name in archive.namelist()}
    with tarfile.open(package) as archive:
        files = (member for member in archive.getmembers() if member.isfile())
        return {member.name: found.read() for member in files if (found := archive.extractfile(member))}


def _git(*words: str) -> str:
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=True).stdout.strip()


def main() -> None:
    commit = _git("rev-parse", "HEAD")
    if _git("status", "--porcelain", "--untracked-files=no"):
        print("Changes that are not committed are not in the packages.", file=sys.stderr)
    try:
        built = build_twice(commit, ROOT / "dist")
    except NotReproducible as error:
        sys.exit(str(error))
    print(f"commit {commit[:12]}, built twice, with the same bytes:")
    for file in built:
        print(f"{digest(file)}  {file.relative_to(ROOT)}  {file.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
