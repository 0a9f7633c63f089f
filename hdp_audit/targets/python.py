"""Python mechanisms by their address: "package.module:attribute" or "path/file.py:attribute"."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import inspect
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from importlib.machinery import EXTENSION_SUFFIXES, SOURCE_SUFFIXES, ExtensionFileLoader, FileFinder, SourceFileLoader
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from hdp_audit.errors import InvalidInput
from hdp_audit.targets.beats import loading
from hdp_audit.targets.calls import Surroundings
from hdp_audit.targets.failures import may_be_ctrl_c, words_of
from hdp_audit.targets.fresh import Per
from hdp_audit.targets.imports import module_files
from hdp_audit.targets.memory import limit_memory
from hdp_audit.targets.prepared import prepared
from hdp_audit.targets.silence import silenced
from hdp_audit.targets.timed import Timed

PRIVATE = "_hdp_audit_subject_"  # a user's own mechanisms.py must not become the module `mechanisms`


class FromSource(SourceFileLoader):
    """Compiles what the file says now.

    Python's cache goes by a file's size and the second of its last change: a number that was mended at once would still
    be run as it was before.
    """

    def get_code(self, fullname: str) -> CodeType:
        """The code of the file, never that of a cache."""
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


@dataclass(frozen=True)
class Target:
    """An address, relative to the folder of the spec; picklable, so that every worker loads it for itself."""

    text: str
    folder: Path

    def __post_init__(self) -> None:
        where, colon, attribute = self.text.rpartition(":")
        if not colon or not where.strip() or not attribute.strip():
            raise InvalidInput('give "package.module:attribute" or "path/file.py:attribute"')

    @property
    def attribute(self) -> str:
        """What stands behind the colon."""
        return self.text.rpartition(":")[2]

    @property
    def path(self) -> str | None:
        """The file of a path address, as it was written; None for a module."""
        where = self.text.rpartition(":")[0]
        return where if where.endswith(".py") else None

    @property
    def file(self) -> Path | None:
        """The same, from the folder of the spec."""
        return None if self.path is None else self.folder / self.path

    @property
    def private_name(self) -> str:
        """What the module of a file is called, once it is loaded."""
        return PRIVATE + hashlib.sha256(str((self.file or self.folder).resolve()).encode()).hexdigest()[:16]

    def load(self, around: Surroundings | None = None, module: ModuleType | None = None) -> Any:
        """The attribute; `InvalidInput` says which step failed. What the module sets stays in its surroundings.

        `module`: where it has been loaded already.
        """
        found: Any = module or (around or Surroundings()).run(self._module)
        for name in self.attribute.split("."):
            try:
                found = getattr(found, name)
            except AttributeError:
                raise InvalidInput(f"{self.text}: has no {name!r}{self._offer(found)}") from None
            except BaseException as why:
                if may_be_ctrl_c(why):
                    raise
                raise InvalidInput(f"{self.text}: {name!r} cannot be looked up ({words_of(why)})") from None
        return found

    def load_callable(self, around: Surroundings, module: ModuleType | None = None) -> Any:
        """The attribute, which must be one that can be called."""
        found = self.load(around, module)
        if not callable(found):
            raise InvalidInput(f"{self.text}: is a {type(found).__name__} and cannot be called; name a function")
        return found

    def load_release(self, around: Surroundings) -> tuple[Any, str | None]:
        """What is called, and the name of its method where the address names one of a class."""
        module = around.run(self._module)
        owner, _, last = self.attribute.rpartition(".")
        if owner:
            found = Target(f"{self.text.rpartition(':')[0]}:{owner}", self.folder).load(around, module)
            if isinstance(found, type) and isinstance(inspect.getattr_static(found, last, None), FunctionType):
                return found, last
        return self.load_callable(around, module), None

    def places(self) -> Iterator[tuple[Path, str]]:
        """The files that the address names, with the module's name; nothing is imported to find them."""
        where = self.text.rpartition(":")[0]
        if self.file is None:
            yield from module_files(where, [self.folder.resolve()])
        elif self.file.is_file():
            yield self.file.resolve(), where if not Path(where).is_absolute() else self.file.name

    def _module(self) -> ModuleType:
        """The module; what it prints while loading stays out of our output."""
        with silenced():
            try:
                return self._loaded_file(self.file) if self.file is not None else self._imported()
            except (InvalidInput, KeyboardInterrupt):
                raise
            except BaseException as why:
                raise InvalidInput(f"{self.text}: cannot be imported ({words_of(why)})") from None

    def _imported(self) -> ModuleType:
        _findable(self.folder)
        return importlib.import_module(self.text.rpartition(":")[0])

    def _loaded_file(self, path: Path) -> ModuleType:
        if not path.is_file():
            raise InvalidInput(f"{self.text}: there is no file {path.name!r} at that path (relative to the spec)")
        name = self.private_name
        spec = importlib.util.spec_from_file_location(name, path, loader=FromSource(name, str(path)))
        if spec is None or spec.loader is None:
            raise InvalidInput(f"{self.text}: is no Python file")
        module = importlib.util.module_from_spec(spec)
        _findable(path.resolve().parent)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    def _offer(self, module: Any) -> str:
        public = [name for name in vars(module) if not name.startswith("_") and callable(getattr(module, name))]
        return f"; it has {', '.join(public[:8])}" if public else "; it has nothing that can be called"


@dataclass(frozen=True)
class OpenedTarget:
    """Makes the mechanism, with a limit on the time of a call."""

    target: Target
    timeout: float
    fresh: Per | None = None  # of a class or factory: an object for each call, or one
    output: str | None = None  # the attribute of the object in which the release stands
    memory: int | None = None  # bytes that a worker may have

    def __call__(self) -> Any:
        """Load the target anew."""
        limit_memory(self.memory)
        with loading(self.timeout):
            return self._loaded()

    def _loaded(self) -> Timed:
        around = Surroundings()
        found, method = self.target.load_release(around)
        try:
            with silenced():
                mechanism = around.run(prepared, found, self.fresh, method, self.output)
        except (InvalidInput, KeyboardInterrupt):
            raise
        except BaseException as why:
            raise InvalidInput(f"{self.target.text}: cannot be made ({words_of(why)})") from None
        return Timed(mechanism, self.timeout, around)


@dataclass(frozen=True)
class CustomPairs:
    """Makes the pairs of a custom task: a generator function, or anything that can be iterated."""

    target: Target

    def __call__(self) -> Any:
        """The list of (data0, data1, users)."""
        around = Surroundings()
        found = self.target.load(around)
        try:
            with silenced():
                return around.run(lambda: list(found() if callable(found) else found))
        except Exception as why:
            raise InvalidInput(
                f"{self.target.text}: {words_of(why)}; give a function that yields (data0, data1, users)"
            ) from None


@dataclass(frozen=True)
class OpenedFeatures:
    """Makes the function that says what an output shows."""

    target: Target

    def __call__(self) -> Any:
        """The function."""
        with silenced():
            return self.target.load_callable(Surroundings())


def _findable(folder: Path) -> None:
    """Modules beside the spec can be imported, from their source, but shadow nothing: the folder goes last."""
    text = str(folder.resolve())
    if text not in sys.path:
        sys.path.append(text)
        compiled, source = (ExtensionFileLoader, EXTENSION_SUFFIXES), (FromSource, SOURCE_SUFFIXES)
        sys.path_importer_cache[text] = FileFinder(text, compiled, source)
