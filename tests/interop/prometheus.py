"""Checks the dashboard and the alert rules of `docs/operations` against a sidecar that has just started, by Prometheus' own tools: the
rules are valid, the text of the metrics is, and every family and label that a rule or a panel names is there from the start.
Usage: prometheus.py --callgate CALLGATE --promtool PROMTOOL"""

import argparse
import json
import pathlib
import re
import shutil
import subprocess
import tempfile
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parents[2]
RULES = ROOT / "docs/operations/alerts.yaml"
BOARD = ROOT / "docs/operations/dashboard.json"
# A call that fails and one that may have been executed raise alarms, and nothing else does.
TESTS = f"""
rule_files: ["{RULES}"]
evaluation_interval: 1m
tests:
  - interval: 1m
    input_series:
      - {{series: 'callgate_calls_total{{toolset="pets",outcome="service_error",reached="yes"}}', values: "0+6x60"}}
      - {{series: 'callgate_calls_total{{toolset="pets",outcome="answered",reached="yes"}}', values: "0+4x60"}}
      - {{series: 'callgate_calls_total{{toolset="pay",outcome="answered",reached="yes"}}', values: "0+4x60"}}
      - {{series: 'callgate_calls_total{{toolset="pay",outcome="dropped",reached="maybe"}}', values: "0x30 1x30"}}
      - {{series: 'callgate_toolset_up{{toolset="pets"}}', values: "1x60"}}
      - {{series: 'callgate_configuration_current', values: "1x60"}}
    alert_rule_test:
      - eval_time: 40m
        alertname: CallgateCallsFail
        exp_alerts: [{{exp_labels: {{toolset: pets, severity: warning}}, exp_annotations: {{summary: "60% of the calls of pets fail at the service"}}}}]
      - {{eval_time: 25m, alertname: CallgateCallsMayHaveBeenExecuted, exp_alerts: []}}
      - {{eval_time: 40m, alertname: CallgateToolsetDown, exp_alerts: []}}
      - {{eval_time: 40m, alertname: CallgateConfigurationRefused, exp_alerts: []}}
"""
# For each alert: series without and then with what it tells of, from minute 21 on, the minute at which it is raised, and one at which it is
# not any more. One event is enough where one is told; its series begins with it where it is one of an outcome.
EVENTS = {
    "CallgateConfigurationRefused": ({"callgate_configuration_current": "1x20 0x20 1x80"}, 27, 50),
    "CallgateReplicasDiffer": ({'callgate_replicas{configuration="different"}': "0x20 1x20 0x80"}, 32, 50),
    "CallgateStateAway": ({"callgate_state_up": "1x20 0x20 1x80"}, 23, 50),
    "CallgateStateFull": ({'callgate_state_failures_total{failure="full"}': "0x20 1x100"}, 31, 90),
    "CallgateToolsetDown": ({'callgate_toolset_up{toolset="pets"}': "1x20 0x20 1x80"}, 27, 50),
    "CallgateServiceLeftAlone": ({'callgate_breaker_state{toolset="pets"}': "0x20 2x20 0x80"}, 24, 50),
    "CallgateCallsFail": (
        {
            'callgate_calls_total{toolset="pets",outcome="service_error",reached="yes"}': "_x21 6+6x20 126x80",
            'callgate_calls_total{toolset="pets",outcome="answered",reached="yes"}': "0+4x120",
        },
        35,
        70,
    ),
    "CallgateArgumentsRefused": (
        {
            'callgate_calls_total{toolset="pets",outcome="invalid_arguments",reached="no"}': "_x21 6+6x60 366x120",
            'callgate_calls_total{toolset="pets",outcome="answered",reached="yes"}': "0+4x200",
        },
        70,
        140,
    ),
    "CallgateCallsMayHaveBeenExecuted": ({'callgate_calls_total{toolset="pay",outcome="timed_out",reached="maybe"}': "_x21 1x100"}, 31, 90),
    "CallgateAuditMissing": ({"callgate_audit_failures_total": "0x20 1x100"}, 31, 90),
    "CallgateTokensMissing": ({'callgate_token_requests_total{outcome="failed"}': "0x20 1x100"}, 31, 90),
    "CallgateSecretsMissing": ({'callgate_secret_reads_total{store="vault",outcome="failed"}': "0x20 1x100"}, 31, 90),
    "CallgateCallersRefused": ({'callgate_requests_refused_total{problem="unknown_token",status="401"}': "0x20 120+120x20 2520x80"}, 39, 70),
    "CallgateOverloaded": ({'callgate_requests_refused_total{problem="overloaded",status="503"}': "_x21 1+1x20 21x80"}, 30, 70),
}

def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--promtool", required=True)
    given = parser.parse_args()
    text = scraped(given.callgate)
    if shutil.which(given.promtool):
        by_promtool(given.promtool, text)
    else:
        print("promtool absent: the rules and the text of the metrics are not checked by it; the package `prometheus` has it")
    families = described(text)
    expressions = [*re.findall(r"expr: (.*(?:\n {12}.*)*)", RULES.read_text())]
    expressions += [target["expr"] for panel in json.loads(BOARD.read_text())["panels"] for target in panel["targets"]]
    codes = known_outcomes(given.callgate)
    faults = [fault for expression in expressions for fault in unknown(expression, families, codes)]
    unused = set(families) - {name for expression in expressions for name in names(expression)}
    faults += [f"no rule and no panel has `{name}`" for name in sorted(unused)]
    if faults:
        raise SystemExit("\n".join(f"prometheus: {fault}" for fault in faults))
    print(f"prometheus: {len(families)} families from the start, {len(expressions)} expressions of rules and panels")


def by_promtool(promtool, text):
    checked(promtool, ["check", "rules", str(RULES)])
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as tests:
        tests.write(TESTS)
        tests.flush()
        checked(promtool, ["test", "rules", tests.name])
    event_by_event(promtool)
    # The linter's advice on names is for new metrics; what it calls an error is not valid.
    linted = subprocess.run([promtool, "check", "metrics"], input=text, capture_output=True, text=True)
    if linted.returncode not in (0, 3):
        raise SystemExit(f"prometheus: the metrics are not valid: {linted.stderr}")


def event_by_event(promtool):
    """Each alert is raised by what it tells of, not before, and over an hour later not any more."""
    alerts = re.findall(r"- alert: (\w+)", RULES.read_text())
    assert sorted(alerts) == sorted(EVENTS), set(alerts) ^ set(EVENTS)
    tests = []
    for alert, (series, raised_at, over_at) in EVENTS.items():
        raised = f'count(ALERTS{{alertname="{alert}",alertstate="firing"}}) or vector(0)'
        times = [(20, 0), (raised_at, 1), (over_at, 0)]
        tests.append({
            "name": alert,
            "interval": "1m",
            "input_series": [{"series": name, "values": values} for name, values in series.items()],
            "promql_expr_test": [{"expr": raised, "eval_time": f"{minute}m", "exp_samples": [{"labels": "{}", "value": value}]} for minute, value in times],
        })
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as file:
        json.dump({"rule_files": [str(RULES)], "evaluation_interval": "1m", "tests": tests}, file)
        file.flush()
        checked(promtool, ["test", "rules", file.name])


def checked(promtool, arguments):
    ended = subprocess.run([promtool, *arguments], capture_output=True, text=True)
    if ended.returncode:
        raise SystemExit(f"prometheus: promtool {' '.join(arguments)}: {ended.stdout}{ended.stderr}")


def scraped(callgate):
    """The metrics of a sidecar that no one has called."""
    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder) / "callgate.yaml"
        pets = ROOT / "fixtures/pets/spec.yaml"
        model = "{dialect: openai, url: 'http://127.0.0.1:9/v1', model: m-1, auth: none}"
        toolset = f"{{openapi: {pets}, server: 'http://127.0.0.1:9'}}"
        handbook = pathlib.Path(folder) / "handbook"
        handbook.mkdir()
        (handbook / "page.md").write_text("# A page\n\nIt says something.\n")
        toolsets = f"{{pets: {toolset}, handbook: {{documents: {{folder: handbook}}}}}}"
        config.write_text(f"models: {{main: {model}}}\nagents: {{keeper: {{model: main}}}}\ntoolsets: {toolsets}\n")
        command = [callgate, "serve", config, "--listen", "127.0.0.1:0"]
        process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
        try:
            for line in process.stderr:
                found = re.search(r"http://127\.0\.0\.1:\d+", line)
                if found:
                    with urllib.request.urlopen(f"{found[0]}/metrics") as answer:
                        return answer.read().decode()
        finally:
            process.terminate()
            process.wait(timeout=120)
    raise SystemExit("prometheus: the sidecar does not say where it listens")


def described(text):
    """The labels of each family that has a text, a kind and a series."""
    helped = set(re.findall(r"^# HELP (\w+) \S", text, re.MULTILINE))
    families = {}
    for name, kind in re.findall(r"^# TYPE (\w+) (\w+)$", text, re.MULTILINE):
        suffix = "_bucket" if kind == "histogram" else ""
        series = re.findall(rf"^{name}{suffix}(?:{{(.*)}})? ", text, re.MULTILINE)
        assert series and name in helped, f"{name}: no series, or no text"
        families[name] = {label for labels in series for label in re.findall(r"(\w+)=\"", labels)}
    return families


def names(expression):
    written = re.findall(r"(?:callgate|gen_ai_client)_\w+", expression)
    return {re.sub(r"(?<=_seconds)_(bucket|count)$", "", name) for name in written}


def known_outcomes(callgate):
    """The endings of calls: the codes that callgate explains, and those that are no fault."""
    explained = (ROOT / "crates/callgate/manual/codes.md").read_text()
    return {"answered", "pending", "planned", "dropped", "failed", *re.findall(r"^### `(\w+)`$", explained, re.MULTILINE)}


def unknown(expression, families, outcomes):
    for name in names(expression):
        if name not in families:
            yield f"no sidecar has `{name}`: {expression}"
    labels = set(re.findall(r"(\w+)(?:=|!=|=~|!~)\"", expression))
    labels |= {label.strip() for group in re.findall(r"\b(?:by|without) \(([^)]*)\)", expression) for label in group.split(",")}
    of_families = {label for name in names(expression) for label in families.get(name, ())}
    for label in sorted(labels - of_families):
        yield f"no family has the label `{label}`: {expression}"
    for group in re.findall(r"outcome(?:=|!=|=~|!~)\"([^\"]*)\"", expression):
        for outcome in set(group.split("|")) - outcomes:
            yield f"no call ends with `{outcome}`: {expression}"


if __name__ == "__main__":
    main()
