"""Compares the load report with a count of our own making in Python: exposed + degraded + refused must be all operations,
and every tool's input schema must be a JSON Schema of 2020-12 for a validator that is not ours."""

import argparse
import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from jsonschema import Draft202012Validator
from jsonschema.exceptions import SchemaError

import operations

# What is not compared yet, and why. A document that is not listed here must agree.
LATER_VERSIONS = {
    "2.0": "OpenAPI 2.0 is not read yet",
    "3.1": "OpenAPI 3.1 is not read yet",
    "3.2": "OpenAPI 3.2 is not read yet",
    "None": "not a version",
}
LATER_DOCUMENTS = {
    "specs/digitalocean/specification/DigitalOcean-public.v2.yaml": "references to other files are not followed yet",
}
# Without `--all`, so many schemas of a document are checked, evenly spread.
SAMPLE = 40
SECONDS = 600


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--manifest")
    parser.add_argument("--all", action="store_true", help="check every schema, not a sample")
    parser.add_argument("files", nargs="*")
    options = parser.parse_args()
    rows = [(file, file, None) for file in options.files] + manifest_rows(options.manifest)
    compared = [row for row in rows if row[2] is None]
    for name, _, reason in rows:
        if reason is not None:
            print(f"excluded {name}: {reason}")
    with ThreadPoolExecutor(max_workers=2) as pool:
        outcomes = list(pool.map(lambda row: compare(row, options), compared))
    return report(outcomes, len(rows) - len(compared))


def manifest_rows(manifest):
    if manifest is None:
        return []
    folder = Path(manifest).parent
    rows = []
    for entry in json.loads(Path(manifest).read_text()):
        version = ".".join(str(entry["version"]).split(".")[:2])
        reason = LATER_VERSIONS.get(version) or LATER_DOCUMENTS.get(entry["path"])
        rows.append((entry["path"], str(folder / entry["path"]), reason))
    return rows


def compare(row, options):
    """One document: its numbers, and a list of what is wrong."""
    name, file, _ = row
    try:
        counted = operations.count(file)
        checked = run(options.callgate, "check", file)["documents"][0]
        sums = [checked[each] for each in ("exposed", "degraded", "refused")]
        wrong = []
        if sum(sums) != counted:
            wrong.append(f"{sum(sums)} reported operations, {counted} counted")
        n_schemas, bad = check_schemas(options, file)
        return name, counted, sums, n_schemas, wrong + bad
    except Exception as error:  # a document that fails must not hide the others
        return name, 0, [0, 0, 0], 0, [f"{type(error).__name__}: {str(error)[:300]}"]


def check_schemas(options, file):
    tools = run(options.callgate, "tools", file)
    tools = tools["tools"] if isinstance(tools, dict) else tools
    step = 1 if options.all else max(1, len(tools) // SAMPLE)
    chosen = tools[::step]
    bad = []
    for tool in chosen:
        try:
            Draft202012Validator.check_schema(tool["inputSchema"])
        except SchemaError as error:
            bad.append(f"input schema of {tool['name']}: {error.message[:200]}")
    return len(chosen), bad


def run(callgate, command, file):
    """The answer as JSON. Exit 1 means findings, which are no failure here."""
    call = [callgate, command, file, "--json"]
    done = subprocess.run(call, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"exit {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    return json.loads(done.stdout)


def report(outcomes, n_excluded):
    total, sums, n_schemas, n_wrong = 0, [0, 0, 0], 0, 0
    for name, counted, each, schemas, wrong in outcomes:
        total += counted
        sums = [before + more for before, more in zip(sums, each)]
        n_schemas += schemas
        n_wrong += len(wrong)
        print(f"{name}: {counted} operations, {each[0]} exposed, {each[1]} degraded, {each[2]} refused; "
              f"{schemas} schemas checked")
        for line in wrong:
            print(f"  WRONG {line}")
    print(f"all: {len(outcomes)} documents, {n_excluded} excluded; {total} operations, {sums[0]} exposed, "
          f"{sums[1]} degraded, {sums[2]} refused; {n_schemas} schemas checked; {n_wrong} wrong")
    return 1 if n_wrong else 0


if __name__ == "__main__":
    sys.exit(main())
