"""Lists tools with the Inspector of MCP, which looks at their schemas: those of every fixture, and of the largest descriptions of
the corpus where it is there. No finding is an error. Warnings are counted by their rule: what a description leaves untyped stays so.
Then it makes every recorded call of the fixtures that needs no session, and is to be told what was recorded."""

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
            process.wait(timeout=40)
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
        return subprocess.run(command, capture_output=True, text=True, timeout=300, env=os.environ | {"HOME": self.folder})


def listed(inspector, toolset, path):
    """What is wrong with the tools of one description."""
    ended = inspector.asked(toolset, "--method", "tools/list", "--strict")
    try:
        told = json.loads(ended.stdout)
    except ValueError:
        return [f"{path.name}: {ended.returncode} {ended.stdout[-500:]} {ended.stderr[-1500:]}"]
    findings = [finding for tool in told.get("schemaFindings", []) for finding in tool["findings"]]
    errors = [finding for finding in findings if finding["severity"] == "error"]
    warnings = collections.Counter(finding["rule"] for finding in findings if finding not in errors)
    print(f"inspector: {path.parent.name}/{path.name}: {len(told['result']['tools'])} tools, {len(errors)} errors, warnings {dict(warnings)}")
    faults = [f"{path.name}: {json.dumps(error)}" for error in errors]
    return faults + ([f"{path.name}: exit {ended.returncode}: {ended.stderr[-500:]}"] if ended.returncode else [])


def called(inspector, fixture):
    """What is wrong with the recorded calls of one fixture."""
    faults, n_calls = [], 0
    for case in sorted(fixture.glob("cases/*")):
        call, recorded = (json.loads((case / name).read_text()) for name in ("call.json", "result.json"))
        if (case / "session.json").exists() or not isinstance(call, dict) or not isinstance(call.get("arguments", {}), dict):
            continue
        # The Inspector knows the names of the list alone.
        if EXACT.search((case / "call.json").read_text()) or "another-spelling" in case.name:
            continue
        n_calls += 1
        given = ["--method", "tools/call", "--tool-name", f"{fixture.name}-{call['tool']}", "--tool-args-json", json.dumps(call.get("arguments", {}))]
        faults += [f"{fixture.name}/{case.name}: {fault}" for fault in differs(inspector.asked(fixture.name, *given), recorded)]
    print(f"inspector: {fixture.name}: {n_calls} calls, {len(faults)} not as recorded")
    return faults


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
