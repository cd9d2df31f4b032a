"""What is read of a published benchmark without running anything: its layout, its table, its tests, its READMEs."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from plugins.small_suite import write_tree

from repoproof.core.errors import BadInput
from repoproof.families.microservice.formats import inference
from repoproof.families.microservice.formats.golden_files import take_python_tests
from repoproof.families.microservice.formats.java_tests import read_tests
from repoproof.families.microservice.formats.layout import read_tree
from repoproof.families.microservice.formats.packages import foreign_modules, packages_for, requirement_files
from repoproof.families.microservice.formats.python_tests import Suite, read_suite
from repoproof.families.microservice.formats.repogenesis import task_id, white_box
from repoproof.families.microservice.formats.specs import Spec, python_table, read_specs

TEST = "def test_it():\n    pass\n"


def found(root: Path) -> dict[str, tuple[str, str, str]]:
    """Name -> README, folder of tests, language."""
    return {
        one.name: (str(one.readme.relative_to(root)), str(one.tests.relative_to(root)), one.language)
        for one in read_tree(root).tasks
    }


def test_readmes_and_tests_are_brought_together_from_their_trees(tmp_path):
    root = write_tree(
        tmp_path,
        {
            "README.md": "# The benchmark\n",
            "repo_readme/Blog/README.md": "# Blog, with hints\n",
            "repo_readme_verified_python_no_t/Blog/README.md": "# Blog\n",
            "repo_readme_verified/Blog/README.md": "# Blog\n",
            "repo_readme_verified/Blog/tests/test_blog.py": TEST,
            "repo_readme_verified/Blog/tests/README.md": "# Of the tests\n",
            "repo_readme_verified/judge/README.md": "# Judge\n",
            "repo_readme_verified/judge/src/test/java/JudgeTest.java": "class JudgeTest {}",
        },
    )
    assert found(root) == {
        "Blog": ("repo_readme_verified_python_no_t/Blog/README.md", "repo_readme_verified/Blog", "python"),
        "judge": ("repo_readme_verified/judge/README.md", "repo_readme_verified/judge", "java"),
    }
    assert read_tree(root).notes == (
        "Blog: of READMEs that differ, repo_readme_verified_python_no_t/Blog/README.md is taken",
    )


def test_one_folder_a_repository_is_a_layout_too(tmp_path):
    files = {
        "together/Readme.md": "# A\n", "together/tests/test_a.py": TEST,
        "beside/README.md": "# B\n", "beside/test_b.py": TEST,
        "hollow/README.md": "# C\n", "hollow/tests/notes.txt": "none",
        "lonely/README.md": "# D\n", "orphan/tests/test_e.py": TEST,
    }  # fmt: skip
    root = write_tree(tmp_path, files)
    assert found(root) == {
        "beside": ("beside/README.md", "beside", "python"),
        "hollow": ("hollow/README.md", "hollow", "python"),
        "together": ("together/Readme.md", "together", "python"),
    }
    assert read_tree(root).notes == ("lonely: left out: no golden tests", "orphan: left out: no README")


TABLES = {
    "specs.json": '{"Blog": {"lang": "python", "port": 8000, "framework": "flask", "stars": 5}}',
    "specs.toml": '[Blog]\nlang = "python"\nport = 8000\nframework = "flask"\n',
    "wrapped.json": '{"REPO_SPECS": {"Blog": {"lang": "python", "port": 8000, "framework": "flask"}}}',
    "whole.py": 'raise SystemExit\nREPO_SPECS: dict = {"Blog": {"lang": "python", "port": 8000, "framework": "flask"}}\n',
    "steps.py": 'REPO_SPECS = {}\nREPO_SPECS["Blog"] = {"lang": "python", "port": 8000, "framework": "flask"}\n',
    "named.py": 'PY = "python"\nP = 8000\nREPO_SPECS = {"Blog": dict(lang=PY, port=P, framework="flask")}\n',
}


@pytest.mark.parametrize("name", TABLES)
def test_a_table_is_read_in_any_of_its_spellings(tmp_path, name):
    write_tree(tmp_path, {name: TABLES[name]})
    specs = read_specs(tmp_path / name)
    assert specs.of == {"Blog": Spec(language="python", port=8000, framework="flask")}
    assert specs.notes == ((f"{tmp_path / name}: not used: stars",) if name == "specs.json" else ())


@pytest.mark.parametrize(
    ("written", "field", "read"),
    [
        ({"lang": "Python"}, "language", "python"),
        ({"framework": "Spring Boot"}, "framework", "spring-boot"),
        ({"framework": "FastAPI"}, "framework", "fastapi"),
        ({"framework": "Django/DRF"}, "framework", "Django/DRF"),
        ({"framework": "any"}, "framework", "any"),
        ({"lang": "node", "framework": "NestJS"}, "framework", "nestjs"),
        ({"lang": "node", "framework": "next"}, "framework", "next"),
        ({"level": "Hard"}, "difficulty", "hard"),
        ({"level": "L2"}, "difficulty", "L2"),
        ({"test_port": 1}, "port", None),
    ],
)
def test_words_of_the_table_are_taken_in_our_spelling_or_as_they_are(tmp_path, written, field, read):
    write_tree(tmp_path, {"table.json": json.dumps({"Blog": written})})
    assert getattr(read_specs(tmp_path / "table.json").of["Blog"], field) == read


@pytest.mark.parametrize(
    ("written", "words"),
    [
        ({"lang": "pyhton"}, "lang: no toolchain for 'pyhton' (one of: java, node, python)"),
        ({"language": "rust"}, "language: no toolchain for 'rust' (one of: java, node, python)"),
        ({"lang": 3}, "lang: 3: input should be a valid string"),
        ({"prot": 5}, "prot: unknown field (did you mean 'port'?)"),
        ({"framwork": "flask"}, "framwork: unknown field (did you mean 'framework'?)"),
        ({"level": "eazy"}, "level: 'eazy' is none that is known (did you mean 'easy'?)"),
        ({"framework": "flsk"}, "framework: 'flsk' is none that is known (did you mean 'flask'?)"),
        ({"lang": "java", "framework": "spring-bot"}, "framework: 'spring-bot' is none that is known (did you mean 'spring-boot'?)"),
        ({"framework": "a\nb"}, 'framework: "a\\nb" is not as it must be'),
    ],
)  # fmt: skip
def test_a_slip_in_the_table_is_named_with_its_repository_and_field(tmp_path, written, words):
    write_tree(tmp_path, {"table.json": json.dumps({"todo": written})})
    with pytest.raises(BadInput) as raised:
        read_specs(tmp_path / "table.json")
    assert str(raised.value).startswith(f"{tmp_path / 'table.json'}: todo: {words}")


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.py", "import os\n", "no table of repositories"),
        ("a.py", 'REPO_SPECS = {"x": {"port": open("/etc/passwd").read()}}', "cannot be read"),
        ("a.py", "REPO_SPECS = {", "cannot be read"),
        ("a.py", "REPO_SPECS = [1]", "cannot be read"),
        ("a.py", "REPO_SPECS = 3", "cannot be read"),
        ("a.py", "REPO_SPECS = {[]: 1}", "cannot be read"),
        ("a.json", '{"x": {"port": 99999}}', "x: port: 99999 is not in 1..65535"),
        ("a.json", '{"x": 3}', "x: not a table of lang, port and framework"),
        ("a.yaml", "x: 1", "neither .json nor .toml nor .py"),
        ("a.toml", "x = ", "not TOML"),
    ],
)
def test_what_is_no_table_is_refused_by_name(tmp_path, name, text, words):
    write_tree(tmp_path, {name: text})
    with pytest.raises(BadInput) as raised:
        read_specs(tmp_path / name)
    assert words in str(raised.value)
    assert str(tmp_path / name) in str(raised.value)


def test_a_table_is_never_executed(tmp_path):
    marker = tmp_path / "ran"
    python_table(f"from pathlib import Path\nPath({str(marker)!r}).touch()\nREPO_SPECS = {{}}\n")
    assert not marker.exists()


def suite_of(tmp_path: Path, source: str) -> Suite:
    return read_suite(write_tree(tmp_path / "tests", {"test_it.py": source}))


HOW_TESTS_FIND_THE_SERVICE = [
    ('import os\nU = os.environ.get("SERVICE_BASE_URL", "http://localhost:8000")', 8000, {}),
    ('import os\nU = os.environ["SERVICE_BASE_URL"]', 8000, {}),
    ('import os\nU = os.getenv("SYNAPSE_BASE_URL", "http://localhost:8008")', 8008, {"SYNAPSE_BASE_URL": "http://127.0.0.1:8008"}),
    ('import os\nU = os.getenv("API_BASE_URL", "http://localhost:8000/api/v1/")', 8000, {"API_BASE_URL": "http://127.0.0.1:8000/api/v1"}),
    ('from os import environ\nU = environ.get("CHAT") or "http://localhost:9"\nV = environ.get("CHAT_URL") or "http://localhost:91/x"', 91, {"CHAT_URL": "http://127.0.0.1:91/x"}),
    ('import os\nD = "http://127.0.0.1:7000"\nU = os.environ.get("TARGET_URL", D).rstrip("/")', 7000, {"TARGET_URL": "http://127.0.0.1:7000"}),
    ('import os\nP = int(os.environ.get("APP_PORT", "7001"))\nU = f"http://localhost:{P}/v1"', 7001, {"APP_PORT": "7001"}),
    ('import os\nH = os.environ["TEST_HOST"]\nU = os.environ["MY_API_BASE"]', 8000, {"TEST_HOST": "127.0.0.1", "MY_API_BASE": "http://127.0.0.1:8000"}),
    ('import os\nU = os.getenv("WS_URL", "ws://localhost:8000/ws")', 8000, {"WS_URL": "ws://127.0.0.1:8000/ws"}),
    ('import os\nU = os.getenv("PAY_URL", "https://pay.example/api")\nB = "http://localhost:6000"', 6000, {}),
    ('B = "http://localhost:5123/api"\ndef test_x():\n    get(f"{B}/y")', 5123, {}),
    ('def test_x():\n    get("http://127.0.0.1:5123/y" + "/z")', 5123, {}),
    ('B = "http://localhost:99999"\nC = "http://localhost:5123"\nD = "http://localhost:00/"', 5123, {}),
    ('import os\nDATA = os.environ.get("DATA_DIR", "/tmp")', 8000, {}),
]  # fmt: skip


@pytest.mark.parametrize(("source", "port", "variables"), HOW_TESTS_FIND_THE_SERVICE)
def test_where_tests_look_for_the_service_is_read_from_them(tmp_path, source, port, variables):
    suite = suite_of(tmp_path, source)
    assert inference.port_of(None, suite, "", language="python", framework="")[0] == port
    assert inference.environment_of(suite, port) == variables


@pytest.mark.parametrize(
    ("listed", "source", "readme", "framework", "port"),
    [
        (8000, 'B = "http://localhost:5000"', "", "", 5000),
        (5000, 'B = "http://localhost:5000"\nHOOK = "http://localhost:9999/hook"', "", "", 5000),
        (9000, 'import os\nB = os.getenv("API_BASE_URL", "http://localhost:5000")', "", "", 9000),
        (None, "", "The service runs on port `8085`. See http://localhost:8085/docs", "", 8085),
        (None, "", "**Port**: 3000", "", 3000),
        (None, "", "A service.", "flask", 5000),
        (None, "", "In the year 2024.", "", 8000),
    ],
)
def test_what_is_written_out_in_the_tests_decides_then_the_table_then_defaults_then_the_readme(
    tmp_path, listed, source, readme, framework, port
):
    suite = suite_of(tmp_path, source)
    assert inference.port_of(listed, suite, readme, language="python", framework=framework)[0] == port


@pytest.mark.parametrize(
    ("readme", "language", "framework"),
    [
        ("Use **FastAPI**; the old one was in Flask. FastAPI it is.", "python", "fastapi"),
        ("Built with Python Eve.", "python", "eve"),
        ("Every evening.", "python", ""),
        ("A Spring Boot 3 service", "java", "spring-boot"),
        ("Spark Java, not Javalin", "java", "spark"),
        ("Any framework will do.", "python", ""),
    ],
)
def test_the_framework_is_the_one_that_the_readme_names_most(readme, language, framework):
    assert inference.framework_in(readme, language) == framework


def test_ids_are_read_from_functions_classes_and_unittest(tmp_path):
    source = (
        "import unittest\ndef test_a(): ...\ndef helper(): ...\n"
        "class TestB:\n    def test_c(self): ...\n    class TestD:\n        async def test_e(self): ...\n"
        "class Old(unittest.TestCase):\n    def test_f(self): ...\nclass Other:\n    def test_no(self): ...\n"
    )
    assert suite_of(tmp_path, source).ids == (
        "test_it.py::test_a", "test_it.py::TestB::test_c", "test_it.py::TestB::TestD::test_e", "test_it.py::Old::test_f",
    )  # fmt: skip


def test_modules_that_no_package_has_are_the_services_own(tmp_path):
    tests = write_tree(
        tmp_path / "tests",
        {
            "test_a.py": "import json, pytest, jwt\nfrom app.main import create\nfrom helpers import x\nfrom data.more import y\n",
            "test_b.py": "try:\n    import orjson2\nexcept ImportError:\n    orjson2 = None\nimport os.path\n",
            "helpers.py": "import yaml\n",
            "data/more.py": "y = 1\n",
        },
    )
    assert foreign_modules(read_suite(tests)) == ("app.main",)
    assert (
        white_box(("app.main",), "Use FastAPI") == "white-box: its tests import app.main, which its README never names"
    )
    assert (
        white_box(("app.main",), "Put it in app/main.py")
        == "white-box: its tests import app.main, which its README names"
    )


def test_what_the_usual_runner_has_needs_no_lock(tmp_path):
    suite = suite_of(tmp_path, "import pytest, requests, httpx\n")
    folder = write_tree(tmp_path, {"requirements-test.txt": "pytest>=7\nrequests\n", "requirements.txt": "flask\n"})
    assert [file.name for file in requirement_files(folder, folder / "tests")] == ["requirements-test.txt"]
    assert packages_for(suite, requirement_files(folder, folder / "tests")).lock == ""


@pytest.mark.needs("network")
def test_requirements_are_locked_with_hashes_and_widened_where_they_do_not_go_together(tmp_path):
    suite = suite_of(tmp_path, "import pytest, jsonschema\n@pytest.mark.asyncio\nasync def test_a(): ...\n")
    folder = write_tree(tmp_path, {"tests/requirements.txt": "pytest==3.0.0\nattrs>=21\n-r elsewhere.txt\n"})
    packages = packages_for(suite, requirement_files(folder, folder / "tests"))
    assert packages.notes[0].startswith("requirements.txt is not followed")
    assert "test requirements taken from what the tests use: jsonschema, pytest-asyncio" in packages.notes
    locked = {line.split("==")[0] for line in packages.lock.splitlines()}
    assert {"jsonschema", "pytest", "pytest-asyncio", "requests", "httpx"} <= locked
    assert all("--hash=sha256:" in line for line in packages.lock.splitlines())


def test_what_tests_rely_on_is_taken_along_and_nothing_else(tmp_path):
    folder = write_tree(
        tmp_path / "repo",
        {
            "README.md": "# R\n", "conftest.py": "", "app.py": "secret = 1\n", "fixtures/a.csv": "1\n", "unused.csv": "",
            "pytest.ini": "[pytest]\naddopts = -v --cov=app -p no:randomly --import-mode=importlib\n",
            "tests/test_a.py": 'open("fixtures/a.csv")\n', "tests/__pycache__/x.pyc": "",
        },
    )  # fmt: skip
    (folder / "tests" / "secret.txt").symlink_to("/etc/passwd")
    (folder / "fixtures" / "gone.txt").symlink_to("/nowhere")
    notes = take_python_tests(folder, {"fixtures/a.csv"}, tmp_path / "taken")
    taken = sorted(
        str(path.relative_to(tmp_path / "taken")) for path in (tmp_path / "taken").rglob("*") if path.is_file()
    )
    assert taken == ["conftest.py", "fixtures/a.csv", "pytest.ini", "tests/test_a.py"]
    assert notes == (
        "taken from beside tests/: conftest.py, fixtures, pytest.ini",
        "pytest.ini: not followed: -v --cov=app",
    )


JAVA = {
    "a/BaseTest.java": "package a; abstract class BaseTest { @Test void inherited() {} }",
    "a/NotesTest.java": """package a;
import org.junit.jupiter.api.*;
class NotesTest extends BaseTest {
    @Test void reads() {}
    @org.junit.jupiter.params.ParameterizedTest @ValueSource(ints = {1, 2}) void writes(int n) {}
    @RepeatedTest(3) void again() {}
    @Disabled @Test void later() {}
    void helper() {}
    @Nested class Deep { @Test void down() {} }
    @Disabled @Nested class Off { @Test void never() {} }
    interface Contract { @Test default void shared() {} }
}
""",
    "a/MoreTest.java": """package a;
@Disabled abstract class OffBase { @Test void fromBase() {} @Ignore @Test void neither() {} }
class MoreTest extends OffBase {}
@Disabled class OffTest extends BaseTest { @Test void own() {} }
@EnabledOnOs(OS.LINUX) class HereTest {
    @Test void here() {}
    @Test @DisabledIfEnvironmentVariable(named = "CI", matches = ".*") void there() {}
    @Disabled @Test void no() {}
}
""",
    "OldTest.java": "import junit.framework.TestCase; public class OldTest extends TestCase { public void testIt() {} void help() {} }",
}


def test_java_tests_are_read_from_their_source(tmp_path):
    tests = read_tests(write_tree(tmp_path, {f"src/test/java/{name}": text for name, text in JAVA.items()}))
    assert tests.ids == (
        "OldTest::testIt",
        "a.MoreTest::fromBase",
        "a.HereTest::here",
        "a.HereTest::there",
        "a.NotesTest::reads",
        "a.NotesTest::writes",
        "a.NotesTest::again",
        "a.NotesTest::inherited",
        "a.NotesTest$Deep::down",
    )
    assert tests.disabled == (
        "a.MoreTest::neither",
        "a.OffTest::own",
        "a.OffTest::inherited",
        "a.HereTest::no",
        "a.NotesTest::later",
        "a.NotesTest$Off::never",
    )
    assert tests.conditional == {
        "a.HereTest::here": "EnabledOnOs",
        "a.HereTest::there": "DisabledIfEnvironmentVariable",
    }


@pytest.mark.parametrize(
    ("name", "id"),
    [("Blog", "Blog"), ("flask-1.2_x", "flask-1.2_x"), ("my repo", "my-repo"), ("_x", "x"), ("$", "task")],
)
def test_a_name_becomes_a_task_id(name, id):
    assert task_id(name) == id
