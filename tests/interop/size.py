"""No description is cut short by its size alone. Makes large ones (`large.py`), and looks whether every operation is exposed,
whether `tools --json` writes as many tools as `check` calls exposed and holds one at a time, and whether a description of
twice the size takes about twice the time.

    python tests/interop/size.py --callgate target/debug/callgate
"""

import argparse
import json
import subprocess
import sys
import tempfile
from pathlib import Path

import large

# Twice the size takes 2.1 times as long in a quiet machine, and four times where something is quadratic.
MOST_RATIO = 2.8
RUNS = 3
# Beyond what the program takes for the tools of a handful of operations: far less than `tools --json` writes.
MOST_MORE_MIB = 12
SMALL = Path(__file__).resolve().parents[2] / "fixtures/pets/spec.yaml"
# A process has at least what its parent had when it was made, which is why the parent is a small one.
MEASURED = """
import os, sys
child = os.posix_spawn(sys.argv[1], sys.argv[1:], os.environ)
_, status, usage = os.wait4(child, 0)
print(usage.ru_utime, usage.ru_maxrss, file=sys.stderr)
sys.exit(os.waitstatus_to_exitcode(status))
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callgate", required=True)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        faults = [*listed(options.callgate, Path(folder)), *doubled(options.callgate, Path(folder))]
    for fault in faults:
        print(fault)
    return 1 if faults else 0


def listed(callgate, folder):
    """Every operation is exposed, and written."""
    file, n_operations = written(folder, 0.02)
    [document] = json.loads(run([callgate, "check", file, "--json"])[0])["documents"]
    if document["exposed"] != n_operations:
        yield f"expected {n_operations} operations that are exposed, got: {document['exposed']}"
    text, _, mib = run([callgate, "tools", file, "--json"])
    n_tools = len(json.loads(text))
    if n_tools != document["exposed"]:
        yield f"expected as many tools as operations that are exposed, {document['exposed']}, got: {n_tools}"
    least = run([callgate, "tools", SMALL, "--json"])[2]
    if mib > least + MOST_MORE_MIB:
        yield f"expected at most {least + MOST_MORE_MIB:.0f} MiB to write {len(text) >> 20} MiB of tools, got: {mib:.0f}"
    print(f"size: {n_tools} tools of {n_operations} operations, {len(text) >> 20} MiB written within {mib:.0f} MiB; a handful within {least:.0f}")


def doubled(callgate, folder):
    """Twice the size takes about twice the time of the processor."""
    files = [written(folder, scale)[0] for scale in (0.1, 0.2)]
    one, two = (min(run([callgate, "check", file])[1] for _ in range(RUNS)) for file in files)
    if two > MOST_RATIO * one:
        yield f"expected at most {MOST_RATIO} times as long for twice the size, got: {one:.2f} s, then {two:.2f} s"
    print(f"size: {one:.2f} s, of twice the size {two:.2f} s")


def written(folder, scale):
    described = large.description(scale)
    file = folder / f"large-{scale}.json"
    file.write_text(json.dumps(described, separators=(",", ":")))
    return str(file), sum(len(item) for item in described["paths"].values())


def run(command):
    """What a command writes, the seconds of the processor it took, and the most memory it had, in MiB."""
    with tempfile.TemporaryFile() as out:
        measured = subprocess.run([sys.executable, "-SEc", MEASURED, *command], stdout=out, stderr=subprocess.PIPE, text=True)
        if measured.returncode != 0:
            sys.exit(f"expected success, got {measured.returncode}: {' '.join(map(str, command))}: {measured.stderr}")
        out.seek(0)
        seconds, kib = measured.stderr.split()[-2:]
        return out.read(), float(seconds), int(kib) / 1024


if __name__ == "__main__":
    sys.exit(main())
