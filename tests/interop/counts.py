"""Compares the load report with a count of our own making in Python: exposed + degraded + refused must be all operations,
and every tool's input schema must be a JSON Schema of 2020-12 for a validator that is not ours. Prints a table, and which
codes cost how many operations."""

import argparse
import json
import subprocess
import sys
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

import operations

# What is not compared, and why. A document that is not listed here must agree.
NOT_COMPARED = {"None": "not a version: it has webhooks and no paths"}
# The share of all operations that may be called, and that may be called without a loss.
OFFERED, EXPOSED = 0.995, 0.97
# Without `--all`, so many schemas of a document are checked, evenly spread.
SAMPLE = 40
SECONDS = 600
# Stands in where a description names no absolute server.
SERVER = "https://api.example.com"
STATUSES = ("exposed", "degraded", "refused")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--manifest")
    parser.add_argument("--all", action="store_true", help="check every schema, not a sample")
    parser.add_argument("--strict", action="store_true", help="fail below the shares that must be offered and exposed")
    parser.add_argument("--losses", action="store_true", help="list every operation that is not exposed, with its codes")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    rows = [(file, file, None) for file in options.files] + manifest_rows(options.manifest)
    compared = [row for row in rows if row[2] is None]
    for name, _, reason in rows:
        if reason is not None:
            print(f"excluded {name}: {reason}")
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = list(pool.map(lambda row: compare(row, options), compared))
    return report(outcomes, options)


def manifest_rows(manifest):
    if manifest is None:
        return []
    folder = Path(manifest).parent
    entries = json.loads(Path(manifest).read_text())
    return [(entry["path"], str(folder / entry["path"]), NOT_COMPARED.get(str(entry["version"]))) for entry in entries]


def compare(row, options):
    """One document: its numbers, its losses, and a list of what is wrong."""
    name, file, _ = row
    outcome = {"name": name, "counted": 0, "sums": [0, 0, 0], "schemas": 0, "wrong": [], "losses": {}, "server": ""}
    try:
        document = operations.load(file)
        outcome["counted"] = operations.count(file)
        server = [] if operations.has_absolute_server(document) else ["--server", SERVER]
        outcome["server"] = " *" if server else ""
        checked = run(options.callgate, "check", file, server)["documents"][0]
        outcome["sums"] = [checked[each] for each in STATUSES]
        outcome["losses"] = losses(checked)
        if sum(outcome["sums"]) != outcome["counted"]:
            outcome["wrong"].append(f"{sum(outcome['sums'])} reported operations, {outcome['counted']} counted")
        outcome["schemas"], bad = check_schemas(options, file, server, checked)
        outcome["wrong"] += bad
    except Exception as error:  # a document that fails must not hide the others
        outcome["wrong"].append(f"{type(error).__name__}: {str(error)[:300]}")
    return outcome


def losses(checked):
    """The codes that cost something, by operation. One that concerns the whole document stands under `""`."""
    found = defaultdict(set)
    for diagnostic in checked["diagnostics"]:
        if diagnostic["severity"] != "note":
            code = (diagnostic["severity"], diagnostic["code"])
            concerned = diagnostic["operations"]
            for operation in concerned["names"] or [""]:
                found[operation].add(code)
    return found


def check_schemas(options, file, server, checked):
    tools = run(options.callgate, "tools", file, server)
    tools = tools["tools"] if isinstance(tools, dict) else tools
    callable_ones = checked["exposed"] + checked["degraded"]
    counted = [] if len(tools) == callable_ones else [f"{len(tools)} tools listed, {callable_ones} can be called"]
    step = 1 if options.all else max(1, len(tools) // SAMPLE)
    chosen = tools[::step]
    bad = counted
    for tool in chosen:
        try:
            Draft202012Validator.check_schema(tool["inputSchema"])
        except SchemaError as error:
            bad.append(f"input schema of {tool['name']}: {error.message[:200]}")
    return len(chosen), bad


def run(callgate, command, file, server):
    """The answer as JSON. Exit 1 means findings, which are no failure here."""
    call = [callgate, command, file, "--json", *server]
    done = subprocess.run(call, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    return json.loads(done.stdout)


def report(outcomes, options):
    width = max((len(outcome["name"]) for outcome in outcomes), default=0) + 2
    print(f"{'document':{width}}{'operations':>11}{'exposed':>9}{'degraded':>9}{'refused':>9}{'schemas':>9}")
    for outcome in outcomes:
        numbers = "".join(f"{number:>9}" for number in (*outcome["sums"], outcome["schemas"]))
        print(f"{outcome['name'] + outcome['server']:{width}}{outcome['counted']:>11}{numbers}")
        for line in outcome["wrong"]:
            print(f"  WRONG {line}")
        if options.losses:
            for operation, codes in sorted(outcome["losses"].items()):
                print(f"  {operation or 'document'}: {', '.join(' '.join(code) for code in sorted(codes))}")
    if any(outcome["server"] for outcome in outcomes):
        print(f"* names no absolute server: checked with --server {SERVER}")
    for (severity, code), (n_operations, n_documents) in by_code(outcomes):
        print(f"{severity:7} {code}: {n_operations} operations in {n_documents} documents")
    return judge(outcomes, options)


def by_code(outcomes):
    """How many operations and documents each code concerns, the most frequent first."""
    n_operations, n_documents = Counter(), Counter()
    for outcome in outcomes:
        for codes in outcome["losses"].values():
            n_operations.update(codes)
        n_documents.update(set().union(*outcome["losses"].values()))
    return [(code, (count, n_documents[code])) for code, count in n_operations.most_common()]


def judge(outcomes, options):
    total = sum(outcome["counted"] for outcome in outcomes)
    exposed, degraded, refused = (sum(column) for column in zip(*(outcome["sums"] for outcome in outcomes)))
    n_wrong = sum(len(outcome["wrong"]) for outcome in outcomes)
    offered_share, exposed_share = (exposed + degraded) / max(total, 1), exposed / max(total, 1)
    print(f"all: {len(outcomes)} documents; {total} operations: {exposed} exposed, {degraded} degraded, {refused} refused; "
          f"{sum(outcome['schemas'] for outcome in outcomes)} schemas checked; {n_wrong} wrong")
    print(f"offered {offered_share:.2%} (bar {OFFERED:.1%}), exposed {exposed_share:.2%} (bar {EXPOSED:.1%})")
    below = offered_share < OFFERED or exposed_share < EXPOSED
    return 1 if n_wrong or (options.strict and below) else 0


if __name__ == "__main__":
    sys.exit(main())
