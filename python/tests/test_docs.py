"""Every line of Python in the documentation is run, and every public name is in it."""

from __future__ import annotations

import importlib.util
import os
import re
import sys
import types
from pathlib import Path
from typing import Any

import pytest
from conftest import ROOT

import taffeta
from taffeta import distributed

PAGES = [ROOT / "docs" / "python.md", ROOT / "README.md"]

# A block of Python, and what it needs besides the package, if a comment in the line before says so.
BLOCK = re.compile(r"(?:<!-- needs (?P<needs>[\w, ]+) -->\n)?```python\n(?P<code>.*?)```", re.DOTALL)


def is_there(need: str) -> bool:
    """Whether a package is there, or the command."""
    if need.strip() == "command":
        return "TAFFETA_COMMAND" in os.environ
    return importlib.util.find_spec(need.strip()) is not None


# What Ray leaves open is not what is tested here.
@pytest.mark.filterwarnings("ignore::ResourceWarning", "ignore::pytest.PytestUnraisableExceptionWarning")
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_the_code_of_a_page_runs_from_top_to_bottom(page: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = page.read_text(encoding="utf-8")
    blocks = list(BLOCK.finditer(text))
    assert len(blocks) == text.count("```python"), "a block is not closed, or its comment is not understood"
    monkeypatch.chdir(tmp_path)
    # Workers and kernels are other processes, in another folder.
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT / "python"), os.environ.get("PYTHONPATH", "")]))
    command = Path(os.environ.get("TAFFETA_COMMAND", "taffeta"))
    monkeypatch.setenv("PATH", os.pathsep.join([str(command.parent), os.environ["PATH"]]))
    # What the command has recorded is read on one of the pages.
    if "recordings/swing" in text:
        os.makedirs("recordings")
        sim = taffeta.Simulation("swing")
        with sim.record("recordings/swing"):
            sim.step(20)
    names: dict[str, Any] = {"__name__": "docs"}
    for block in blocks:
        if all(is_there(package) for package in (block["needs"] or "").split(",") if package):
            line = text[: block.start("code")].count("\n")
            exec(compile("\n" * line + block["code"], str(page), "exec"), names)
    if "ray" in sys.modules:
        sys.modules["ray"].shutdown()


def public_names() -> list[str]:
    """What the package offers, with the methods and properties of its classes."""
    names = []
    for module, name in [(taffeta, name) for name in taffeta.__all__] + [(distributed, name) for name in distributed.__all__]:
        thing = getattr(module, name)
        names.append(name)
        if isinstance(thing, type) and not issubclass(thing, Exception):
            names += [attribute for attribute in vars(thing) if not attribute.startswith("_")]
    return names


def test_every_public_name_is_in_the_documentation() -> None:
    text = PAGES[0].read_text(encoding="utf-8")
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`[^`\n]+`", text))))
    missing = [name for name in public_names() if name not in words]
    assert not missing


def test_every_public_name_has_a_description() -> None:
    for name in taffeta.__all__:
        thing = getattr(taffeta, name)
        if isinstance(thing, type | types.FunctionType | types.BuiltinFunctionType):
            assert thing.__doc__, name
        if isinstance(thing, type):
            for attribute, value in vars(thing).items():
                if not attribute.startswith("_") and not isinstance(value, types.MemberDescriptorType):
                    assert getattr(value, "__doc__", None), f"{name}.{attribute}"
