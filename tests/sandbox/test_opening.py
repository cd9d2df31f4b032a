from __future__ import annotations

import pytest

from repoproof.core.errors import BadInput, InfrastructureError
from repoproof.sandbox import open_sandbox
from repoproof.sandbox.doctor import probe


@pytest.mark.needs("bubblewrap")
def test_bubblewrap_is_preferred():
    assert open_sandbox().name == "bubblewrap"


@pytest.mark.needs("bubblewrap")
def test_the_fingerprint_says_what_holds_the_limits():
    told = open_sandbox("bubblewrap").fingerprint()
    assert told["sandbox"] == "bubblewrap"
    assert told["limits"] in ("cgroup v1", "cgroup v2", "rlimits")
    assert all(told.values())


def test_an_unknown_name_is_the_users_to_mend():
    with pytest.raises(BadInput, match="choose auto, bubblewrap or docker"):
        open_sandbox("chroot")


def test_without_any_sandbox_nothing_runs_and_one_line_says_what_was_tried(monkeypatch, tmp_path):
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
    with pytest.raises(InfrastructureError) as raised:
        open_sandbox()
    said = str(raised.value)
    assert "\n" not in said
    for word in ("bubblewrap:", "apt-get install bubblewrap", "docker:", "repoproof doctor"):
        assert word in said


class TestDoctor:
    def test_everything_that_was_looked_at_has_a_finding_and_what_is_missing_a_mend(self):
        findings = probe()
        names = [finding.name for finding in findings]
        assert {"a sandbox", "bubblewrap", "docker", "limits", "cache"} <= set(names)
        assert len(names) == len(set(names))
        assert all(bool(finding.mend) != finding.ok for finding in findings)

    def test_a_machine_with_nothing_is_told_what_to_install(self, monkeypatch, tmp_path):
        monkeypatch.setenv("PATH", str(tmp_path))
        monkeypatch.setenv("DOCKER_HOST", f"unix://{tmp_path}/absent.sock")
        found = {finding.name: finding for finding in probe()}
        assert not found["a sandbox"].ok
        assert found["a sandbox"].needed
        assert "apt-get install bubblewrap" in found["bubblewrap"].mend
        assert not found["docker"].ok
