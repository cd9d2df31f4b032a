"""The same suite as an ordinary user: namespaces without root, limits without control groups."""

from __future__ import annotations

import pytest
from plugins.ordinary_user import ordinary_user


@pytest.mark.needs("root", "bubblewrap")
def test_bubblewrap_does_the_same_for_an_ordinary_user():
    with ordinary_user() as user:
        files = ("tests/sandbox/test_conformance.py", "tests/redteam/test_sandbox_escape.py")
        options = ("-q", "-p", "no:cacheprovider", "-k", "bubblewrap", "--basetemp", user.home / "tmp")
        result = user.run("-m", "pytest", *options, "--rootdir", user.checkout, *files)
    assert result.returncode == 0, result.stdout[-8000:] + result.stderr[-2000:]
    assert " passed" in result.stdout
