"""The table of the corpus: how many operations of each document are exposed, degraded and refused, and how often each code
is found. It lies in the repository (`counts.tsv`), so that a change shows in review. Compares it with what callgate says now
and fails where they differ; `--write` writes it again:

    tests/interop/table.py --callgate target/debug/callgate --manifest ../shared/corpus/manifest.json --write
"""

import argparse
import difflib
import json
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

TABLE = Path(__file__).with_name("counts.tsv")
SECONDS = 600
COLUMNS = ("operations", "exposed", "degraded", "refused")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--callgate", required=True)
    parser.add_argument("--manifest", required=True)
    parser.add_argument("--write", action="store_true", help="write the table instead of comparing")
    options = parser.parse_args()
    text = table(options)
    if options.write:
        TABLE.write_text(text)
        print(f"written: {TABLE}")
        return 0
    known = TABLE.read_text() if TABLE.exists() else ""
    if known == text:
        print(f"the table of the corpus holds: {TABLE.name}")
        return 0
    sys.stdout.writelines(difflib.unified_diff(known.splitlines(True), text.splitlines(True), TABLE.name, "now", n=0))
    print("\nthe table of the corpus differs; if the change is meant, write it again:\n  "
          f"{sys.argv[0]} --callgate {options.callgate} --manifest {options.manifest} --write")
    return 1


def table(options):
    folder = Path(options.manifest).parent
    names = sorted(entry["path"] for entry in json.loads(Path(options.manifest).read_text()))
    with ThreadPoolExecutor(max_workers=2) as pool:
        documents = list(pool.map(lambda name: check(options.callgate, folder / name), names))
    lines = ["\t".join(("document", *COLUMNS))]
    lines += ["\t".join((name, *(str(document[column]) for column in COLUMNS))) for name, document in zip(names, documents)]
    totals = (str(sum(document[column] for document in documents)) for column in COLUMNS)
    lines.append("\t".join(("all", *totals)))
    findings, operations, found_in = Counter(), Counter(), Counter()
    for document in documents:
        for diagnostic in document["diagnostics"]:
            code = (diagnostic["severity"], diagnostic["code"])
            findings[code] += 1
            operations[code] += diagnostic["operations"]["count"]
        found_in.update({(diagnostic["severity"], diagnostic["code"]) for diagnostic in document["diagnostics"]})
    lines += ["", "severity\tcode\tfindings\toperations\tdocuments"]
    lines += ["\t".join((*code, *(str(counter[code]) for counter in (findings, operations, found_in)))) for code in sorted(findings)]
    return "\n".join(lines) + "\n"


def check(callgate, file):
    call = [callgate, "check", str(file), "--json"]
    done = subprocess.run(call, capture_output=True, timeout=SECONDS, check=False)
    if done.returncode not in (0, 1):
        raise RuntimeError(f"{file}: exit {done.returncode}: {done.stderr.decode(errors='replace')[-300:]}")
    return json.loads(done.stdout)["documents"][0]


if __name__ == "__main__":
    sys.exit(main())
