from __future__ import annotations

import subprocess
import sys

import pytest

from repoproof.sandbox.gc import collect
from repoproof.sandbox.owner import claimed, claims, is_orphan, own_folder, owned_name

LEAVES_A_DIRECTORY = """
import os, sys
from pathlib import Path
from repoproof.sandbox.owner import claimed, owned_name
with claimed(Path(sys.argv[1], "." + owned_name())) as place:
    place.mkdir()
    (place / "file").touch()
    print(place, flush=True)
    os.kill(os.getpid(), 9)
"""


def test_names_are_never_the_same():
    assert len({owned_name() for _ in range(1000)}) == 1000


def test_a_living_owner_keeps_its_things():
    assert not is_orphan(owned_name())


def test_the_name_of_a_process_that_is_gone_is_an_orphans():
    name = subprocess.check_output(
        [sys.executable, "-c", "from repoproof.sandbox.owner import owned_name; print(owned_name())"], text=True
    ).strip()
    assert is_orphan(name)
    assert is_orphan(f".{name}")


def test_another_process_that_got_the_number_of_a_dead_owner_is_not_taken_for_it():
    parts = owned_name().split("-")
    parts[2] = str(int(parts[2]) - 1)
    assert is_orphan("-".join(parts))


@pytest.mark.parametrize(
    "name", ["", "repoproof", "repoproof-1", "other-1-2-3-4", "repoproof-1-2-3-4-5", "repoproof-99999999-1-1-0"]
)
def test_what_does_not_tell_its_owner_or_is_of_another_namespace_is_left_alone(name):
    assert not is_orphan(name)


def test_a_directory_whose_owner_was_killed_is_collected(tmp_path):
    killed = subprocess.run(
        [sys.executable, "-c", LEAVES_A_DIRECTORY, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    left = killed.stdout.strip()
    assert f"directory {left}" in collect(dry_run=True)
    assert [str(p) for p in tmp_path.iterdir()] == [left]
    assert f"directory {left}" in collect()
    assert list(tmp_path.iterdir()) == []
    assert f"directory {left}" not in collect()


def test_a_folder_of_ones_own_is_gone_at_the_end_and_so_is_its_claim(tmp_path):
    with pytest.raises(LookupError), own_folder(tmp_path / "new") as folder:
        (folder / "deep").mkdir()
        (claim,) = [claim for claim in claims().iterdir() if claim.readlink() == folder]
        assert (folder.parent, folder.stat().st_mode & 0o777) == (tmp_path / "new", 0o700)
        raise LookupError
    assert (folder.exists(), claim.is_symlink()) == (False, False)


def test_a_claim_on_something_that_is_not_named_by_its_owner_is_never_followed(tmp_path):
    precious = tmp_path / "precious"
    precious.mkdir()
    with claimed(precious):
        collect()
    assert precious.is_dir()
