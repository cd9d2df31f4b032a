"""The same suite as an ordinary user: namespaces without root, limits without control groups."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

USER = 1234
ROOT = Path(__file__).parents[2]


@pytest.mark.needs("root", "bubblewrap")
def test_bubblewrap_does_the_same_for_an_ordinary_user(tmp_path):
    home = tmp_path / "home"
    home.mkdir()
    os.chown(home, USER, USER)
    for parent in (home, *home.parents):
        if parent.is_relative_to("/tmp") and parent != Path("/tmp"):
            parent.chmod(parent.stat().st_mode | 0o011)
    as_user = ["setpriv", f"--reuid={USER}", f"--regid={USER}", "--clear-groups"]
    if subprocess.run([*as_user, "test", "-r", str(ROOT / "pyproject.toml"), "-a", "-x", sys.executable]).returncode:
        pytest.skip("other users cannot read this checkout or its interpreter")
    suite = [str(ROOT / "tests" / name) for name in ("sandbox/test_conformance.py", "redteam/test_sandbox_escape.py")]
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-k", "bubblewrap", *suite]
    command += ["--basetemp", str(home / "tmp"), "--rootdir", str(ROOT)]
    environment = {"HOME": str(home), "PATH": os.environ["PATH"], "PYTHONDONTWRITEBYTECODE": "1"}
    result = subprocess.run([*as_user, *command], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]
    assert " passed" in result.stdout
