"""Suites on disk: what loads, and how whatever is wrong is named."""

from __future__ import annotations

import json
import os
import shutil
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest
from pydantic import Field

from repoproof.core.base import Frozen
from repoproof.core.errors import BadInput
from repoproof.core.health import Health
from repoproof.core.suite import Suite
from repoproof.core.suite_files import read_health, read_info, read_suite, seal_suite, write_health
from repoproof.core.task import OptionalSuitePath, SuitePath, Task


class Answer(Frozen):
    tests: SuitePath
    extra: OptionalSuitePath = ""


class Riddle(Task):
    text: SuitePath
    port: int = Field(default=80, ge=1, le=65535)
    """Where it listens."""
    pages: tuple[SuitePath, ...] = ()
    sealed: Answer | None = None


def accept(task: Task) -> None:
    """Nothing to object to."""


def load(root: Path, check: Callable[[Task], None] = accept, *, must_be_sealed: bool = True) -> Suite:
    return read_suite(root, task_type=Riddle, sealed_type=Answer, check=check, must_be_sealed=must_be_sealed)


def public_line(id: str, **more: object) -> dict[str, object]:
    provenance = {"source": "us", "licence": "Apache-2.0"}
    return {"id": id, "provenance": provenance, "text": f"files/{id}/README.md", **more}


def write_lines(file: Path, *lines: object) -> None:
    file.write_text("".join((line if isinstance(line, str) else json.dumps(line)) + "\n" for line in lines))


@pytest.fixture
def suite(tmp_path: Path) -> Path:
    """A sealed suite of two tasks, `one` and `two`."""
    root = tmp_path / "riddles"
    for id in ("one", "two"):
        for file in (f"public/files/{id}/README.md", f"sealed/tests/{id}/test_it.py"):
            (root / file).parent.mkdir(parents=True)
            (root / file).write_text(f"{id}: {file}\n")
    info = {"schema_version": 1, "name": "riddles", "version": "1", "family": "riddle", "licence": "Apache-2.0"}
    (root / "suite.json").write_text(json.dumps(info))
    write_lines(root / "public/tasks.jsonl", public_line("one"), public_line("two"))
    write_lines(root / "sealed/tasks.jsonl", *({"id": id, "tests": f"tests/{id}"} for id in ("one", "two")))
    seal_suite(root)
    return root


def reseal(root: Path) -> Suite:
    seal_suite(root)
    return load(root)


def test_a_suite_loads_with_its_tasks_placed(suite: Path) -> None:
    loaded = load(suite)
    assert [task.id for task in loaded] == ["one", "two"]
    assert loaded.has_sealed
    task = loaded.task("one")
    assert isinstance(task, Riddle) and task.sealed is not None
    assert (task.public / task.text).read_text().startswith("one")
    assert (task.sealed_root / task.sealed.tests / "test_it.py").is_file()
    assert len(loaded.digest) == len(task.digest) == 64


def test_the_public_half_alone_loads(suite: Path) -> None:
    whole = load(suite)
    shutil.rmtree(suite / "sealed")
    public = load(suite)
    assert not public.has_sealed
    assert public.digest == whole.digest
    assert all(isinstance(task, Riddle) and task.sealed is None for task in public)


def test_byte_order_marks_carriage_returns_and_blank_lines_change_no_task(suite: Path) -> None:
    before = load(suite)
    file = suite / "public/tasks.jsonl"
    file.write_bytes(b"\xef\xbb\xbf" + file.read_bytes().replace(b"\n", b"\r\n\r\n"))
    assert [task.digest for task in reseal(suite)] == [task.digest for task in before]


def set_port(root: Path, port: object) -> None:
    write_lines(root / "public/tasks.jsonl", public_line("one"), public_line("two", port=port))


def add_link(root: Path) -> None:
    (root / "public/files/out").symlink_to("/etc/passwd")


def add_link_through_a_directory(root: Path) -> None:
    (root / "sealed/tests/up").symlink_to("..")
    (root / "sealed/tests/one/out").symlink_to("../up/../public/tasks.jsonl")


def rewrite(file: str, *lines: object) -> Callable[[Path], None]:
    return lambda root: write_lines(root / file, *lines)


def suite_json(**more: object) -> Callable[[Path], None]:
    def change(root: Path) -> None:
        info = json.loads((root / "suite.json").read_text())
        (root / "suite.json").write_text(json.dumps({**info, **more}))

    return change


PUBLIC, SEALED = "public/tasks.jsonl", "sealed/tasks.jsonl"
ONE, TWO = public_line("one"), public_line("two")
WRONG: dict[str, tuple[Callable[[Path], object], str]] = {
    "a number out of bounds": (
        lambda root: set_port(root, 99999),
        '/public/tasks.jsonl:2: task "two": port: 99999 is not in 1..65535 (Where it listens)',
    ),
    "a value of another type": (
        lambda root: set_port(root, "many"),
        '/public/tasks.jsonl:2: task "two": port: "many": input should be a valid integer',
    ),
    "two wrong fields": (
        rewrite(PUBLIC, ONE, public_line("two", port=0, tags=3)),
        ':2: task "two": tags: 3: input should be a list; 1 more: port',
    ),
    "a misspelt field": (
        rewrite(PUBLIC, ONE, public_line("two", prot=1)),
        ":2: task \"two\": prot: unknown field (did you mean 'port'?)",
    ),
    "a misspelt field inside": (
        rewrite(PUBLIC, ONE, public_line("two", provenance={"source": "us", "licence": "MIT", "licnece": ""})),
        ":2: task \"two\": provenance.licnece: unknown field (did you mean 'licence'?)",
    ),
    "a missing field": (
        rewrite(PUBLIC, ONE, {**TWO, "provenance": {"source": "us"}}),
        ':2: task "two": provenance.licence: missing (SPDX expression)',
    ),
    "no id": (rewrite(PUBLIC, ONE, {"text": "x"}), "/public/tasks.jsonl:2: id: missing"),
    "an id that is no name": (
        rewrite(PUBLIC, ONE, TWO | {"id": "../x"}),
        'public/tasks.jsonl:2: task "../x": not in sealed/tasks.jsonl',
    ),
    "an id twice": (rewrite(PUBLIC, ONE, TWO, ONE), '/public/tasks.jsonl:3: id: "one" is already on line 1'),
    "a sealed id twice": (
        rewrite(SEALED, {"id": "one", "tests": "tests/one"}, {"id": "one", "tests": "tests/one"}),
        '/sealed/tasks.jsonl:2: id: "one" is already on line 1',
    ),
    "a task without its sealed line": (
        rewrite(SEALED, {"id": "one", "tests": "tests/one"}),
        '/public/tasks.jsonl:2: task "two": not in sealed/tasks.jsonl',
    ),
    "a sealed line without its task": (
        rewrite(PUBLIC, ONE),
        '/sealed/tasks.jsonl:2: task "two": not in public/tasks.jsonl',
    ),
    "the sealed part in the public half": (
        rewrite(PUBLIC, ONE, public_line("two", sealed={"tests": "tests/two"})),
        ':2: task "two": sealed: found in the public half',
    ),
    "a wrong sealed field": (
        rewrite(SEALED, {"id": "one", "tests": "tests/one"}, {"id": "two", "tests": 3}),
        '/sealed/tasks.jsonl:2: task "two": tests: 3: input should be a valid string',
    ),
    "a file that is not there": (
        rewrite(PUBLIC, ONE, {**TWO, "text": "files/two/READ.md"}),
        ':2: task "two": text: no files/two/READ.md in public/',
    ),
    "a file in a list that is not there": (
        rewrite(PUBLIC, ONE, {**TWO, "pages": ["files/two/README.md", "files/3"]}),
        ':2: task "two": pages[1]: no files/3 in public/',
    ),
    "a path upwards": (
        rewrite(PUBLIC, ONE, {**TWO, "text": "files/../../sealed/tasks.jsonl"}),
        ':2: task "two": text: "files/../../sealed/tasks.jsonl" leaves its half of the suite',
    ),
    "an absolute path": (rewrite(PUBLIC, ONE, {**TWO, "text": "/etc/passwd"}), "leaves its half of the suite"),
    "no path": (rewrite(PUBLIC, ONE, {**TWO, "text": ""}), 'text: "" is not a plain relative path'),
    "a link out": (add_link, "/public: link-out-of-tree: files/out -> /etc/passwd"),
    "a link out through another": (
        add_link_through_a_directory,
        "/sealed: link-out-of-tree: tests/one/out -> ../up/../public/tasks.jsonl",
    ),
    "a fifo": (lambda root: os.mkfifo(root / "public/pipe"), "/public: fifo-file: pipe"),
    "not JSON": (rewrite(PUBLIC, ONE, '{"id": "two",}'), "/public/tasks.jsonl:2: not JSON: "),
    "not an object": (rewrite(PUBLIC, ONE, '["two"]'), "/public/tasks.jsonl:2: not a JSON object"),
    "a key twice": (rewrite(PUBLIC, ONE, '{"id": "two", "id": "two"}'), ':2: key "id" is there twice'),
    "not a number": (rewrite(PUBLIC, ONE, '{"id": "two", "port": NaN}'), ":2: NaN is not JSON"),
    "nested without end": (rewrite(PUBLIC, ONE, "[" * 100_000), ":2: nested too deep"),
    "not UTF-8": (lambda root: (root / PUBLIC).write_bytes(b'{"id": "\xff"}\n'), ":1: not UTF-8 at byte 9"),
    "no tasks": (rewrite(PUBLIC), "/public/tasks.jsonl: no tasks in it"),
    "no public half": (lambda root: shutil.rmtree(root / "public"), "/public: no such directory"),
    "no tasks.jsonl": (lambda root: (root / PUBLIC).unlink(), "/public/tasks.jsonl: no such file"),
    "no suite.json": (lambda root: (root / "suite.json").unlink(), "/riddles: no suite.json in it"),
    "no suite": (lambda root: shutil.rmtree(root), "/riddles: no such directory"),
    "a newer schema": (
        suite_json(schema_version=2, wonders=True),
        "/suite.json: schema_version: 2 cannot be read: this program reads version 1 (use a newer repoproof)",
    ),
    "an unknown field of the suite": (
        suite_json(nmae="x"),
        "/suite.json: nmae: unknown field (did you mean 'name'?)",
    ),
    "a suite.json that is not JSON": (
        lambda root: (root / "suite.json").write_text('{\n "name": riddles}'),
        "/suite.json:2: not JSON: Expecting value at column 10",
    ),
    "a damaged health record": (
        lambda root: write_lines(root / "health.jsonl", {"task": "one"}),
        "/health.jsonl:1: digest: missing",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_what_is_wrong_is_named_by_file_line_field_and_mend(suite: Path, name: str) -> None:
    spoil, expected = WRONG[name]
    spoil(suite)
    with pytest.raises(BadInput) as raised:
        load(suite, must_be_sealed=False)
    assert expected in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_id_is_a_plain_name(suite: Path) -> None:
    write_lines(suite / PUBLIC, ONE, {**TWO, "id": "../x"})
    write_lines(suite / SEALED, {"id": "one", "tests": "tests/one"}, {"id": "../x", "tests": "tests/two"})
    with pytest.raises(BadInput, match=r"tasks.jsonl:2: task \"../x\": id: .* must match"):
        load(suite, must_be_sealed=False)


def test_a_file_changed_after_sealing_is_noticed_and_sealing_mends_it(suite: Path) -> None:
    (suite / "sealed/tests/one/test_it.py").write_text("changed\n")
    with pytest.raises(BadInput, match=r"suite\.json: digests\.sealed: sealed/ is not what was sealed.*repoproof seal"):
        load(suite)
    assert [task.id for task in reseal(suite)] == ["one", "two"]


def test_an_unsealed_suite_loads_only_for_editing(suite: Path) -> None:
    suite_json(digests=None)(suite)
    with pytest.raises(BadInput, match=r"suite\.json: digests: not sealed yet \(repoproof seal"):
        load(suite)
    edited = load(suite, must_be_sealed=False)
    assert edited.digest == reseal(suite).digest


def test_sealing_needs_both_halves(suite: Path) -> None:
    shutil.rmtree(suite / "sealed")
    with pytest.raises(BadInput, match="/sealed: no such directory"):
        seal_suite(suite)


CHANGES: dict[str, tuple[Callable[[Path], object], bool]] = {
    "its specification": (lambda root: (root / "public/files/one/README.md").write_text("new"), True),
    "one of its tests": (lambda root: (root / "sealed/tests/one/test_it.py").write_text("new"), True),
    "a new test": (lambda root: (root / "sealed/tests/one/test_more.py").touch(), True),
    "an executable bit": (lambda root: (root / "sealed/tests/one/test_it.py").chmod(0o755), True),
    "its line": (rewrite(PUBLIC, {**ONE, "domain": "blog"}, TWO), True),
    "the order of its keys": (rewrite(PUBLIC, dict(reversed(ONE.items())), TWO), False),
    "the other task": (lambda root: (root / "sealed/tests/two/test_it.py").write_text("new"), False),
    "a file that no task names": (lambda root: (root / "public/NOTES").write_text("new"), False),
    "a time": (lambda root: os.utime(root / "public/files/one/README.md", (1, 1)), False),
    "other mode bits": (lambda root: (root / "sealed/tests/one/test_it.py").chmod(0o600), False),
    "compiled tests": (lambda root: (root / "sealed/tests/one/__pycache__").mkdir(), False),
    "an empty directory": (lambda root: (root / "sealed/tests/one/empty").mkdir(), False),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_task_digest_changes_exactly_with_what_is_the_task(suite: Path, name: str) -> None:
    change, changed = CHANGES[name]
    before = load(suite).task("one").digest
    change(suite)
    assert (reseal(suite).task("one").digest != before) is changed


def test_what_the_family_objects_to_gets_file_and_line(suite: Path) -> None:
    def object_to_two(task: Task) -> None:
        if task.id == "two":
            raise BadInput("no such test", field="sealed.tests", mend="write it")

    with pytest.raises(BadInput) as raised:
        load(suite, object_to_two)
    assert str(raised.value).endswith('/sealed/tasks.jsonl:2: task "two": tests: no such test (write it)')


def health(suite: Suite, id: str, *, healthy: bool, digest: str | None = None) -> Health:
    return Health(
        task=id,
        digest=digest or suite.task(id).digest,
        healthy=healthy,
        reasons=() if healthy else ("an empty submission passes",),
        reference_passed=True,
        repeats=3,
        empty_passed=not healthy,
        stub_passed=False,
        checked=datetime(2026, 1, 1, tzinfo=UTC),
    )


def test_only_a_health_record_of_the_very_same_task_quarantines_it(suite: Path) -> None:
    loaded = load(suite)
    assert loaded.health_version == "none"
    write_health(suite, [health(loaded, "one", healthy=False), health(loaded, "two", healthy=False, digest="0" * 64)])
    again = load(suite)
    assert again.quarantined == {"one": "an empty submission passes"}
    assert len(again.health_version) == 12
    assert again.digest == loaded.digest


def test_new_health_records_take_the_place_of_the_same_tasks_only(suite: Path) -> None:
    loaded = load(suite)
    write_health(suite, [health(loaded, "one", healthy=False), health(loaded, "two", healthy=False)])
    first = load(suite).health_version
    write_health(suite, [health(loaded, "one", healthy=True)])
    assert [(record.task, record.healthy) for record in read_health(suite)] == [("one", True), ("two", False)]
    assert load(suite).health_version != first
    assert sorted(path.name for path in suite.iterdir()) == ["health.jsonl", "public", "sealed", "suite.json"]


def test_validations_of_different_tasks_do_not_undo_each_other(suite: Path) -> None:
    """Each reads what is there and writes all of it: without a lock, records would be lost."""
    record = health(load(suite), "one", healthy=False)
    records = [record.model_copy(update={"task": f"task-{n}"}) for n in range(30)]
    threads = [threading.Thread(target=write_health, args=(suite, [record])) for record in records]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert {record.task for record in read_health(suite)} == {record.task for record in records}


def test_suite_json_alone_tells_the_family(suite: Path) -> None:
    shutil.rmtree(suite / "public")
    assert read_info(suite).family == "riddle"
