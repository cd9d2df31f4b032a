"""A repository as one text, there and back."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.completions.fences import Fence, fence_of
from repoproof.completions.filetree import File, FileTree, TreeCaps, parse_tree, render_tree, write_tree
from repoproof.core.errors import BadInput

_FENCES = ("```", "````", "~~~~", "```python", "```python:x/y.py")
_NAMES = ("### FILE: other.py", "**app/main.py**", "`a.py`:", "# app/z.py", "\\ No newline at end of file")
_THOUGHTS = ("<think>", "</think>", "<|channel|>final<|message|>")
_SPACES = ("\ufeff", "\r", "\x0c", "\x0b", "\u2028", " ", "\t", "")
_PIECES = st.sampled_from((*_FENCES, *_NAMES, *_THOUGHTS, *_SPACES, "x = 1"))
_CONTENT = st.lists(_PIECES | st.text(st.characters(exclude_categories=["Cs"])), max_size=12).flatmap(
    lambda pieces: st.sampled_from(["\n", "", "\r\n"]).map(lambda joint: joint.join(pieces))
)
_NAME = st.text(st.characters(categories=["L", "N"], include_characters="._-+@ `*'\"#:<>()"), min_size=1, max_size=12)


def _readable(path: str) -> bool:
    try:
        render_tree({path: ""})
    except BadInput:
        return False
    return True


_PATH = st.lists(_NAME, min_size=1, max_size=3).map("/".join).filter(_readable)


def _without_clashes(texts: dict[str, str]) -> dict[str, str]:
    return {path: text for path, text in texts.items() if not any(other.startswith(f"{path}/") for other in texts)}


@given(st.dictionaries(_PATH, _CONTENT, max_size=5).map(_without_clashes))
def test_what_is_rendered_is_read_back_exactly(texts: dict[str, str]) -> None:
    tree = parse_tree(render_tree(texts))
    assert {file.path: file.content for file in tree.files} == texts
    assert not tree.truncated
    assert not tree.notes or not texts


def _texts(tree: FileTree) -> dict[str, str]:
    return {file.path: file.content for file in tree.files}


# What models write instead of the official header; each with one block of one file.
@pytest.mark.parametrize(
    "header",
    [
        "### FILE: app/main.py",
        "# File: app/main.py",
        "#### file:`app/main.py`",
        "### **FILE:** `app/main.py`",
        "###FILE: ./app//main.py",
        "### FILE: app\\main.py",
        "**app/main.py**",
        "**`app/main.py`**",
        "**app/main.py:**",
        "**File: `app/main.py`**",
        "`app/main.py`",
        "`app/main.py`:",
        "app/main.py:",
        "## app/main.py",
        "### 1. `app/main.py`",
        "2. **app/main.py**",
        "- `app/main.py` (new)",
        "File: app/main.py",
        "filename: app/main.py",
        "Path: `app/main.py`",
    ],
)
def test_a_header_names_the_block_that_follows(header: str) -> None:
    for gap in ("\n", "\n\n"):
        assert _texts(parse_tree(f"Sure!\n\n{header}{gap}```python\nx = 1\n```\n\nDone.")) == {"app/main.py": "x = 1\n"}


@pytest.mark.parametrize(
    ("fence", "content"),
    [
        ("```python:app/main.py", "x = 1\n"),
        ("```app/main.py", "x = 1\n"),
        ("```python app/main.py", "x = 1\n"),
        ('```python title="app/main.py"', "x = 1\n"),
        ("``` {.python filename='app/main.py'}", "x = 1\n"),
        ("```py file=app/main.py", "x = 1\n"),
        ("```python\n# app/main.py", "# app/main.py\nx = 1\n"),
        ("```python\n# File: app/main.py", "# File: app/main.py\nx = 1\n"),
        ("```js\n// app/main.py", "// app/main.py\nx = 1\n"),
        ("```html\n<!-- app/main.py -->", "<!-- app/main.py -->\nx = 1\n"),
        ("```css\n/* app/main.py */", "/* app/main.py */\nx = 1\n"),
    ],
)
def test_a_block_says_its_own_name(fence: str, content: str) -> None:
    assert _texts(parse_tree(f"{fence}\nx = 1\n```\n")) == {"app/main.py": content}


@pytest.mark.parametrize(
    "text",
    [
        "```python\nx = 1\n```",
        "Here is the code for app/main.py and app/models.py\n\n```python\nx = 1\n```",
        "Run it with `uvicorn`:\n\n```\nuvicorn app.main:app\n```",
        "See https://example.com/app/main.py:\n```\nx\n```",
        "**Important**\n```\nx\n```",
        "Step 1:\n```\nx\n```",
        "```python\n# the file app/main.py\nx = 1\n```",
        "```python\n# see: README\nx = 1\n```",
    ],
)
def test_a_block_without_a_clear_name_is_left_out_and_told(text: str) -> None:
    tree = parse_tree(text)
    assert tree.files == ()
    assert len(tree.notes) == 1 and "without a file's name was left out" in tree.notes[0]


@pytest.mark.parametrize(
    ("path", "reason"),
    [
        ("/etc/passwd", "is absolute"),
        ("~/x", "is absolute"),
        ("../x", "leads upwards"),
        ("a/../../x", "leads upwards"),
        ("a\\..\\..\\x", "leads upwards"),
        ("C:\\x.py", "begins with a drive letter"),
        ("c:x.py", "begins with a drive letter"),
        ("a\x00b", "has control or invisible characters"),
        ("a\tb", "has control or invisible characters"),
        ("a\u202eb", "has control or invisible characters"),
        (".g\u200bit/config", "has control or invisible characters"),
        ("a/", "is a directory"),
        ("./.", "is a directory"),
        (".", "is a directory"),
        (".git/config", "is inside .git"),
        ("sub/.GIT/hooks/pre-commit", "is inside .git"),
        (".git./config", "is inside .git"),
        (".git::$INDEX_ALLOCATION/config", "is inside .git"),
        ("GIT~1/config", "is inside .git"),
        (".ｇit/config", "is inside .git"),
        ("a /b", "has a name that begins or ends with a space"),
        ("n" * 256, "has a name longer than 255 bytes"),
        ("é" * 128, "has a name longer than 255 bytes"),
        ("d/" * 600 + "x", "is longer than 1,024 bytes"),
    ],
)
def test_an_unsafe_path_is_refused_and_the_rest_is_kept(path: str, reason: str) -> None:
    tree = parse_tree(f"### FILE: {path}\n```\nbad\n```\n### FILE: ok.txt\n```\ngood\n```\n")
    assert _texts(tree) == {"ok.txt": "good\n"}
    assert len(tree.notes) == 1 and tree.notes[0].endswith(f"refused, the path {reason}")
    assert tree.notes[0].isprintable() and len(tree.notes[0]) < 250


@pytest.mark.parametrize(
    "path",
    [
        ".gitignore",
        ".github/workflows/ci.yml",
        "a..b",
        "...",
        "a b.txt",
        "src/[id].ts",
        "git/x",
        "été.py",
        "x.git/y",
        ":x",
        "#a",
    ],
)
def test_an_unusual_path_is_kept(path: str) -> None:
    assert _texts(parse_tree(render_tree({path: "x\n"}))) == {path: "x\n"}


@pytest.mark.parametrize(
    ("text", "content"),
    [
        ("### FILE: a\n```\none\ntwo\n", "one\ntwo\n"),
        ("### FILE: a\n```\none\ntw", "one\ntw"),
        ("### FILE: a\n````\none\n```\ntwo\n```\n", "one\n```\ntwo\n```\n"),
        ("### FILE: a\n```\none\n``", "one\n"),
    ],
)
def test_an_answer_that_ends_inside_a_file_keeps_what_is_there(text: str, content: str) -> None:
    tree = parse_tree(text)
    assert _texts(tree) == {"a": content}
    assert tree.truncated
    assert tree.notes == ("a: the answer ends inside it",)


def test_an_answer_that_ends_after_a_header_is_truncated() -> None:
    tree = parse_tree("### FILE: a\n```\nx\n```\n### FILE: b\n")
    assert _texts(tree) == {"a": "x\n"}
    assert tree.truncated
    assert tree.notes == ("b: no block follows its header",)


def test_windows_line_ends_of_the_answer_are_not_those_of_the_files() -> None:
    tree = parse_tree("\ufeffHello\r\n\r\n### FILE: a\r\n```\r\none\r\n\r\ntwo\r\n```\r\n")
    assert _texts(tree) == {"a": "one\n\ntwo\n"}


def test_a_readme_whose_fence_is_too_short_is_read_whole() -> None:
    readme = "# Service\n\n```bash\nmake\n```\n\nand\n\n```\nplain\n```\n\nThe end.\n"
    text = f"### FILE: README.md\n```markdown\n{readme}```\n\n### FILE: a.py\n```python\nx = 1\n```\n"
    assert _texts(parse_tree(text)) == {"README.md": readme, "a.py": "x = 1\n"}


def test_prose_may_stand_between_an_official_header_and_its_block() -> None:
    text = "### FILE: a.py\nThis is the entry point.\n\n```python\nx = 1\n```\nNext:\n### FILE: b.py\n```\ny\n```"
    assert _texts(parse_tree(text)) == {"a.py": "x = 1\n", "b.py": "y\n"}


def test_of_a_file_that_is_written_twice_the_last_counts() -> None:
    tree = parse_tree("### FILE: a\n```\n1\n```\n### FILE: ./a\n```\n2\n```\n")
    assert _texts(tree) == {"a": "2\n"}
    assert tree.notes == ("a: written more than once, the last one counts",)


@pytest.mark.parametrize(("first", "second"), [("a", "a/b"), ("a/b", "a"), ("a/b/c", "a")])
def test_a_file_is_no_folder_of_another(first: str, second: str) -> None:
    tree = parse_tree(f"### FILE: {first}\n```\n1\n```\n### FILE: {second}\n```\n2\n```\n")
    assert _texts(tree) == {first: "1\n"}
    assert tree.notes == (f"{second}: left out, {first} is in its way",)


def test_drafts_in_the_reasoning_are_no_files() -> None:
    text = "<think>\n### FILE: a\n```\ndraft\n```\n</think>\n### FILE: b\n```\nreal\n```\n"
    assert _texts(parse_tree(text)) == {"b": "real\n"}


def test_reasoning_that_never_ends_is_a_truncated_answer_without_files() -> None:
    tree = parse_tree("<think>\n### FILE: a\n```\ndraft\n```\n")
    assert tree.files == () and tree.truncated
    assert tree.notes == ("the answer ends in the middle of its reasoning",)


def test_more_than_the_caps_is_left_out() -> None:
    text = render_tree({"a": "1234", "b": "12", "c": "123", "d": "1", "e": "1"})
    tree = parse_tree(text, caps=TreeCaps(files=2, file_bytes=3, total_bytes=4, notes=2))
    assert _texts(tree) == {"b": "12", "d": "1"}
    assert tree.notes == (
        "a: left out, it is larger than 3 bytes",
        "c: left out, all files together are larger than 4 bytes",
        "and 1 more",
    )


@pytest.mark.parametrize("text", ["", "I cannot do that.", "\n\n"])
def test_an_answer_without_a_file_says_so(text: str) -> None:
    assert parse_tree(text) == FileTree(notes=("the answer holds no file",))


@given(st.lists(_PIECES | st.text(), max_size=30).map("\n".join))
def test_no_answer_makes_reading_fail_or_lead_out(text: str) -> None:
    for file in parse_tree(text).files:
        assert not Path(file.path).is_absolute() and ".." not in Path(file.path).parts
        assert ".git" not in [part.lower() for part in Path(file.path).parts]


HOSTILE = {
    "fences in a Markdown file": "```md title=a.md\n```\n",
    "fences that only open": "~~~a.py\n~~~x\n~~~\n```a.py\n```x\n```\n",
    "lines after a first end": "### FILE: a.md\n```\n```\nx.py:\n",
}


@pytest.mark.parametrize("piece", HOSTILE.values(), ids=HOSTILE)
def test_what_is_looked_at_twice_is_no_more_for_a_long_answer_than_for_a_short_one(
    piece: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked = 0

    def counted(line: str) -> Fence | None:
        nonlocal looked
        looked += 1
        return fence_of(line)

    monkeypatch.setattr("repoproof.completions.fences.fence_of", counted)
    parse_tree(piece * 3_000)
    assert looked < 10 * 3_000 * piece.count("\n")


@pytest.mark.parametrize("length", [4_000, 1_000_000])
def test_a_name_in_however_many_quotes_is_read_or_not_and_breaks_nothing(length: int) -> None:
    quotes = "`" * length
    tree = parse_tree(f"### FILE: {quotes}a.py{quotes}\n```\nx\n```\n")
    assert _texts(tree) == ({"a.py": "x\n"} if length == 4_000 else {})


def test_a_tree_is_written_byte_by_byte(tmp_path: Path) -> None:
    texts = {"a/b.txt": "é\r\n", "c": "", "d.py": "x = 1"}
    write_tree(parse_tree(render_tree(texts)), tmp_path / "new")
    found = {
        path.relative_to(tmp_path / "new").as_posix(): path.read_bytes() for path in (tmp_path / "new").rglob("*.*")
    }
    assert found == {"a/b.txt": "é\r\n".encode(), "d.py": b"x = 1"}
    assert (tmp_path / "new" / "c").read_bytes() == b""


def test_a_tree_is_laid_over_what_is_there(tmp_path: Path) -> None:
    for name in ("README.md", "kept", "replaced"):
        (tmp_path / name).write_text("before")
    files = {"README.md/a/b.txt": "b", "c/d.txt": "d", "replaced": "after"}
    write_tree(FileTree(files=tuple(File(path=path, content=content) for path, content in files.items())), tmp_path)
    found = {path.relative_to(tmp_path).as_posix(): path.read_text() for path in tmp_path.rglob("*") if path.is_file()}
    assert found == {**files, "kept": "before"}


def test_the_example_of_the_documentation_is_read_as_it_says() -> None:
    page = (Path(__file__).parents[2] / "docs" / "answers.md").read_text(encoding="utf-8")
    example = page.split("`````\n")[1]
    tree = parse_tree(example)
    assert [file.path for file in tree.files] == ["README.md", "app/main.py"]
    assert tree.notes == () and render_tree({"README.md": tree.files[0].content}) in example


def test_a_folder_is_rendered_as_its_texts_are(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "b.txt").write_bytes(b"x\r\n")
    (tmp_path / "c").write_bytes(b"")
    assert render_tree(tmp_path) == render_tree({"a/b.txt": "x\r\n", "c": ""})


def test_what_cannot_be_rendered_is_bad_input(tmp_path: Path) -> None:
    (tmp_path / "binary").write_bytes(b"\xff\xfe")
    with pytest.raises(BadInput, match="binary: is not UTF-8 text"):
        render_tree(tmp_path)
    (tmp_path / "binary").unlink()
    (tmp_path / "link").symlink_to("/")
    with pytest.raises(BadInput, match="link: is not a regular file"):
        render_tree(tmp_path)
    with pytest.raises(BadInput, match="leads upwards"):
        render_tree({"../x": ""})
    with pytest.raises(BadInput, match="is not a plain relative path"):
        render_tree({"./x": ""})
