"""Lists tools with the Inspector of MCP, which looks at their schemas: those of every fixture, and of the largest descriptions of
the corpus where it is there. It finds nothing, neither an error nor a warning: what a description leaves untyped is declared with
all the types that a value may have. Then it makes every recorded call of the fixtures, with its session in `_meta`, and is to be
told what was recorded. Calls that it cannot make are counted by `UNABLE`."""

import argparse
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mcp"))

from serving import sidecar

ROOT = pathlib.Path(__file__).resolve().parents[3]
LARGEST = 20
FIXTURES = sorted(path.parent for path in ROOT.glob("fixtures/*/toolset.yaml"))
# A number that JavaScript writes otherwise than it reads it.
EXACT = re.compile(r"\d{16,}|\d\.\d*0\b")
NUMBERS = "a number that JavaScript writes otherwise than it reads it"
SPELLING = "a name that is not in the list, and the Inspector calls no other"
NO_OBJECT = "a call or arguments that are no object, which the Inspector does not send"
# Recorded calls that the Inspector cannot make, by the reason; `called` fails where there are more or fewer.
UNABLE = {"files": {NUMBERS: 2}, "ledger": {NUMBERS: 3}, "pets": {NUMBERS: 3, SPELLING: 1}}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--node", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("manifest", nargs="?", type=pathlib.Path, help="the manifest of the corpus")
    given = parser.parse_args()
    descriptions = sorted([*ROOT.glob("fixtures/*/spec.*"), *large(given.manifest)])
    with tempfile.TemporaryDirectory() as folder:
        process, url = sidecar(given.callgate, configured(folder, descriptions))
        try:
            inspector = Inspector(given.node, url, folder)
            faults = [fault for index, path in enumerate(descriptions) for fault in listed(inspector, f"t{index}", path)]
            faults += [fault for fixture in FIXTURES for fault in called(inspector, fixture)]
        finally:
            process.terminate()
            process.wait(timeout=120)
    print("\n".join(faults))
    raise SystemExit(1 if faults else 0)


def large(manifest):
    """The largest descriptions, up to what one list takes a client a while to read."""
    if manifest is None:
        print("corpus absent: only the fixtures are listed")
        return []
    entries = json.loads(manifest.read_text())
    entries = entries if isinstance(entries, list) else entries["specs"]
    paths = [manifest.parent / entry["path"] for entry in entries]
    paths = [path for path in paths if path.suffix in (".json", ".yaml", ".yml")]
    return sorted(paths, key=lambda path: path.stat().st_size, reverse=True)[:LARGEST]


def configured(folder, descriptions):
    """Toolsets of descriptions, and those of the fixtures as they are, which answer what was recorded."""
    auth = '"auth": "none", "server": "http://127.0.0.1:9", "egress": {"allow": ["127.0.0.0/8"]}'
    toolsets = [f'  t{index}: {{"openapi": {json.dumps(str(path))}, {auth}}}' for index, path in enumerate(descriptions)]
    for fixture in FIXTURES:
        text = (fixture / "toolset.yaml").read_text().replace("openapi: ", f"openapi: {fixture}/")
        toolsets.append(f"  {fixture.name}:\n    prefix: {fixture.name}\n    " + text.strip().replace("\n", "\n    "))
    config = pathlib.Path(folder, "callgate.yaml")
    config.write_text("toolsets:\n" + "\n".join(toolsets) + "\n")
    return config


class Inspector:
    """The Inspector and a sidecar."""

    def __init__(self, node, url, folder):
        self.node, self.url, self.folder = node, url, folder

    def asked(self, toolset, *more):
        command = [self.node / "node_modules/node/bin/node", self.node / "node_modules/.bin/mcp-inspector", "--cli", f"{self.url}/mcp/{toolset}"]
        command += ["--transport", "http", "--format", "json", *more]
        return subprocess.run(command, capture_output=True, text=True, timeout=900, env=os.environ | {"HOME": self.folder})


def listed(inspector, toolset, path):
    """What is wrong with the tools of one description."""
    ended = inspector.asked(toolset, "--method", "tools/list", "--strict")
    try:
        told = json.loads(ended.stdout)
    except ValueError:
        return [f"{path.name}: {ended.returncode} {ended.stdout[-500:]} {ended.stderr[-1500:]}"]
    findings = [finding for tool in told.get("schemaFindings", []) for finding in tool["findings"]]
    print(f"inspector: {path.parent.name}/{path.name}: {len(told['result']['tools'])} tools, {len(findings)} findings")
    faults = [f"{path.name}: {json.dumps(finding)}" for finding in findings]
    return faults + ([f"{path.name}: exit {ended.returncode}: {ended.stderr[-500:]}"] if ended.returncode else [])


def called(inspector, fixture):
    """What is wrong with the recorded calls of one fixture."""
    faults, n_calls, unable = [], 0, collections.Counter()
    for case in sorted(fixture.glob("cases/*")):
        call, recorded = (json.loads((case / name).read_text()) for name in ("call.json", "result.json"))
        if reason := why_unable(case, call):
            unable[reason] += 1
            continue
        n_calls += 1
        given = ["--method", "tools/call", "--tool-name", f"{fixture.name}-{call['tool']}", "--tool-args-json", json.dumps(call.get("arguments", {}))]
        session = case / "session.json"
        if session.exists():
            given += ["--tool-metadata", f"callgate/session={json.dumps(json.loads(session.read_text()))}"]
        faults += [f"{fixture.name}/{case.name}: {fault}" for fault in differs(inspector.asked(fixture.name, *given), recorded)]
    print(f"inspector: {fixture.name}: {n_calls} calls, {len(faults)} not as recorded")
    for reason, n_cases in sorted(unable.items()):
        print(f"inspector: {fixture.name}: {n_cases} calls not made: {reason}")
    if unable != UNABLE.get(fixture.name, {}):
        faults.append(f"{fixture.name}: expected not to make {UNABLE.get(fixture.name, {})}, got {dict(unable)}")
    return faults


def why_unable(case, call):
    """The reason why the Inspector cannot make a call."""
    if not isinstance(call, dict) or not isinstance(call.get("arguments", {}), dict):
        return NO_OBJECT
    session = case / "session.json"
    texts = [(case / "call.json").read_text(), session.read_text() if session.exists() else ""]
    if any(EXACT.search(text) for text in texts):
        return NUMBERS
    return SPELLING if "another-spelling" in case.name else None


def differs(ended, recorded):
    """How an answer differs from the recorded one."""
    expected = 5 if "error" in recorded else 0
    if ended.returncode != expected:
        return [f"expected exit {expected}, got {ended.returncode}: {ended.stdout[-700:]} {ended.stderr[-700:]}"]
    response, told = recorded.get("response"), json.loads(ended.stdout or "{}").get("result", {}).get("structuredContent")
    if expected or told is None or EXACT.search(json.dumps([response, told])):
        return []
    # Whatever is no object, or has more beside it, is the member `result` of one.
    return [] if response in (told, told.get("result")) else [f"expected {json.dumps(response)[:300]}, got {json.dumps(told)[:300]}"]


if __name__ == "__main__":
    main()
