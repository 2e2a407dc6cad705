"""The examples in docstrings, and in the README of the model, give what they show."""
import doctest
import importlib

import pytest
from test_rooms import ROOT

MODULES = ("errors", "gpus", "io_complexity", "ledger", "predict", "problem", "tiling", "units")


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    done = doctest.testmod(importlib.import_module(f"traffic_model.{name}"))
    assert done.attempted and not done.failed


def test_readme():
    done = doctest.testfile(str(ROOT / "traffic_model" / "README.md"), module_relative=False)
    assert done.attempted and not done.failed


def test_a_wrong_example_is_noticed(capsys):
    wrong = doctest.DocTestParser().get_doctest(">>> 65 * 64\n4161\n", {}, "wrong", None, 0)
    assert doctest.DocTestRunner().run(wrong).failed == 1 and "4160" in capsys.readouterr().out
