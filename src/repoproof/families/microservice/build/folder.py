"""The task folder: tests, reference, `task.json`, the draft of a specification, and `build.json`, which says how it all came to be."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ....core.tree import copy_tree
from ..task import MicroserviceTask
from .records import Operation

if TYPE_CHECKING:
    from .pipeline import Built


def write_folder(
    folder: Path, task: MicroserviceTask, reference: Path, tests: Path, operations: Sequence[Operation], readme: str, built: Built,
) -> None:  # fmt: skip
    """Write it to `folder` (must not exist): what `repoproof add` takes."""
    folder.mkdir()
    record = task.model_dump(mode="json", exclude={"sealed", "specification"}, exclude_defaults=True)
    record["endpoints"] = [{"method": one.method, "path": one.path} for one in operations]
    _write_json(folder / "task.json", record)
    (folder / "README.md").write_text(readme, encoding="utf-8")
    copy_tree(tests, folder / "tests")
    copy_tree(reference, folder / "reference")
    summary = built.model_dump(mode="json")
    if built.score is not None:
        summary["score"] |= {
            "tried": len(built.score.fates),
            "killed": built.score.killed,
            "rate": round(built.score.rate, 4),
        }
    _write_json(folder / "build.json", summary)


def _write_json(path: Path, value: object) -> None:
    path.write_text(json.dumps(value, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")
