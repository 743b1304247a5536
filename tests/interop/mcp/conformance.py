"""Runs the official conformance suite of MCP, at the wire version of each era: against a sidecar whose tools are the operations of
`conformance.yaml` (`MUST`), listed one by one and behind the four that stand for many, and against a program with tools of its own,
which ask their callers for values and show resources (`OF_PROGRAM`). Every scenario listed passes; checks of `NOT_SERVED` do not
apply, each for its reason."""

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
SHOWN = ["tools-call-embedded-resource", "tools-call-mixed-content", "json-schema-2020-12"]
OF_PROGRAM = {
    "2026-07-28": [*SHOWN, "server-stateless", "http-header-validation", "http-custom-header-server-validation",
                   "input-required-result-basic-elicitation", "input-required-result-multi-round",
                   "input-required-result-result-type", "input-required-result-missing-input-response",
                   "input-required-result-ignore-extra-params", "input-required-result-validate-input",
                   "input-required-result-unsupported-methods", "input-required-result-basic-sampling",
                   "input-required-result-capability-check"],
    "2025-11-25": SHOWN,
}
OF_THE_PROGRAM = "needs a tool that asks the client for a sample of its model, which only tools of programs do"
NO_LISTS = "prompts and resources are not served"
NOT_SERVED = {
    "sep-2575-server-rejects-undeclared-capability": OF_THE_PROGRAM,
    "sep-2575-missing-capability-http-400": OF_THE_PROGRAM,
    "sep-2549-prompts-list-caching-hints": NO_LISTS,
    "sep-2549-resources-list-caching-hints": NO_LISTS,
    "sep-2549-resources-templates-list-caching-hints": NO_LISTS,
}
PASSING = ("SUCCESS", "INFO", "SKIPPED", "WARNING")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--program", required=True, type=lambda path: pathlib.Path(path).resolve(), help="the example `mcp_tools`")
    parser.add_argument("--node", required=True, type=lambda path: pathlib.Path(path).resolve())
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        config = configured(folder, service())
        of_sidecar = (*sidecar(given.callgate, config), MUST, NOT_SERVED)
        # Tools that are not listed are called all the same.
        short = pathlib.Path(folder, "short.yaml")
        short.write_text(json.dumps(json.loads(config.read_text()) | {"mcp": {"mode": "search"}}))
        of_search = (*sidecar(given.callgate, short), MUST, NOT_SERVED)
        whole = pathlib.Path(folder, "whole.yaml")
        whole.write_text(json.dumps(json.loads(config.read_text()) | {"mcp": {"schemas": "whole"}}))
        of_program = (*program(given.program, whole), OF_PROGRAM, {})
        failed = []
        for process, url, listed, not_served in (of_sidecar, of_search, of_program):
            try:
                for version, must in listed.items():
                    out = pathlib.Path(folder, f"{process.pid}-{version}")
                    failed += judged((given.node, out), f"{url}/mcp", version, (must, not_served))
            finally:
                process.terminate()
                process.wait(timeout=40)
    print("\n".join(failed))
    raise SystemExit(1 if failed else 0)


def program(example, config):
    """Starts a program with tools of its own; its process and its address."""
    process = subprocess.Popen([example, config], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def judged(node_and_out, url, version, judged_by):
    """The faults of the scenarios that must pass."""
    (node, out), (must, not_served) = node_and_out, judged_by
    suite = [node / "node_modules/node/bin/node", node / "node_modules/.bin/conformance", "server", "--url", url]
    suite += ["--suite", "all", "--spec-version", version, "-o", out]
    subprocess.run(suite, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)
    n_checks, faults, seen = 0, [], set()
    for report in sorted(out.glob("*/checks.json")):
        scenario = re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", report.parent.name)
        if scenario not in must:
            continue
        seen.add(scenario)
        for check in json.loads(report.read_text()):
            if check["id"] in not_served:
                continue
            n_checks += 1
            if check["status"] not in PASSING:
                faults.append(f"{version} {scenario}: {check['id']}: {check.get('errorMessage')}")
    faults += [f"{version} {missing}: was not run" for missing in must if missing not in seen]
    print(f"mcp conformance {version}: {len(seen)} scenarios, {n_checks} checks, {len(faults)} failed")
    return faults


if __name__ == "__main__":
    main()
