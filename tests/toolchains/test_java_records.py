"""Which lines of a shared file are the launcher's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from repoproof.toolchains.java_tests import vouched


@pytest.mark.parametrize(
    ("lines", "kept"),
    [
        ([], 0),
        ([{"nonce": "right", "n": 0}, {"nonce": "right", "n": 1}], 2),
        ([{"nonce": "wrong", "n": 0}, {"nonce": "right", "n": 0}], 1),
        ([{"nonce": "right", "n": 0}, {"nonce": "right", "n": 2}, {"nonce": "right", "n": 1}], 1),
        ([{"nonce": "right", "n": 0}, {"nonce": "right", "n": 0}], 1),
        (["text", 3, None, {"nonce": "right", "n": 0}], 1),
    ],
)
def test_only_what_the_launcher_wrote_in_its_order_is_vouched_for(tmp_path: Path, lines: list, kept: int) -> None:
    file = tmp_path / "records.jsonl"
    file.write_text("".join(f"{json.dumps(line)}\n" for line in lines) + '{"nonce": "right", "n":')
    assert len(vouched(file, "right")) == kept
