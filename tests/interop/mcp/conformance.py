"""Runs the official conformance suite of MCP, at the wire version of each era: against sidecars whose tools are the operations of
`conformance.yaml` (listed one by one; behind the four that stand for many; with whole schemas and embedded files), and against a
program with tools of its own. `MUST` names the scenarios that pass. A check that does not succeed, and each scenario that is not
judged, is known with its reason, which is printed; anything else fails, and so does a reason that no longer holds."""

import argparse
import json
import pathlib
import re
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field

from serving import configured, running, sidecar

BOTH = ["tools-list", "tools-call-simple-text", "tools-call-image", "tools-call-audio", "tools-call-error",
        "tools-call-with-progress", "server-sse-multiple-streams", "dns-rebinding-protection"]
DESCRIBED = {
    "2026-07-28": [*BOTH, "server-stateless", "caching", "http-header-validation", "http-custom-header-server-validation",
                   "input-required-result-missing-input-response", "input-required-result-result-type",
                   "input-required-result-unsupported-methods", "input-required-result-validate-input",
                   "input-required-result-request-state", "input-required-result-tampered-state"],
    "2025-11-25": [*BOTH, "server-initialize", "ping", "server-session-lifecycle"],
}
# The last by a tool whose arguments are the members of its body.
SHOWN = ["tools-call-embedded-resource", "tools-call-mixed-content", "json-schema-2020-12"]
WITH_OPTIONS = {"2026-07-28": SHOWN, "2025-11-25": SHOWN}
OF_PROGRAM = {
    "2026-07-28": ["tools-call-embedded-resource", "server-stateless", "http-header-validation",
                   "http-custom-header-server-validation", "input-required-result-basic-elicitation",
                   "input-required-result-multi-round", "input-required-result-result-type",
                   "input-required-result-missing-input-response", "input-required-result-ignore-extra-params",
                   "input-required-result-validate-input", "input-required-result-unsupported-methods",
                   "input-required-result-basic-sampling", "input-required-result-capability-check"],
    "2025-11-25": ["tools-call-embedded-resource"],
}
MUST = {
    "2026-07-28": [*DESCRIBED["2026-07-28"], *SHOWN, "input-required-result-basic-elicitation", "input-required-result-multi-round",
                   "input-required-result-ignore-extra-params"],
    "2025-11-25": [*DESCRIBED["2025-11-25"], *SHOWN],
}
# Scenarios that must pass and that no described operation can be judged by.
WHY_A_PROGRAM = {
    "input-required-result-basic-elicitation": "it asks for values, and a described operation for approval alone",
    "input-required-result-multi-round": "it asks for values, and a described operation for approval alone",
    "input-required-result-ignore-extra-params":
        "it answers without the state of a question: an approval that no `requestState` seals must not be one",
}
STATELESS = "sessions are not kept, since no revision wants them: each request stands alone and is answered in JSON"
NO_PROMPTS = "prompts are not served"
NO_RESOURCES = "resources are not served: content stands in results"
OF_MODEL = "it wants a tool that asks the client's model, which only a program has: judged there"
ALWAYS_KNOWN = {
    "sep-2549-prompts-list-caching-hints": NO_PROMPTS,
    "sep-2549-resources-list-caching-hints": NO_RESOURCES,
    "sep-2549-resources-read-caching-hints": NO_RESOURCES,
    "sep-2549-resources-templates-list-caching-hints": NO_RESOURCES,
    "sep-2575-server-sends-prompts-list-changed-on-subscription": NO_PROMPTS,
    "server-sse-multiple-streams-session": STATELESS,
}
OF_DESCRIBED = ALWAYS_KNOWN | {
    "sep-2575-server-rejects-undeclared-capability": OF_MODEL,
    "sep-2575-missing-capability-http-400": OF_MODEL,
}
NOT_OVER_HTTP = "over HTTP, earlier revisions need a stream of the server's own to ask the client; they are asked on standard input and output"
LOGS = "logging is deprecated; a sidecar writes its log itself"
LEFT_OUT = {
    "completion-complete": "it completes arguments of prompts and resources, which are not served",
    "elicitation-": NOT_OVER_HTTP,
    "input-required-result-basic-list-roots": "roots are deprecated, and no tool needs them",
    "input-required-result-multiple-input-requests": "roots are deprecated, and no tool needs them",
    "input-required-result-non-tool-request": NO_PROMPTS,
    "logging-": LOGS,
    "prompts-": NO_PROMPTS,
    "resources-": NO_RESOURCES,
    "sep-2164-resource-not-found": NO_RESOURCES,
    "server-sse-polling": STATELESS,
    "tools-call-elicitation": NOT_OVER_HTTP,
    "tools-call-sampling": NOT_OVER_HTTP,
    "tools-call-with-logging": LOGS,
}


@dataclass
class Run:
    """One way to serve the tools, the scenarios that are judged, and the checks that do not succeed."""

    name: str
    mcp: dict
    scenarios: dict
    known: dict
    is_program: bool = False
    without: list = field(default_factory=list)


RUNS = [
    Run("a description", {}, DESCRIBED, OF_DESCRIBED),
    # Tools that are not listed are called all the same.
    Run("a description, by search", {"mode": "search", "pinned": ["test_custom_header"]}, DESCRIBED, OF_DESCRIBED),
    Run("a description, whole schemas and files", {"schemas": "whole", "files": "resource"}, WITH_OPTIONS, {}),
    Run("a program", {"schemas": "whole"}, OF_PROGRAM,
        {"sep-2575-server-sends-prompts-list-changed-on-subscription": NO_PROMPTS,
         "sep-2575-server-sends-tools-list-changed-on-subscription": "the example does not reload"},
        True, ["test_custom_header", "test_embedded_resource", "test_input_required_result_elicitation"]),
]


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True, type=lambda path: pathlib.Path(path).resolve())
    parser.add_argument("--program", required=True, type=lambda path: pathlib.Path(path).resolve(), help="the example `mcp_tools`")
    parser.add_argument("--node", required=True, type=lambda path: pathlib.Path(path).resolve())
    given = parser.parse_args()
    faults, ran, reasons = [], {version: set() for version in MUST}, {}
    for run in RUNS:
        met = set()
        for version, reports in reported(run, given):
            ran[version] |= reports.keys()
            faults += judged(run, version, reports, met)
        faults += [f"{run.name}: {check} is known not to succeed, and does" for check in run.known.keys() - met]
        for check in met:
            reasons.setdefault(run.known[check], set()).add(check)
    for reason, checks in sorted(reasons.items()):
        print(f"mcp conformance: not judged: {', '.join(sorted(checks))}: {reason}")
    faults += told_of_scenarios(ran)
    print("\n".join(faults))
    raise SystemExit(1 if faults else 0)


def reported(run, given):
    """The checks of each scenario, by version."""
    with tempfile.TemporaryDirectory() as folder:
        service = running()
        config = configured(folder, service.url)
        settings = json.loads(config.read_text()) | {"mcp": run.mcp}
        if run.without:
            settings["toolsets"]["conformance"]["tools"] = {"exclude": run.without}
            confirmed = settings["toolsets"]["conformance"]["confirm"]["tools"]
            settings["toolsets"]["conformance"]["confirm"]["tools"] = {name: how for name, how in confirmed.items() if name not in run.without}
        config.write_text(json.dumps(settings))
        process, url = program(given.program, config) if run.is_program else sidecar(given.callgate, config)
        service.changed = lambda: changed(pathlib.Path(folder, "conformance.yaml"), process) if not run.is_program else None
        try:
            for version in run.scenarios:
                yield version, reports(given.node, f"{url}/mcp", version, pathlib.Path(folder, version))
        finally:
            process.terminate()
            process.wait(timeout=120)


def changed(description, process):
    """Adds a tool, or takes it away again, and has the sidecar read the description anew."""
    first, again = "  /pets/{petId}:\n", "  /again:\n    get: {operationId: again, responses: {\"200\": {description: A text}}}\n"
    text = description.read_text()
    description.write_text(text.replace(again, "") if again in text else text.replace(first, again + first))
    process.send_signal(signal.SIGHUP)


def program(example, config):
    """Starts a program with tools of its own; its process and its address."""
    process = subprocess.Popen([example, config], stdout=subprocess.PIPE, text=True)
    return process, process.stdout.readline().strip()


def reports(node, url, version, out):
    """What the suite says of each scenario."""
    suite = [node / "node_modules/node/bin/node", node / "node_modules/.bin/conformance", "server", "--url", url]
    suite += ["--suite", "all", "--spec-version", version, "-o", out]
    subprocess.run(suite, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=900)
    named = {re.sub(r"^server-|-\d{4}-\d\d-\d\dT.*$", "", path.parent.name): path for path in out.glob("*/checks.json")}
    return {name: json.loads(path.read_text()) for name, path in sorted(named.items())}


def judged(run, version, reports, met):
    """The faults of the scenarios that this run is judged by; the known ones that are met are added to `met`."""
    n_checks, n_known, faults = 0, 0, []
    for scenario in run.scenarios[version]:
        if scenario not in reports:
            faults.append(f"{run.name}: {version} {scenario}: was not run")
        for check in reports.get(scenario, []):
            n_checks += 1
            if check["status"] in ("SUCCESS", "INFO"):
                continue
            n_known += check["id"] in run.known
            if check["id"] in run.known:
                met.add(check["id"])
            else:
                said = check.get("errorMessage") or check.get("details")
                faults.append(f"{run.name}: {version} {scenario}: {check['status']} {check['id']}: {said}")
    n_scenarios = len(run.scenarios[version])
    print(f"mcp conformance {version}, {run.name}: {n_scenarios} scenarios, {n_checks} checks, {n_known} known, {len(faults)} failed")
    return faults


def told_of_scenarios(ran):
    """Says how each scenario is judged, and why the others are not; those without a word are faults."""
    faults, reasons = [], {}
    for version, must in MUST.items():
        described = {*DESCRIBED[version], *WITH_OPTIONS[version]}
        judged_by_any = {name for run in RUNS for name in run.scenarios[version]}
        for name in must:
            if name not in described and name not in WHY_A_PROGRAM:
                faults.append(f"{version} {name}: is judged by no description, without a reason")
        for name in sorted(set(must) - described):
            print(f"mcp conformance {version} {name}: judged with a program: {WHY_A_PROGRAM.get(name)}")
        faults += [f"{version} {name}: is judged by nothing" for name in must if name not in judged_by_any]
        for name in sorted(ran[version] - judged_by_any):
            reason = next((reason for start, reason in LEFT_OUT.items() if name.startswith(start)), None)
            faults += [] if reason else [f"{version} {name}: is not judged, without a reason"]
            reasons.setdefault(reason, set()).add(name)
    for reason, names in sorted(reasons.items(), key=str):
        print(f"mcp conformance: left out: {', '.join(sorted(names))}: {reason}")
    return faults


if __name__ == "__main__":
    main()
