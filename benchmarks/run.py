"""One command for all benchmarks.

    python benchmarks/run.py                     lists them
    python benchmarks/run.py NAME [ARGUMENT ...] runs one; its arguments go through, --help too

Each is a script of its own as well: `PYTHONPATH=. python benchmarks/NAME.py ...` is the same.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent


def benchmarks() -> dict[str, str]:
    """The scripts of this folder that can be run, with the first line of what they say of themselves."""
    sources = {file.stem: file.read_text(encoding="utf-8") for file in sorted(HERE.glob("*.py"))}
    runnable = {name: text for name, text in sources.items() if "__main__" in text and name != Path(__file__).stem}
    return {name: (ast.get_docstring(ast.parse(text)) or "").partition("\n")[0] for name, text in runnable.items()}


def main(arguments: list[str]) -> int:
    """Lists, or runs the one that is named."""
    known = benchmarks()
    if not arguments or arguments[0] in ("-h", "--help"):
        print(__doc__)
        print("\n".join(f"{name:20} {says}" for name, says in known.items()))
        return 0
    name, *rest = arguments
    if name not in known:
        print(f"{name!r} is no benchmark; give one of: {', '.join(known)}", file=sys.stderr)
        return 2
    path = os.pathsep.join(filter(None, [str(HERE.parent), os.environ.get("PYTHONPATH")]))  # some share what tests use
    return subprocess.call([sys.executable, str(HERE / f"{name}.py"), *rest], env=os.environ | {"PYTHONPATH": path})  # noqa: S603


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
