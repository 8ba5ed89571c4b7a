"""The packages: the same bytes from the same files, and a wheel that does everything outside of the checkout."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from tools.package import NotReproducible, build, compare, contents, refuse_paths
from tools.smoke import FEATURES
from tools.smoke_story import Installed, base_story

import memoro
from memoro.hosts import CONNECTABLE

ROOT = Path(__file__).parent.parent
EPOCH = 1_790_000_000
NEEDED = ("src", "README.md", "LICENSE", "NOTICE", "pyproject.toml")


def built(folder: Path, **more: str) -> Path:
    """The wheel of the files as they are now, built in a copy of them."""
    source = folder / "source"
    source.mkdir(parents=True)
    for name in NEEDED:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, source / name, ignore=shutil.ignore_patterns("__pycache__"))
        else:
            shutil.copy(ROOT / name, source / name)
    (wheel,) = build(source, folder / "dist", epoch=EPOCH, kinds=("wheel",), more=more)
    return wheel


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return built(tmp_path_factory.mktemp("one"))


def test_a_second_build_elsewhere_has_the_same_bytes(wheel: Path, tmp_path: Path) -> None:
    other = built(tmp_path / "two" / "deeper", TZ="Pacific/Apia", LC_ALL="C", PYTHONHASHSEED="7")
    compare([wheel], [other])
    refuse_paths(wheel, str(wheel.parent.parent))


def test_a_difference_and_a_path_are_noticed(wheel: Path, tmp_path: Path) -> None:
    other = tmp_path / wheel.name
    other.write_bytes(wheel.read_bytes() + b"\n")
    with pytest.raises(NotReproducible, match="differ"):
        compare([wheel], [other])
    with pytest.raises(NotReproducible, match="names the folder"):
        refuse_paths(wheel, "memoro/cli/run.py")


def test_the_wheel_alone_does_everything(wheel: Path, tmp_path: Path) -> None:
    """Its dependencies are those of this environment; the code is that of the wheel."""
    target, me = tmp_path / "installed", tmp_path / "me"
    me.mkdir()
    subprocess.run(
        [sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--no-index", "--no-compile", "--target", target,
         wheel],
        check=True, env={"PIP_DISABLE_PIP_VERSION_CHECK": "1", "PATH": "/usr/bin:/bin"},
    )  # fmt: skip
    installed = Installed((sys.executable, "-P", "-m", "memoro"), me, {"PYTHONPATH": str(target)})
    where = subprocess.run(
        [sys.executable, "-P", "-c", "import memoro; print(memoro.__file__)"],
        env=installed.environment, cwd=me, capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert Path(where.stdout.strip()).is_relative_to(target)
    assert "uninstall" in base_story(installed, memoro.__version__)


def test_the_wheel_holds_its_licence_its_types_and_no_tests(wheel: Path) -> None:
    names = set(contents(wheel))
    assert {"memoro/py.typed", f"memoro-{memoro.__version__}.dist-info/licenses/LICENSE"} <= names
    assert not [name for name in names if "test_" in name or name.endswith(".pyc")]
    assert {f"memoro/hosts/{name.replace('-', '_')}.py" for name in CONNECTABLE} <= names


def test_every_extra_is_tried_and_described_and_all_leaves_out_models_alone() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    names = set(extras) - {"dev", "all"}
    assert set(FEATURES) == names
    assert set(re.findall(r"[a-z0-9-]+", extras["all"][0].partition("[")[2])) == names - {"fastembed", "model2vec"}
    told = (ROOT / "docs" / "install.md").read_text()
    assert [name for name in (*names, "all") if f"| `{name}` |" not in told] == []


def instructions(file: Path) -> list[tuple[str, str]]:
    """Each instruction of a Containerfile with its whole text, without comments."""
    lines = [line for line in file.read_text().splitlines() if line.strip() and not line.lstrip().startswith("#")]
    text = "\n".join(lines).replace("\\\n", " ")
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in text.splitlines())]


def test_the_container_runs_as_nobody_and_holds_no_secret() -> None:
    found = instructions(ROOT / "deploy" / "Containerfile")
    stages = [place for place, (name, _) in enumerate(found) if name == "FROM"]
    last = dict(found[stages[-1] :])
    assert len(stages) == 2
    assert last["USER"] == "10001:10001" and last["VOLUME"] == "/var/lib/memoro"
    assert "/opt/memoro/ready.py" in last["HEALTHCHECK"]
    assert last["ENTRYPOINT"] == '["memoro"]'
    assert {name for name, _ in found} <= {
        "ARG", "FROM", "COPY", "RUN", "ENV", "USER", "WORKDIR", "VOLUME", "EXPOSE", "STOPSIGNAL", "HEALTHCHECK",
        "ENTRYPOINT", "CMD",
    }  # fmt: skip
    assert not [rest for _, rest in found if re.search("password|token|secret|key=", rest, re.IGNORECASE)]


def test_the_container_installs_extras_that_exist_from_wheels_alone() -> None:
    (install,) = [rest for name, rest in instructions(ROOT / "deploy" / "Containerfile") if "pip install" in rest]
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert "--only-binary :all:" in install
    asked = re.search(r"memoro\[([a-z,0-9-]+)\]", install)
    assert asked and set(asked[1].split(",")) <= set(extras)
    told = (ROOT / "docs" / "install.md").read_text()
    assert all(f"`{extra}`" in told.partition("## Container")[2].partition("## ")[0] for extra in asked[1].split(","))
