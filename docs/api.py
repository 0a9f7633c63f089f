"""Writes the API pages from the docstrings into build/api, or the folder that is named; a warning is an error.

python docs/api.py [FOLDER]
"""

from __future__ import annotations

import importlib
import pkgutil
import sys
import warnings
from pathlib import Path

PACKAGES = ("hdp_audit", "mechanisms")


def resolve(name: str) -> None:
    """Binds what a module loads only when it is asked for: pdoc looks at what is there."""
    module = importlib.import_module(name)
    for public in getattr(module, "__all__", ()):
        vars(module)[public] = getattr(module, public)


def modules(package: str) -> list[str]:
    """The package and every module in it; not __main__, which is the program."""
    found = pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    return [package, *(module.name for module in found if not module.name.endswith("__main__"))]


def main(folder: Path) -> None:
    """The public names first, then all rooms: a page each."""
    import pdoc

    warnings.simplefilter("error")
    wanted: list[str] = []
    found: set[str] = set()
    for name in (name for package in PACKAGES for name in modules(package)):
        resolve(name)
        if name not in found:  # pdoc itself finds what lies in a package without `__all__`
            wanted.append(name)
            found.update(pdoc.extract.walk_specs([name]))
    pdoc.render.configure(docformat="markdown", math=True, show_source=False)
    pdoc.pdoc(*wanted, output_directory=folder)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "build/api"))
