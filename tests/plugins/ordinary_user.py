"""Running things as somebody who is not root: no capabilities, no writable control groups, a home of his own."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

USER = 1234
ROOT = Path(__file__).parents[2]
SWITCH = ("setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups", "--inh-caps=-all")


@dataclass(frozen=True)
class OrdinaryUser:
    """Somebody with a home, and a checkout and an interpreter that he can read."""

    home: Path
    checkout: Path
    python: Path

    def run(self, *words: object, **environment: str) -> subprocess.CompletedProcess[str]:
        """Run our interpreter with these arguments in the checkout, and nothing of our environment but PATH and registries' settings."""
        carried = {k: v for k, v in os.environ.items() if "CERT" in k or "CA_BUNDLE" in k or k.startswith(("UV_", "NPM_", "PIP_", "npm_"))}  # fmt: skip
        own = {
            "HOME": str(self.home), "PATH": f"{self.python.parent}:{os.environ['PATH']}", "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONPATH": str(self.checkout / "src"), "TMPDIR": str(self.home),
        }  # fmt: skip
        return subprocess.run(
            [*SWITCH, str(self.python), *map(str, words)],
            cwd=self.checkout, env={**carried, **own, **environment}, capture_output=True, text=True, check=False,
        )  # fmt: skip


def allowed(*test: str) -> bool:
    return subprocess.run([*SWITCH, "test", *test], check=False).returncode == 0


@contextmanager
def ordinary_user(needed: Sequence[str] = ("src", "suites", "tests", "pyproject.toml")) -> Iterator[OrdinaryUser]:
    """Such a user. Where he cannot enter this checkout (below root's home, say), he gets a copy of it with its virtual environment."""
    with tempfile.TemporaryDirectory(prefix="ordinary-user-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        home = folder / "home"
        home.mkdir()
        os.chown(home, USER, USER)
        checkout, python = ROOT, Path(sys.executable)
        if not (allowed("-r", str(ROOT / "pyproject.toml")) and allowed("-x", str(python))):
            checkout = folder / "checkout"
            for part in (*needed, ".venv"):
                copy = shutil.copytree if (ROOT / part).is_dir() else shutil.copyfile
                checkout.mkdir(exist_ok=True)
                copy(ROOT / part, checkout / part, **({"symlinks": True} if copy is shutil.copytree else {}))
            python = checkout / ".venv" / "bin" / "python"
            if not allowed("-x", str(python)):
                raise RuntimeError(
                    f"other users cannot run {python.resolve()}: make the environment from an interpreter in /usr"
                )
        yield OrdinaryUser(home, checkout, python)
