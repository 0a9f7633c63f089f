"""Where a function begins in its file; nothing is imported to find out."""

from __future__ import annotations

import ast
from pathlib import Path


def line_of(path: Path, name: str) -> int | None:
    """The line of `def name`, `class name` or `name = ...` at the top of a file; None where it is not found."""
    try:
        tree = ast.parse(path.read_text(encoding="utf-8"))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return None
    found = [node.lineno for node in tree.body if name in _names(node)]
    return found[-1] if found else None


def _names(node: ast.stmt) -> list[str]:
    match node:
        case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
            return [node.name]
        case ast.Assign():
            return [target.id for target in node.targets if isinstance(target, ast.Name)]
        case ast.AnnAssign(target=ast.Name(id=name)):
            return [name]
    return []
