"""What Python files import, read from their text: also what a function imports only when it is called."""

from __future__ import annotations

import ast
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import lru_cache
from pathlib import Path

LARGEST = 5_000_000  # bytes of a source file that is read for its imports


def closure(start: Mapping[Path, str], roots: Sequence[Path]) -> dict[Path, str]:
    """These files (by path, with the module's name) and all that they import from below the roots, and so on."""
    found = dict(start)
    waiting = list(start)
    while waiting:
        path = waiting.pop()
        for name in _imported(path, found[path], _state(path)):
            for file, own in module_files(name, roots):
                if file not in found:
                    found[file] = own
                    waiting.append(file)
    return found


def _state(path: Path) -> tuple[int, int]:
    """When the file was changed, and its size: as long as these stay, what it imports need not be read again."""
    try:
        found = path.stat()
    except OSError:
        return (0, 0)
    return (found.st_mtime_ns, found.st_size)


@lru_cache(maxsize=4096)
def _imported(path: Path, name: str, _state: tuple[int, int]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(_names(path, name)))


def _names(path: Path, name: str) -> Iterator[str]:
    """Dotted names; `from a import b` may mean a module b, so it counts as both a and a.b."""
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    for node in ast.walk(_parsed(path)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = _base(node, package)
            yield base
            yield from (f"{base}.{alias.name}" if base else alias.name for alias in node.names if alias.name != "*")


def _base(node: ast.ImportFrom, package: str) -> str:
    if not node.level:
        return node.module or ""
    parts = package.split(".") if package else []
    kept = parts[: len(parts) - (node.level - 1)]
    return ".".join([*kept, *([node.module] if node.module else [])])


def _parsed(path: Path) -> ast.AST:
    """The syntax tree; an empty one of what is no Python."""
    try:
        if path.stat().st_size > LARGEST:
            return ast.Module([], [])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # about the user's code, which is not ours to judge here
            return ast.parse(path.read_bytes())
    except (OSError, SyntaxError, ValueError, RecursionError, MemoryError):
        return ast.Module([], [])


def module_files(name: str, roots: Iterable[Path]) -> Iterator[tuple[Path, str]]:
    """The files of a module and of the packages around it."""
    parts = name.split(".")
    if not all(part.isidentifier() for part in parts):
        return
    for root in roots:
        for length in range(1, len(parts) + 1):
            place = root.joinpath(*parts[:length])
            for file in (place.with_name(place.name + ".py"), place / "__init__.py"):
                if file.is_file():
                    yield file.resolve(), ".".join(parts[:length])
