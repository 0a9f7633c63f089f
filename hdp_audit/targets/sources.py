"""Which files a mechanism consists of, and their hashes: the user's own, no standard library, no installed packages.

Files that a Python mechanism opens by itself count once it has opened them, where they lie beside it or the spec. What
a program opens is not known: give it as an argument.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import sysconfig
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from hdp_audit.targets.command import Command
from hdp_audit.targets.imports import closure
from hdp_audit.targets.python import PRIVATE, Target
from hdp_audit.targets.reads import files_read, files_written, watch

OWN = Path(__file__).resolve().parents[1]
INSTALLED = frozenset(("site-packages", "dist-packages"))
STARTED = frozenset(("__main__", "__mp_main__", "sitecustomize", "usercustomize"))  # by Python, not by a mechanism


@dataclass(frozen=True)
class File:
    """Where a file lies on this machine, which no report says, and the SHA-256 of its content."""

    path: Path
    sha256: str


@dataclass(frozen=True)
class Sources:
    """What is called. Files are named by their path below the folder of the spec, and elsewhere by their module."""

    folder: Path
    targets: tuple[Target, ...] = ()
    command: Command | None = None

    def files(self, wanted: Iterable[str] = ()) -> dict[str, File]:
        """Everything that can be told without running anything, and whatever else is `wanted` by its name."""
        others = {name: path for name in wanted if (path := self._place(name)) is not None}
        return _hashed({**others, **self._static()})

    def watch(self) -> None:
        """For a worker, before it loads the mechanism: note what files it opens."""
        if self.targets:
            watch()

    def loaded(self) -> dict[str, File]:
        """This process's modules, what these import, and what was read; for a worker that has called the mechanism."""
        if not self.targets:
            return {}
        modules = {**dict(_modules()), **self._targets()}
        roots = dict.fromkeys([*self._roots(), *(_root(path, name) for path, name in modules.items())])
        found = closure(modules, list(roots))
        return _hashed({**self._opened([path for path in files_read() if path not in found]), **self._named(found)})

    def written(self) -> frozenset[str]:
        """The names of files that this process wrote: they are no input, and may change while an audit runs."""
        return frozenset(self._opened(files_written()) if self.targets else ())

    def _static(self) -> dict[str, Path]:
        named = self._named(closure(self._targets(), self._roots()))
        if self.command is None:
            return named
        return {**named, **self.command.files(), **self._named(closure(self.command.scripts(), self._roots()))}

    def _targets(self) -> dict[Path, str]:
        return {path: name for target in self.targets for path, name in target.places()}

    def _roots(self) -> list[Path]:
        beside = [target.file.resolve().parent for target in self.targets if target.file is not None]
        scripts = [path.parent for path in self.command.scripts()] if self.command is not None else []
        return list(dict.fromkeys([*beside, *scripts, self.folder.resolve()]))

    def _named(self, modules: Mapping[Path, str]) -> dict[str, Path]:
        return {named(path, module, self.folder): path for path, module in modules.items()}

    def _opened(self, paths: Iterable[Path]) -> dict[str, Path]:
        """Those beside the spec or the mechanism, by their path from the spec."""
        folder, roots = self.folder.resolve(), self._roots()
        own = [path for path in paths if any(path.is_relative_to(root) for root in roots) and _is_input(path)]
        return {Path(os.path.relpath(path, folder)).as_posix(): path for path in own}

    def _place(self, name: str) -> Path | None:
        """A file by its name in a report; nothing is imported for it, as a report is no source of commands."""
        path = self.folder / name
        if path.is_file():
            return path
        top, *rest = name.split(".")
        try:
            spec = importlib.util.find_spec(top)
        except (ImportError, ValueError, AttributeError):
            return None
        if spec is None or not rest:
            return None if spec is None or spec.origin is None else Path(spec.origin)
        places = [Path(place, *rest) for place in spec.submodule_search_locations or ()]
        files = [file for place in places for file in (place.with_name(place.name + ".py"), place / "__init__.py")]
        return next((file for file in files if file.is_file()), None)


def named(path: Path, module: str, folder: Path) -> str:
    """What a report calls a file: never by a path of the machine."""
    if path.is_relative_to(folder.resolve()):
        return path.relative_to(folder.resolve()).as_posix()
    return module or path.name


def combined(files: Mapping[str, str]) -> str:
    """One SHA-256 over names and hashes."""
    text = "".join(f"{name}\0{sha}\n" for name, sha in sorted(files.items()))
    return hashlib.sha256(text.encode("utf-8", "surrogateescape")).hexdigest()


def sha256(path: Path) -> str | None:
    """Of the content; None where it cannot be read."""
    try:
        with path.open("rb") as stream:
            return hashlib.file_digest(stream, "sha256").hexdigest()
    except OSError:
        return None


def changed(then: Mapping[str, str], now: Mapping[str, str]) -> list[str]:
    """A sentence for each file that is not what it was."""
    gone = [f"{name} is missing" for name in then if name not in now]
    other = [f"{name} has changed" for name in then if name in now and now[name] != then[name]]
    return sorted([*gone, *other, *(f"{name} is new" for name in now if name not in then)])


def packages(before: Container[str] = ()) -> dict[str, str]:
    """Versions of the installed packages that this process has loaded, where they tell.

    `before`: modules that were there already. What a worker has loaded on its own depends on who started it.
    """
    found = {}
    for name, module in sorted((name, module) for name, module in sys.modules.items() if name not in before):
        known = getattr(module, "__dict__", {})
        version, file = known.get("__version__"), known.get("__file__")
        if "." not in name and isinstance(version, str) and not INSTALLED.isdisjoint(Path(str(file)).parts):
            found[name] = version
    return found


def _hashed(paths: Mapping[str, Path]) -> dict[str, File]:
    found = ((name, path, sha256(path)) for name, path in sorted(paths.items()))
    return {name: File(path, sha) for name, path, sha in found if sha is not None}


def _modules() -> Iterator[tuple[Path, str]]:
    """The user's own modules that this process has loaded, by path."""
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__dict__", {}).get("__file__")
        if isinstance(file, str) and name not in STARTED and not name.startswith(PRIVATE):
            path = _own(file)
            if path is not None:
                yield path, name


@cache  # a process has a thousand modules, in a hundred folders
def _folder(place: str) -> Path | None:
    """A folder of the user's own; None of others."""
    folder = Path(place).resolve()
    return folder if _first_party(folder) else None


@cache  # a process is asked after each check
def _own(file: str) -> Path | None:
    """The path of a file of the user's own; None of others."""
    if os.path.islink(file):  # noqa: PTH114 - of a string, many times
        path = Path(file).resolve()
        return path if _first_party(path) else None
    place, name = os.path.split(file)
    folder = _folder(place)
    return None if folder is None else folder / name


def _is_input(path: Path) -> bool:
    """A regular file (to read a pipe would wait for ever) that is neither installed nor compiled by Python."""
    return "__pycache__" not in path.parts and _first_party(path) and path.is_file()


def _first_party(path: Path) -> bool:
    return INSTALLED.isdisjoint(path.parts) and not any(path.is_relative_to(place) for place in _elsewhere())


@cache
def _elsewhere() -> tuple[Path, ...]:
    """The standard library, and our own packages, whose hash is kept by itself."""
    standard = (Path(os.__file__).parent, *(Path(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")))
    return (*(place.resolve() for place in standard), OWN, OWN.with_name("mechanisms"))


def _root(path: Path, name: str) -> Path:
    """The folder from which a module was imported."""
    depth = len(name.split(".")) - (0 if path.name == "__init__.py" else 1)
    return path.parents[min(depth, len(path.parents) - 1)]
