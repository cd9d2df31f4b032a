"""Submissions on disk: the three layouts, and how a wrong line is named. Hostile trees: tests/redteam/test_submission_trees.py."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest
from plugins.ordinary_user import ordinary_user

from repoproof.core.errors import BadInput, InfrastructureError
from repoproof.core.submissions import copy_tree, read_submissions

TASKS = ("blog", "shop")


def folder(root: Path, name: str, **files: str) -> Path:
    made = root / name
    made.mkdir(parents=True)
    for file, text in (files or {"app.py": f"print({name!r})\n"}).items():
        (made / file).write_text(text)
    return made


def index(root: Path, *lines: object) -> Path:
    root.mkdir(exist_ok=True)
    file = root / "submissions.jsonl"
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))
    return file


def test_a_bare_directory_has_one_folder_per_task(tmp_path: Path) -> None:
    for name in ("blog", "shop", "zoo", ".cache"):
        folder(tmp_path, name)
    (tmp_path / "README.md").touch()
    found = read_submissions(tmp_path, TASKS)
    assert [(item.task, item.attempt, item.files, item.refused) for item in found.items] == [
        ("blog", 0, 1, ""),
        ("shop", 0, 1, ""),
    ]
    assert found.unknown == ("zoo",)
    assert found.notes == ("not in a folder of a task, not scored: README.md",)
    assert found.items[0].path == (tmp_path / "blog").resolve()


def test_an_empty_directory_holds_no_submission(tmp_path: Path) -> None:
    assert read_submissions(tmp_path, TASKS).items == ()


def test_lines_name_folders_attempts_completions_and_origins(tmp_path: Path) -> None:
    folder(tmp_path, "first-try")
    folder(tmp_path, "shop")
    file = index(
        tmp_path,
        {"task": "blog", "attempt": 1, "path": "first-try", "origin": {"model": "m", "cost_usd": 0.5}},
        {"task": "blog", "completion": "def blog(): ...\n", "name": "short"},
    )
    for given in (tmp_path, file):
        found = read_submissions(given, TASKS)
        assert [(item.task, item.attempt, item.name) for item in found.items] == [
            ("blog", 1, "first-try"),
            ("blog", 0, "short"),
        ]
        assert found.items[0].origin.cost_usd == 0.5
        assert found.items[1].path is None and found.items[1].completion == "def blog(): ...\n"
        assert found.notes == ("shop/ is not mentioned in submissions.jsonl: not scored",)


def test_a_folder_that_is_called_as_its_number_gives_no_name(tmp_path: Path) -> None:
    for place in ("blog/0", "blog/1", "blog/first-try"):
        folder(tmp_path, place)
    lines = [("blog/0", 0), ("blog/1", 1), ("blog/first-try", 2)]
    file = index(tmp_path, *({"task": "blog", "path": path, "attempt": number} for path, number in lines))
    found = read_submissions(file, TASKS).items
    assert [item.name for item in found] == ["", "", "first-try"]
    assert not any(item.name_is_given for item in found)


WRONG: dict[str, tuple[object, str]] = {
    "the same attempt again": (
        {"task": "blog", "path": "blog"},
        ':2: task "blog": attempt: 0 is already on line 1 (number the attempts 0, 1, ...)',
    ),
    "neither": ({"task": "shop"}, ':2: task "shop": neither path nor completion (give exactly one of them)'),
    "both": ({"task": "shop", "path": "blog", "completion": ""}, ':2: task "shop": both path and completion'),
    "no task": ({"path": "blog"}, ":2: task: missing (Id of a task of the suite)"),
    "a task of no suite": ({"task": "shpo", "path": "blog"}, ":2: task: no 'shpo' in the suite (did you mean 'shop'?)"),
    "an attempt in quotes": ({"task": "shop", "path": "blog", "attempt": "1"}, ':2: attempt: "1": '),
    "an attempt that is a truth": ({"task": "shop", "path": "blog", "attempt": True}, ":2: attempt: true: "),
    "an empty path": (
        {"task": "shop", "path": ""},
        ":2: task \"shop\": path: '' is the folder of submissions.jsonl itself",
    ),
    "the folder itself": ({"task": "shop", "path": "."}, ":2: task \"shop\": path: '.' is the folder of"),
    "the folder itself, by a detour": (
        {"task": "shop", "path": "blog/.."},
        ":2: task \"shop\": path: 'blog/..' is the folder of",
    ),
    "an unknown field": ({"task": "shop", "pth": "blog"}, ":2: pth: unknown field (did you mean 'path'?)"),
    "a negative attempt": ({"task": "shop", "path": "blog", "attempt": -1}, ":2: attempt: -1: "),
    "an unknown field of the origin": (
        {"task": "shop", "path": "blog", "origin": {"modl": "m"}},
        ":2: origin.modl: unknown field (did you mean 'model'?)",
    ),
    "no such folder": ({"task": "shop", "path": "shp"}, ':2: task "shop": path: no directory shp'),
    "a NUL in the path": ({"task": "shop", "path": "a\0b"}, ':2: task "shop": path: not a path'),
    "a path that no file can have": ({"task": "shop", "path": "\ud800"}, ':2: task "shop": path: not a path'),
    "a cost without end": (
        '{"task": "shop", "path": "blog", "origin": {"cost_usd": 1e999}}',
        ":2: origin.cost_usd: Infinity: ",
    ),
    "less than no time": (
        {"task": "shop", "path": "blog", "origin": {"seconds": -1}},
        ":2: origin.seconds: -1: ",
    ),
    "not JSON": ('{"task": "shop"', ":2: not JSON: "),
}


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_line_is_named(tmp_path: Path, name: str) -> None:
    line, expected = WRONG[name]
    folder(tmp_path, "blog")
    index(tmp_path, {"task": "blog", "path": "blog"}, line)
    with pytest.raises(BadInput) as raised:
        read_submissions(tmp_path, TASKS)
    assert f"{tmp_path}/submissions.jsonl{expected}" in str(raised.value)


def test_a_text_is_no_answer_to_a_task_that_asks_for_a_directory(tmp_path: Path) -> None:
    index(tmp_path, {"task": "blog", "completion": "def blog(): ..."})
    expected = r':1: task "blog": completion: these tasks ask for a directory \(give its path instead\)'
    with pytest.raises(BadInput, match=expected):
        read_submissions(tmp_path, TASKS, completions=False)


def test_a_name_that_two_answers_to_one_task_go_by_names_neither(tmp_path: Path) -> None:
    for name in ("m1/answer", "m2/answer", "m3/other"):
        folder(tmp_path, name)
    lines = [("blog", 0, "m1/answer"), ("blog", 1, "m2/answer"), ("blog", 2, "m3/other"), ("shop", 0, "m1/answer")]
    index(tmp_path, *({"task": task, "attempt": attempt, "path": path} for task, attempt, path in lines))
    assert [item.name for item in read_submissions(tmp_path, TASKS).items] == ["", "", "other", "answer"]


def test_a_folder_is_mentioned_however_its_path_is_spelled(tmp_path: Path) -> None:
    folder(tmp_path, "blog")
    index(tmp_path, {"task": "blog", "path": "./blog/"})
    assert read_submissions(tmp_path, TASKS).notes == ()


def test_a_place_without_submissions_is_named(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"nowhere: no such file or directory \(give a directory"):
        read_submissions(tmp_path / "nowhere", TASKS)
    index(tmp_path)
    with pytest.raises(BadInput, match=r"submissions\.jsonl: no submissions in it"):
        read_submissions(tmp_path, TASKS)


def test_the_hash_is_of_paths_executable_bits_contents_and_links_and_of_nothing_else(tmp_path: Path) -> None:
    blog = folder(tmp_path, "blog", **{"a.py": "a", "start.sh": "s"})
    (blog / "link").symlink_to("a.py")

    def hash_now() -> str:
        return read_submissions(tmp_path, TASKS).items[0].hash

    first = hash_now()
    os.utime(blog / "a.py", (1, 1))
    (blog / "a.py").chmod(0o640)
    assert hash_now() == first
    seen = {first}
    for change in (
        lambda: (blog / "start.sh").chmod(0o755),
        lambda: (blog / "a.py").write_text("b"),
        lambda: (blog / "a.py").rename(blog / "b.py"),
        lambda: (blog / "c").mkdir(),
        lambda: ((blog / "link").unlink(), (blog / "link").symlink_to("b.py")),
        lambda: ((blog / "link").unlink(), (blog / "link").write_text("b.py")),
    ):
        change()
        assert hash_now() not in seen
        seen.add(hash_now())


def test_what_tools_leave_behind_is_left_out_and_said(tmp_path: Path) -> None:
    clean = folder(tmp_path / "clean", "blog")
    littered = folder(tmp_path / "littered", "blog")
    for name in (".git", "node_modules/left-pad", ".venv/bin", "src/__pycache__"):
        (littered / name).mkdir(parents=True)
        (littered / name / "file").write_text("litter")
    (clean / "src").mkdir()
    first, second = (read_submissions(tmp_path / name, TASKS) for name in ("clean", "littered"))
    assert first.items[0].hash == second.items[0].hash
    assert (first.notes, second.notes) == ((), ("blog: .git, .venv, __pycache__, node_modules left out",))
    copy_tree(second.items[0], tmp_path / "copy")
    assert sorted(path.name for path in (tmp_path / "copy").iterdir()) == ["app.py", "src"]


def test_a_copy_is_the_same_submission(tmp_path: Path) -> None:
    blog = folder(tmp_path, "blog", **{"a.py": "a", "start.sh": "s"})
    (blog / "start.sh").chmod(0o4755)
    (blog / "deep/er").mkdir(parents=True)
    (blog / "deep/link").symlink_to("../a.py")
    (blog / "deep/dangling").symlink_to("nowhere/else")
    (original,) = read_submissions(tmp_path, TASKS).items
    (tmp_path / "work").mkdir()
    copy_tree(original, tmp_path / "work/blog")
    (copied,) = read_submissions(tmp_path / "work", TASKS).items
    assert copied.hash == original.hash
    assert (tmp_path / "work/blog/deep/link").read_text() == "a"
    assert (tmp_path / "work/blog/start.sh").stat().st_mode & 0o7777 == 0o755
    assert (tmp_path / "work/blog/deep/er").is_dir()


def test_a_submission_that_changed_after_it_was_read_is_our_failure_not_its_own(tmp_path: Path) -> None:
    blog = folder(tmp_path, "blog")
    (read,) = read_submissions(tmp_path, TASKS).items
    (blog / "app.py").write_text("something else")
    with pytest.raises(InfrastructureError, match="changed after it was read"):
        copy_tree(read, tmp_path / "copy")


def test_a_name_with_a_line_break_is_shown_on_one_line(tmp_path: Path) -> None:
    folder(tmp_path, "blog")
    index(tmp_path, {"task": "blog", "path": "blog", "name": "two\nlines"})
    assert read_submissions(tmp_path, TASKS).items[0].name == "two\\nlines"


@pytest.mark.needs("root")
def test_a_folder_that_we_may_not_enter_is_not_the_solvers_failure(tmp_path: Path) -> None:
    script = (
        "import sys; from pathlib import Path; from repoproof.core.submissions import read_submissions;"
        "read_submissions(Path(sys.argv[1]), ['blog', 'shop'])"
    )
    with ordinary_user() as user:
        shut = folder(user.home / "shut", "blog")
        shut.chmod(0)
        unreadable = folder(user.home / "open", "blog")
        (unreadable / "app.py").chmod(0)
        refused, read = (user.run("-c", script, user.home / name) for name in ("shut", "open"))
    assert f"BadInput: {shut}: cannot be read: permission denied (let the user that scores read it)" in refused.stderr
    assert read.returncode == 0, read.stderr
