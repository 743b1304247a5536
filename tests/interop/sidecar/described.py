"""Compares the sidecar with its own description: schemathesis asks what `/openapi.json` allows, and what it does not.

The sidecar serves the pets of the examples, which answer from recordings. Every check is on; `schemathesis.toml` says
what two of them cannot know. Exits with 1 on a failure.
"""

import argparse
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--schemathesis", required=True)
    parser.add_argument("--examples", type=int, default=50)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    command = [given.callgate, "serve", ROOT / "config/demo.yaml", "--listen", "127.0.0.1:0"]
    sidecar = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    try:
        address = listening(sidecar)
        findings = checked(given.callgate, address)
        failed = asked(given, address)
    finally:
        sidecar.terminate()
        sidecar.wait(timeout=120)
    sys.exit(1 if findings or failed else 0)


def listening(sidecar):
    """The address that the sidecar says it listens on."""
    for line in sidecar.stderr:
        found = re.search(r"http://127\.0\.0\.1:\d+", line)
        if found:
            # A pipe that nobody reads stops the sidecar once it is full.
            threading.Thread(target=sidecar.stderr.read, daemon=True).start()
            return found[0]
    raise SystemExit("the sidecar does not say where it listens")


def checked(callgate, address):
    """Whether `callgate check` has a finding in the description."""
    with urllib.request.urlopen(f"{address}/openapi.json") as answer, tempfile.TemporaryDirectory() as folder:
        file = pathlib.Path(folder, "openapi.json")
        file.write_bytes(answer.read())
        # Arguments of calls are maps, which some providers are shown in words.
        command = [callgate, "check", file, "--json", "--allow", "provider-limit"]
        report = subprocess.run(command, stdout=subprocess.PIPE)
    found = json.loads(report.stdout)["documents"][0]["diagnostics"]
    for one in found:
        print(f"{one['code']} at {one['pointer']}: {one['message']}")
    print(f"description: {len(found)} findings")
    return found


def asked(given, address):
    """Whether schemathesis finds a difference."""
    command = [pathlib.Path(given.schemathesis).absolute(), "run", f"{address}/openapi.json", "--url", address, "--checks", "all"]
    command += ["--phases", "examples,coverage,fuzzing,stateful", "--seed", str(given.seed)]
    command += ["--max-examples", str(given.examples), "--request-timeout", "120"]
    environment = {**os.environ, "NO_COLOR": "1"}
    ran = subprocess.run(command, cwd=HERE, env=environment, stdout=subprocess.PIPE, text=True)
    generated = re.search(r"\d+ generated.*", ran.stdout)
    print(f"schemathesis: {generated[0] if generated else 'nothing was asked'}")
    if ran.returncode:
        print(ran.stdout)
    return ran.returncode


if __name__ == "__main__":
    main()
