"""Control groups of version 2 on any host: a virtual machine with nothing else, where root, an ordinary user and a container use them."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

GUEST = Path(__file__).parents[2] / "scripts" / "guest.sh"
WHAT_GROUPS_DECIDE = "test_cgroup or TestLimits or TestForgedEnds or harness"


@pytest.mark.slow
@pytest.mark.timeout(1800)
@pytest.mark.needs("qemu", "network")
def test_limits_hold_where_control_groups_are_of_version_2():
    said = subprocess.run([GUEST, WHAT_GROUPS_DECIDE], capture_output=True, text=True)
    assert said.returncode == 0, said.stdout[-8000:] + said.stderr[-2000:]
    assert said.stdout.count("HierarchyV2(") == 3
