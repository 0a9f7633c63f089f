"""Several specs of one run: which files these are, and everything that is wrong with any of them at once."""

from __future__ import annotations

import os
import tomllib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from hdp_audit.config.load import CLAIMS, read_spec
from hdp_audit.config.problems import InvalidSpec, Problems
from hdp_audit.config.spec import Spec

MARKS = frozenset(("mechanism", "demands", *CLAIMS))  # a file of a folder with one of these sections is a spec


def specs_in(given: Sequence[Path], say: Callable[[str], None]) -> list[Path]:
    """Files as they are, and the specs of folders by name; `say` hears of TOML files that are passed over."""
    found = [path for each in given for path in (_of_folder(each, say) if each.is_dir() else [each])]
    known: dict[Path, Path] = {}
    for path in found:
        first = known.setdefault(path.resolve(), path)
        if first is not path:
            raise InvalidSpec(f"{path}: given twice (as {first}); name each spec once")
    return found


def read_all(paths: Sequence[Path]) -> list[Spec]:
    """Every spec; `InvalidSpec` tells the problems of all of them, below the path of each where there are several."""
    specs, problems = [], Problems()
    for path in paths:
        try:
            specs.append(read_spec(path))
        except InvalidSpec as why:
            lines = str(why).splitlines()
            problems.lines += lines if len(paths) == 1 else [f"{path}:", *(f"  {line}" for line in lines)]
    problems.raise_any()
    return specs


def short_names(paths: Sequence[Path]) -> list[str]:
    """From the folder that they have in common."""
    whole = [path.absolute() for path in paths]
    top = os.path.commonpath([path.parent for path in whole])
    return [Path(os.path.relpath(path, top)).as_posix() for path in whole]


def _of_folder(folder: Path, say: Callable[[str], None]) -> Iterator[Path]:
    files = sorted(path for path in folder.glob("*.toml") if path.is_file())
    specs = [path for path in files if _is_spec(path)]
    if not specs:
        raise InvalidSpec(f"{folder}: no spec in this folder; a spec is a .toml file with [mechanism] and [demands]")
    others = [path.name for path in files if path not in specs]
    if others:
        say(
            f"{folder}: passed over {', '.join(others)}, which is no spec"
            if len(others) == 1
            else f"{folder}: passed over {', '.join(others)}, which are no specs"
        )
    yield from specs


def _is_spec(path: Path) -> bool:
    """By its sections; what cannot be read may be one, and is told when it is read."""
    try:
        return not MARKS.isdisjoint(tomllib.loads(path.read_text(encoding="utf-8")))
    except (OSError, ValueError, RecursionError):
        return True
