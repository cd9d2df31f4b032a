"""`import repoproof`: what is there, and when it is loaded."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import version

import pytest

import repoproof


@pytest.mark.parametrize("name", repoproof.__all__)
def test_every_public_name_is_there(name):
    assert getattr(repoproof, name).__name__ == name
    assert name in dir(repoproof)


def test_the_version_is_the_installed_one():
    assert repoproof.__version__ == version("repoproof")


def test_an_unknown_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'repoproof' has no attribute 'scroe'"):
        _ = repoproof.scroe


def test_names_that_cost_nothing_load_nothing():
    script = "import sys, repoproof; repoproof.Status.PASSED; print('pydantic' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", script], capture_output=True, text=True).stdout == "False\n"


def test_every_public_function_says_what_it_does():
    functions = [getattr(repoproof, name) for name in repoproof.__all__ if name[0].islower()]
    assert functions
    assert [function for function in functions if not function.__doc__] == []
