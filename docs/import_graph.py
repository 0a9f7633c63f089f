"""Draws which folder imports which into import-graph.md: the code as it is, between the layers of import-linter.

    python docs/import_graph.py

Needs import-linter (its grimp reads the imports, import-linter's own way, without running the code).
"""

from __future__ import annotations

import ast
import tomllib
from itertools import chain
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = Path(__file__).with_name("import-graph.md")
PACKAGES = ("hdp_audit", "mechanisms")
Folders = dict[str, set[str]]

HEAD = """# The import graph

Drawn by `python docs/import_graph.py` from the code; do not edit. Imports go downwards only: a box of the picture is a
layer of the contract in `pyproject.toml`, which `lint-imports` holds. An arrow says that a folder imports another;
arrows that follow from others are left out of the picture, and listed in the table.
"""


def layers() -> list[list[str]]:
    """The suite's layers from the top, as the contract has them, and `mechanisms` below all."""
    config = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"]
    contract = next(found for found in config["contracts"] if found["type"] == "layers" and "containers" not in found)
    named = [[folder.strip() for folder in layer.split("|")] for layer in contract["layers"]]
    return [*named, ["mechanisms"]]


def folder_of(module: str, folders: set[str]) -> str | None:
    """The folder of a module; None for the package's own __init__ and __main__, which are doors to all of them."""
    parts = module.split(".")
    return next((name for name in (".".join(parts[:2]), parts[0]) if name in folders), None)


def imports(folders: set[str]) -> Folders:
    """For each folder those that one of its modules imports."""
    import grimp

    graph = grimp.build_graph(*PACKAGES, cache_dir=None)
    found: Folders = {folder: set() for folder in folders}
    for module in graph.modules:
        importer = folder_of(module, folders)
        others = {folder_of(other, folders) for other in graph.find_modules_directly_imported_by(module)}
        if importer is not None:
            found[importer] |= {other for other in others if other not in (None, importer)}
    return found


def reachable(folder: str, edges: Folders) -> set[str]:
    """All folders that a folder needs, directly or not."""
    return edges[folder].union(*(reachable(other, edges) for other in edges[folder]))


def reduced(edges: Folders) -> Folders:
    """Without the arrows that follow from others."""
    implied = {folder: set(chain(*(reachable(other, edges) for other in edges[folder]))) for folder in edges}
    return {folder: edges[folder] - implied[folder] for folder in edges}


def short(folder: str) -> str:
    """`search` for `hdp_audit.search`."""
    return folder.removeprefix("hdp_audit.")


def says(folder: str) -> str:
    """The first sentence of a folder's own docstring."""
    place = ROOT / folder.replace(".", "/")
    file = place / "__init__.py" if place.is_dir() else place.with_suffix(".py")
    return (ast.get_docstring(ast.parse(file.read_text(encoding="utf-8"))) or "").partition("\n")[0].replace("|", "\\|")


def picture(floors: list[list[str]], edges: Folders) -> list[str]:
    """The folders by layer, and the arrows between them, in the language of Mermaid."""
    boxes = [
        [f'  subgraph layer{number}[" "]', *(f"    {short(folder)}" for folder in floor), "  end"]
        for number, floor in enumerate(floors)
    ]
    order = list(chain(*floors))
    arrows = [
        f"  {short(folder)} --> {short(other)}" for folder in order for other in sorted(edges[folder], key=order.index)
    ]
    return ["```mermaid", "flowchart TB", *chain(*boxes), *arrows, "```"]


def page() -> str:
    """The whole page."""
    floors = layers()
    order = list(chain(*floors))
    edges = imports(set(order))
    table = [
        f"| `{short(folder)}` | {says(folder)} | {', '.join(map(short, sorted(edges[folder], key=order.index)))} |"
        for folder in order
    ]
    heads = ["", "| folder | what it says of itself | imports |", "|---|---|---|"]
    return HEAD + "\n" + "\n".join([*picture(floors, reduced(edges)), *heads, *table]) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
