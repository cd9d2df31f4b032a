"""Reading what a Python tree declares: plain requirements come through, everything that could steer our client does not."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from repoproof.toolchains.fault import Refused
from repoproof.toolchains.requirements import declared, poetry_specifiers, requirement


def tree(root: Path, **files: str | bytes) -> Path:
    for name, content in files.items():
        path = root / name.replace("__", "/")
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return root


@pytest.mark.parametrize(
    ("line", "plain"),
    [
        ("Flask", "flask"),
        ("flask==3.0.*", "flask==3.0.*"),
        ("uvicorn [standard] >= 0.30 , < 1", "uvicorn[standard]>=0.30,<1"),
        ("typing_extensions ; python_version < '3.12'", "typing-extensions ; python_version < '3.12'"),
        ("zope.interface (>=5)", "zope-interface>=5"),
        ("a~=1.0,!=1.0.1", "a~=1.0,!=1.0.1"),
    ],
)
def test_a_plain_requirement_becomes_one_canonical_line(line: str, plain: str) -> None:
    assert requirement(line, "requirements.txt:1") == plain


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        ("-e git+https://example.org/x.git#egg=x", "version-control address"),
        ("-e ../../x", "a path is refused"),
        ("../../x", "a path is refused"),
        ("./vendored/x-1.0-py3-none-any.whl", "a path is refused"),
        ("x @ git+ssh://git@example.org/x", "version-control address"),
        ("./lib", "./lib (name the packages that it needs; code inside the tree needs no installing)"),
        ("lib @ file:lib", "a path is refused"),
        ("file:./lib", "a path is refused"),
        ("x @ https://example.org/x.whl", "a URL is refused"),
        ("x @ file:///etc/passwd", "a URL is refused"),
        ("-r ../outside.txt", "lies outside the submission"),
        ("-r /etc/passwd", "lies outside the submission"),
        ("-r missing.txt", "does not exist"),
        ("flask==${SECRET}", "environment variables are not expanded"),
        ("flask --global-option=x", "is not supported"),
        ("--config-settings x", "is not supported"),
        ("fl\u0430sk", "not a requirement"),
        ("flask=!=3", "not a requirement"),
        ("x" * 20 + " what is this", "not a requirement"),
    ],
)
def test_what_is_no_package_of_an_index_is_refused_with_file_and_line(
    tmp_path: Path, content: str, reason: str
) -> None:
    with pytest.raises(Refused) as refused:
        declared(tree(tmp_path, **{"requirements.txt": content}))
    assert reason in refused.value.reason
    assert "requirements.txt" in refused.value.reason


@pytest.mark.parametrize(
    "option",
    ["--index-url http://evil.example/simple", "--extra-index-url=http://evil.example", "-i http://evil.example",
     "-ihttp://evil.example", "--find-links ../wheels", "-f/wheels", "--trusted-host evil.example", "--no-index"],
)  # fmt: skip
def test_another_index_is_not_followed_and_that_is_noted(tmp_path: Path, option: str) -> None:
    found = declared(tree(tmp_path, **{"requirements.txt": f"flask\n{option}\n"}))
    assert [line for line in found.requirements if "evil" in line or "wheels" in line] == []
    assert "requirements.txt:2" in found.notes[0]
    assert "is not followed" in found.notes[0]


@pytest.mark.parametrize(
    "content",
    [
        b"flask==3.0.0\nhttpx\n",
        b"\xef\xbb\xbfflask==3.0.0\r\nhttpx\r\n",
        "flask==3.0.0\r\nhttpx".encode("utf-16"),
        b"# caf\xc3\xa9\nflask==3.0.0 # web\n\n\nhttpx",
        b"flask \\\n  ==3.0.0\nhttpx",
        b"flask==3.0.0 \\\n    --hash=sha512:00\nhttpx",
    ],
    ids=["plain", "bom-crlf", "utf-16", "comments", "continued", "weak-hash"],
)
def test_encodings_line_ends_and_comments_make_no_difference(tmp_path: Path, content: bytes) -> None:
    assert declared(tree(tmp_path, **{"requirements.txt": content})).requirements == ("flask==3.0.0", "httpx")


def test_includes_and_constraints_are_followed_inside_the_tree(tmp_path: Path) -> None:
    found = declared(
        tree(
            tmp_path,
            **{
                "requirements.txt": "-r deps/web.txt\n-c limits.txt\n-r requirements.txt\n",
                "deps__web.txt": "flask\n-r more.txt",
                "deps__more.txt": "redis",
                "limits.txt": "werkzeug<3",
            },
        )
    )
    assert found.requirements == ("flask", "redis")
    assert found.constraints == ("werkzeug<3",)


def test_a_link_out_of_the_tree_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "outside.txt").write_text("flask")
    inner = tree(tmp_path / "tree", **{"main.py": ""})
    (inner / "requirements.txt").symlink_to("../outside.txt")
    assert declared(inner).source == ""


def test_a_huge_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    with (tmp_path / "requirements.txt").open("wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(Refused, match="larger than"):
        declared(tmp_path)


def test_too_many_lines_are_refused(tmp_path: Path) -> None:
    with pytest.raises(Refused, match="more than 5000 requirements"):
        declared(tree(tmp_path, **{"requirements.txt": "a\n" * 6000}))


PEP621 = '[project]\nname = "shop"\ndependencies = ["fastapi>=0.100", "uvicorn"]\n'


@pytest.mark.parametrize(
    ("files", "source", "requirements", "constraints"),
    [
        ({"requirements.txt": "flask", "pyproject.toml": PEP621}, "requirements.txt", ("flask",), ()),
        ({"pyproject.toml": PEP621}, "pyproject.toml", ("fastapi>=0.100", "uvicorn"), ()),
        (
            {
                "pyproject.toml": PEP621 + '[[tool.uv.index]]\nurl = "http://evil.example"\n',
                "uv.lock": '[[package]]\nname = "fastapi"\nversion = "0.110.0"\nsource = { registry = "http://evil.example/simple" }\n'
                '[[package]]\nname = "shop"\nversion = "0"\nsource = { editable = "." }\n',
            },
            "pyproject.toml, uv.lock",
            ("fastapi>=0.100", "uvicorn"),
            ("fastapi==0.110.0",),
        ),
        (
            {"pyproject.toml": '[tool.poetry]\nname = "x"\n[tool.poetry.dependencies]\npython = "^3.11"\nflask = "^3.0"\nredis = {version = "*", extras = ["hiredis"]}\n'},
            "pyproject.toml",
            ("flask>=3.0,<4", "redis[hiredis]"),
            (),
        ),
        ({"requirements.txt": "-e .", "pyproject.toml": PEP621}, "requirements.txt, pyproject.toml", ("fastapi>=0.100", "uvicorn"), ()),
        ({"requirements-dev.txt": "pytest", "requirements_web.txt": "flask"}, "requirements_web.txt", ("flask",), ()),
        ({"requirements/base.txt".replace("/", "__"): "flask"}, "requirements/base.txt", ("flask",), ()),
        ({"setup.py": "raise SystemExit", "Pipfile": "[packages]"}, "", (), ()),
    ],
)  # fmt: skip
def test_the_first_declaration_in_order_counts(
    tmp_path: Path, files: dict[str, str], source: str, requirements: tuple[str, ...], constraints: tuple[str, ...]
) -> None:
    found = declared(tree(tmp_path, **files))
    assert (found.source, found.requirements, found.constraints) == (source, requirements, constraints)


def test_what_is_not_read_is_said(tmp_path: Path) -> None:
    notes = declared(tree(tmp_path, **{"setup.py": "", "Pipfile": ""})).notes
    assert [note.split()[0] for note in notes] == ["setup.py", "Pipfile"]


@pytest.mark.parametrize(
    "source", ['{git = "https://example.org/x"}', '{path = "../x"}', '{url = "https://example.org/x.whl"}']
)
def test_a_poetry_source_that_is_no_version_is_refused(tmp_path: Path, source: str) -> None:
    with pytest.raises(Refused, match="only versions are supported"):
        declared(tree(tmp_path, **{"pyproject.toml": f"[tool.poetry.dependencies]\nx = {source}\n"}))


@pytest.mark.parametrize(
    ("version", "specifiers"),
    [
        ("^1.2.3", [">=1.2.3", "<2"]),
        ("^0.2.3", [">=0.2.3", "<0.3"]),
        ("^0.0.3", [">=0.0.3", "<0.0.4"]),
        ("^0", [">=0", "<1"]),
        ("~1.2.3", [">=1.2.3", "<1.3"]),
        ("~1", [">=1", "<2"]),
        ("~=1.2", ["~=1.2"]),
        ("1.2.3", ["==1.2.3"]),
        ("1.*", ["==1.*"]),
        ("*", []),
        (">= 1.0, < 2.0", [">=1.0", "<2.0"]),
    ],
)
def test_poetry_versions_become_specifiers(version: str, specifiers: list[str]) -> None:
    assert poetry_specifiers(version) == specifiers


@given(st.text(max_size=80))
def test_whatever_is_accepted_is_one_line_without_options_urls_or_variables(line: str) -> None:
    try:
        plain = requirement(line, "x")
    except Refused:
        return
    body = plain.split(" ; ")[0]
    assert "\n" not in plain and "\r" not in plain
    assert not body.startswith("-") and " " not in body
    assert "://" not in plain and "${" not in plain and "@" not in body
