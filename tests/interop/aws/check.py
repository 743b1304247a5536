"""Compares callgate with counterparts of Amazon's services that are not ours: the signatures of botocore, and a moto server
that holds secrets and checks signatures. Usage: check.py CALLGATE"""

import json
import pathlib
import subprocess
import sys
import tempfile

import secrets_manager
import services
import signatures
from amazon import Amazon

failures = []


class Callgate:
    """The binary, with a folder for its configurations. Keeps all it wrote."""

    def __init__(self, binary, folder):
        self.binary, self.folder, self.wrote = binary, folder, ""

    def calls(self, configuration, calls, jobs=1):
        """The results of calls, each a tool's name and its arguments."""
        (self.folder / "callgate.json").write_text(json.dumps(configuration))
        lines = [json.dumps({"id": str(n), "tool": tool, "args": args}) for n, (tool, args) in enumerate(calls)]
        (self.folder / "batch.jsonl").write_text("\n".join(lines) + "\n")
        command = [self.binary, "call", "callgate.json", "--batch", "batch.jsonl", "--jobs", str(jobs)]
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True, timeout=60, check=False)
        self.wrote += ran.stdout + ran.stderr
        results = [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
        if len(results) != len(calls):
            raise RuntimeError(f"{len(results)} results of {len(calls)} calls: {ran.stdout}{ran.stderr}")
        return results


def told(what, holds, detail="", quiet=False):
    """Prints a check; one that is `quiet` is printed where it fails."""
    if not holds:
        failures.append(what)
        print(f"FAILED {what}: {detail}")
    elif not quiet:
        print(f"ok     {what}")


with tempfile.TemporaryDirectory(prefix="callgate-aws-") as name:
    callgate = Callgate(str(pathlib.Path(sys.argv[1]).resolve()), pathlib.Path(name))
    signatures.check(callgate, told)
    amazon = Amazon(callgate.folder)
    try:
        secrets_manager.check(callgate, amazon, told)
        services.check(callgate, amazon, told)
    finally:
        amazon.stop()
    told("callgate wrote no secret", "canary" not in callgate.wrote and amazon.reader["secret_access_key"] not in callgate.wrote)
sys.exit(1 if failures else 0)
