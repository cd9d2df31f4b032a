"""The attacker's build leaves directories inside one another, thousands deep: what copies, measures or removes a tree on our side would run
out of stack, an infrastructure error, and the half-built tree could not be removed from the cache ever after.
"""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repoproof.core.outcomes import Cause
from repoproof.sandbox import Limits, Sandbox, Scratch, View
from repoproof.toolchains import NodeToolchain

DEEP = "import os\nfor _ in range(3000): os.mkdir('d'); os.chdir('d')"


@pytest.mark.needs("bubblewrap")
def test_a_tree_too_deep_to_walk_is_not_taken_out_of_the_sandbox(tmp_path: Path, box: Sandbox) -> None:
    view = View(mounts=(Scratch(target="/app", keep=tmp_path / "kept"),), workdir="/app")
    result = box.run(["python3", "-c", DEEP], view=view, limits=Limits())
    assert result.cause is Cause.OUTPUT_LIMIT
    assert list(tmp_path.iterdir()) == []


@pytest.mark.needs("bubblewrap")
@pytest.mark.needs("node")
def test_a_build_that_makes_one_is_a_failed_build_and_leaves_nothing(
    tmp_path: Path, tmp_path_factory: pytest.TempPathFactory, box: Sandbox
) -> None:
    script = "node -e \"for (let i = 0; i < 3000; i++) { fs.mkdirSync('d'); process.chdir('d') }\""
    (tmp_path / "package.json").write_text(json.dumps({"scripts": {"start": "node dist/server.js", "build": script}}))
    cache = tmp_path_factory.mktemp("cache")
    prepared = NodeToolchain().prepare(tmp_path, box=box, cache=cache, log=lambda name, content: None)
    assert not prepared.ok
    assert prepared.phases[-1].cause is Cause.OUTPUT_LIMIT
    assert list((cache / ".staging").iterdir()) == []
