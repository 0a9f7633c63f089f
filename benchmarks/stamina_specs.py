"""What `stamina` and `kills` run: a spec for each kind of target, small, and slow enough that others help.

Every call adds a byte to the file `calls` beside the spec, so that calls that were made twice can be counted.
"""

from __future__ import annotations

import sys
from pathlib import Path

CALLS = "calls"  # the file to which every call adds a byte; not the reference mechanism

RELEASE = """
import os
import time
import numpy as np

PLACE = CALLS

def counted(calls=1):
    place = os.open(PLACE, os.O_WRONLY | os.O_APPEND | os.O_CREAT)
    os.write(place, b"." * calls)
    os.close(place)

def busy(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass

def mean(data, epsilon, rng):
    counted()
    return round(float(data.mean() + rng.laplace(0.0, 1.0 / (data.size * epsilon.min()))), 6)

def paced(data, epsilon, rng):
    busy(1e-3)
    return mean(data, epsilon, rng)

def asleep(data, epsilon, rng):
    time.sleep(1e-3)
    return mean(data, epsilon, rng)

def slow(data, epsilon, rng):
    time.sleep(10.0)
    return mean(data, epsilon, rng)

def fast(data, epsilon, rng):
    return float(batch(data, epsilon, rng, 1)[0])

def batch(data, epsilon, rng, size):
    counted(size)
    return np.round(data.mean() + rng.laplace(0.0, 1.0 / (data.size * epsilon.min()), size), 6)

fast.batch = batch

def answer(data, epsilon, rng):
    counted()
    busy(5e-4)
    keep = rng.random() < 1 / (1 + np.exp(-epsilon[0]))
    return "yes" if keep == bool(data[0]) else "no"

def pairs():
    yield [0], [1], [0]

class Service:
    def __init__(self, data, epsilon, rng):
        counted()
        self.total, self.rng, self.left = float(epsilon @ data), rng, 2

    def ask(self):
        busy(2e-4)
        self.left -= 1
        if self.left < 0:
            raise LookupError("the budget is spent")
        return round(self.total / 2 + self.rng.laplace(), 2)

def analyst(service):
    told = []
    for _ in range(3):
        try:
            told.append(service.ask())
        except LookupError:
            told.append("refused")
    return told
"""

PROGRAM = """
import json
import random
import sys

for line in sys.stdin:
    asked = json.loads(line)
    rng = random.Random(asked["seed"])
    mean = sum(asked["data"]) / len(asked["data"])
    scale = 1 / (len(asked["data"]) * min(asked["epsilon"]))
    noise = [scale * (rng.expovariate(1) - rng.expovariate(1)) for _ in range(asked["size"])]
    with open(CALLS, "a") as place:
        place.write("." * asked["size"])
    print(json.dumps({"id": asked["id"], "outputs": [round(mean + one, 6) for one in noise]}), flush=True)
"""

ONCE = r"""
use strict;
local $/;
my $asked = <STDIN>;
my ($seed) = $asked =~ /"seed": (\d+)/;
my ($list) = $asked =~ /"data": \[([^\]]*)\]/;
my @data = split /, /, $list;
srand($seed % 2147483647);
my $sum = 0;
$sum += $_ for @data;
my $noise = log(1 - rand()) - log(1 - rand());
open(my $place, ">>", CALLS);
print $place ".";
close($place);
printf "%.6f\n", $sum / @data + $noise / (@data * 0.5);
"""

SPEC = """[mechanism]
{mechanism}

[demands]
values = {demands}

[privacy]
floating_point = "off"
trace = "{trace}"

[run]
budget = {budget}
seed = 7
"""

TARGETS = {
    "batches": ('target = "release.py:fast"\ntask = "mean"', 8_000),
    "single calls": ('target = "release.py:paced"\ntask = "mean"', 2_000),
    "program": (f'command = ["{sys.executable}", "-I", "program.py"]\ntask = "mean"', 8_000),
    "program, once": ('command = ["perl", "once.pl"]\nprotocol = "once"\ntask = "mean"', 600),
    "reference": ('reference = "hpm-we"\ntask = "mean"', 20_000),
    "pairs": ('target = "release.py:answer"\ntask = "custom"\npairs = "release.py:pairs"', 1_500),
    "session": ('target = "release.py:Service"\nsession = "release.py:analyst"\ntask = "mean"', 2_000),
}
MORE = {name: f'target = "release.py:{name}"\ntask = "mean"' for name in ("paced", "asleep", "slow", "fast")}


def written(folder: Path, kind: str, budget: int | None = None, users: int = 10, trace: bool = True) -> Path:
    """The spec of a kind with all that it needs, in this folder."""
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in (("release.py", RELEASE), ("program.py", PROGRAM), ("once.pl", ONCE)):
        (folder / name).write_text(text.replace("CALLS", f'"{folder.resolve() / CALLS}"'), encoding="utf-8")
    mechanism, usual = TARGETS[kind] if kind in TARGETS else (MORE[kind], 2_000)
    demands = [1.0] if kind == "pairs" else [0.5] * users
    spec = folder / "hdp-audit.toml"
    text = SPEC.format(mechanism=mechanism, demands=demands, budget=budget or usual, trace="auto" if trace else "off")
    spec.write_text(text, encoding="utf-8")
    return spec
