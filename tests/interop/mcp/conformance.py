"""Runs the official conformance suite of MCP against a sidecar whose tools are the operations of `conformance.yaml`, at the
wire version of each era. Every scenario of `MUST` passes; checks of `NOT_SERVED` do not apply, each for its reason."""

import argparse
import json
import pathlib
import re
import subprocess
import tempfile

from serving import configured, service, sidecar

ALWAYS = ["tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-error",
          "tools-call-with-progress", "server-sse-multiple-streams", "dns-rebinding-protection"]
MUST = {
    "2026-07-28": [*ALWAYS, "server-stateless", "caching", "http-header-validation",
                   "input-required-result-missing-input-response", "input-required-result-unsupported-methods",
                   "input-required-result-ignore-extra-params", "input-required-result-validate-input",
                   "input-required-result-request-state", "input-required-result-tampered-state"],
    "2025-11-25": [*ALWAYS, "server-initialize", "ping", "server-session-lifecycle"],
}
NO_VALUES = "needs a tool that asks the client for a sample of its model: only approvals are asked for"
NO_LISTS = "prompts and resources are not served"
NOT_SERVED = {
    "sep-2575-server-rejects-undeclared-capability": NO_VALUES,
    "sep-2575-missing-capability-http-400": NO_VALUES,
    "sep-2549-prompts-list-caching-hints": NO_LISTS,
    "sep-2549-resources-list-caching-hints": NO_LISTS,
    "sep-2549-resources-templates-list-caching-hints": NO_LISTS,
}
PASSING = ("SUCCESS", "INFO", "SKIPPED", "WARNING")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--node", required=True, type=lambda path: pathlib.Path(path).resolve())
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        process, url = sidecar(given.callgate, configured(folder, service()))
        try:
            failed = [fault for version in MUST for fault in judged(given.node, f"{url}/mcp", version, folder)]
        finally:
            process.terminate()
            process.wait(timeout=40)
    print("\n".join(failed))
    raise SystemExit(1 if failed else 0)


def judged(node, url, version, folder):
    """The faults of the scenarios that must pass."""
    out = pathlib.Path(folder, version)
    suite = [node / "node_modules/node/bin/node", node / "node_modules/.bin/conformance", "server", "--url", url]
    suite += ["--suite", "all", "--spec-version", version, "-o", out]
    subprocess.run(suite, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    n_checks, faults, seen = 0, [], set()
    for report in sorted(out.glob("*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", report.parent.name)
        if scenario not in MUST[version]:
            continue
        seen.add(scenario)
        for check in json.loads(report.read_text()):
            if check["id"] in NOT_SERVED:
                continue
            n_checks += 1
            if check["status"] not in PASSING:
                faults.append(f"{version} {scenario}: {check['id']}: {check.get('errorMessage')}")
    faults += [f"{version} {missing}: was not run" for missing in MUST[version] if missing not in seen]
    print(f"mcp conformance {version}: {len(seen)} scenarios, {n_checks} checks, {len(faults)} failed")
    return faults


if __name__ == "__main__":
    main()
